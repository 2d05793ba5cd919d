"""The values a turn and a model exchange, free of any model library."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundTool:
    """A tool of the registry, bound to one turn."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of the arguments."""
    call: Callable[[dict[str, Any]], Awaitable[str]]
    """Carry it out; answers text for the model, refusals included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A remembered fact as the offline model needs it."""

    subject: str
    relation: str
    object: str
    about_speaker: bool
    inferred: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Something said earlier."""

    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What the host recalled for this turn, as data: all that the offline model knows (R4.14)."""

    text: str
    speaker: str
    turn_id: int
    facts: tuple[Fact, ...] = ()
    """Facts the message touches, best first."""
    sayings: tuple[Saying, ...] = ()
    """Older lines the message touches, best first."""
    recent: tuple[tuple[str, str], ...] = ()
    """The newest turns, newest first: what the person said, what the character answered."""
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
    result: str
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequestLog:
    """One request as it went to the model."""

    text: str
    """Everything it held: system text and messages, tool results included."""
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of an `Ask`."""

    text: str
    calls: tuple[ToolCall, ...]
    requests: tuple[ModelRequestLog, ...]
    input_tokens: int
    output_tokens: int


class ChatModel(Protocol):
    """Something that answers: the offline model, or an endpoint."""

    @property
    def name(self) -> str:
        """What it is, for log, status and trace."""
        ...

    async def answer(self, ask: Ask) -> Answer:
        """Answer, calling tools on the way.

        Raises:
            ModelFailed: there is no usable answer.
        """
        ...
