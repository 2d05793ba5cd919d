"""The values a turn and a model exchange, free of any model library."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, Protocol, TypeVar

from .patience import Health

Purpose = Literal["chat", "learning", "life"]
"""What a model is asked for; each may have a model of its own (R4.13)."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundTool:
    """A tool of the registry, bound to one turn."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of the arguments."""
    call: Callable[[dict[str, Any]], Awaitable["ToolResult"]]
    """Carry it out; a refusal is an answer, not an exception."""
    rewrites: bool = False
    """Whether what it answers, where it is taken, replaces the history of the run (R2.12)."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered."""

    ok: bool
    text: str
    """For the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A remembered fact as the offline model needs it."""

    subject: str
    relation: str
    object: str
    about_speaker: bool
    inferred: bool
    at: datetime
    """When it was said last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Something said earlier."""

    speaker: str
    by_speaker: bool
    """Whether it was the one who speaks now, whatever they were called then."""
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A recent turn."""

    speaker: str
    by_speaker: bool
    said: str
    answered: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What the host recalled for this turn, as data: all that the offline model knows (R4.14)."""

    text: str
    turn_id: int
    character: str = ""
    """The character's name."""
    identity: tuple[tuple[str, str], ...] = ()
    """What the character is, attribute and value."""
    facts: tuple[Fact, ...] = ()
    """Facts the message touches, best first."""
    sayings: tuple[Saying, ...] = ()
    """Older lines the message touches, best first."""
    recent: tuple[Exchange, ...] = ()
    """The newest turns, newest first."""
    entries: tuple[str, ...] = ()
    """Entries of the injected memory files."""
    in_zone: Callable[[datetime], datetime] = lambda at: at
    """Converts a time to the zone in which it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One turn's question to the model: no list of messages, one system text and one user message."""

    system: str
    user: str
    tools: tuple[BoundTool, ...]
    brief: Brief


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call that was carried out."""

    name: str
    arguments: dict[str, Any]
    ok: bool
    result: str
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequestLog:
    """One request as it went to the model, the failed ones too."""

    text: str
    """Everything it held: system text and messages, tool results included."""
    milliseconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    failure: str = ""
    """Why there was no usable answer to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of an `Ask`, also where it failed half-way."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    requests: tuple[ModelRequestLog, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    failure: str = ""
    """Why there is no usable text (R4.6); tools may have been called before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[T]):
    """A question outside a turn: for learning (R4.9) and for life fragments (R5.6)."""

    system: str
    user: str
    shape: type[T]
    """What is wanted: `str`, or a pydantic model that the answer is checked by."""
    by_rules: Callable[[], T]
    """What the offline model answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Generic[T]):
    """What came of a `Question`."""

    value: T | None
    """`None` where there was no usable answer."""
    input_tokens: int = 0
    output_tokens: int = 0
    failure: str = ""
    """Why there is none."""


class ChatModel(Protocol):
    """Something that answers: the offline model, or an endpoint."""

    @property
    def name(self) -> str:
        """What it is, for log, status and trace."""
        ...

    @property
    def health(self) -> Health:
        """How it did last, for the status."""
        ...

    async def answer(self, ask: Ask) -> Answer:
        """Answer, calling tools on the way; a failure is an `Answer` that says so."""
        ...

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Answer a question of a fixed shape, repaired once; a failure is a `Reply` that says so."""
        ...
