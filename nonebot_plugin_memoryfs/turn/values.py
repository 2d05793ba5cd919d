"""The values of a turn: what came in, and the one frozen `Turn` that grows through the steps."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from ..character import Card
from ..graph import BackRecall, RecallResult, TaskChain
from ..memory import MemoryContext
from ..model import Answer
from ..prompt import ChosenNotes, RenderedPrompt
from ..scope import Scope, Viewer
from ..search import Hit

Send = Callable[[str, str], Awaitable[None]]
"""Delivers a reply as text (R4.7), under the character's name; raises where the platform refuses it."""

Key = tuple[str, str]
"""A character in a conversation."""

MAX_TEXT = 4_000
"""Characters of a message the model is given (R4.2); the row keeps all."""


@dataclass(frozen=True, slots=True)
class OverheardLine:
    """A line somebody said to the others."""

    speaker: str
    text: str
    source_id: str = ""
    """The platform's id of the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A message the character is to answer, or several of one person, joined."""

    scope: Scope
    speaker: str
    """The name to call them by: group card before nickname (R7.2)."""
    text: str
    """As text: pictures and the like as placeholders; empty when the character was only called."""
    at: datetime
    send: Send
    administers: bool = False
    """Whether the speaker is an admin of the group: their word changes the persona there (R2.7)."""
    account: str = ""
    """The bot account that heard it and answers."""
    source_ids: tuple[str, ...] = ()
    """Ids of the platform's messages, for a later recall of them."""
    quoted: OverheardLine | None = None
    """The message this one replies to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What steps 3 to 5 found (R4.1)."""

    persona: RecallResult
    persona_text: str
    """What stands in the prompt for it: the persona facts, or else the card's identity (R2.7)."""
    identity: tuple[tuple[str, str], ...]
    """The same as attribute and value."""
    relationship: str
    """How the character stands to who speaks, in words (R4.12)."""
    chain: TaskChain
    back: BackRecall | None
    """What words that point back brought up (R2.16); `None` where there were none."""
    facts: RecallResult
    repeated: frozenset[int]
    """Facts that a memory file in the prompt says already, by id (R3.10)."""
    sayings: tuple[Hit, ...]
    card: Card
    """The character."""
    memory: MemoryContext
    notes: ChosenNotes
    layer: str
    """Level and source of the base prompt (R3.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn, as far as it has come; what a step adds is empty before it."""

    incoming: Incoming
    turn_id: int
    viewer: Viewer
    kept: bool = True
    """Whether anything of it is stored; of somebody who said 停记, nothing is (R7.4)."""
    joined: tuple[int, ...] = ()
    """Rows of further messages that this turn answers too (R4.4)."""
    overheard: tuple[OverheardLine, ...] = ()
    spent: bool = False
    """Whether the day's budget was spent, so that no model was asked (R4.4)."""
    recalled: Recalled | None = None
    prompt: RenderedPrompt | None = None
    answer: Answer | None = None
    reply: str | None = None
    """What was sent as the answer, or `None` when nothing was."""
    committed: tuple[str, ...] = ()
    """Facts the host wrote because the model had not (R4.5), as text."""
    recorded: bool = False
    timings: tuple[tuple[str, float], ...] = ()
    """Step and milliseconds, in order."""
    errors: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """The conversation it belongs to."""
        return self.incoming.scope.character_id, self.incoming.scope.conversation_id


def join(first: Turn, second: Turn) -> Turn:
    """Two heard turns of one person, waiting one behind the other, as one (R4.4)."""
    heard, more = first.incoming, second.incoming
    incoming = replace(
        more,
        text="\n".join(text for text in (heard.text, more.text) if text),
        source_ids=heard.source_ids + more.source_ids,
        quoted=more.quoted or heard.quoted,
        at=heard.at,
        administers=heard.administers and more.administers,
    )
    return replace(first, incoming=incoming, viewer=second.viewer, joined=(*first.joined, second.turn_id))
