"""One thing that is kept about a person, as it is shown to them."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from ..memory import Entry
from ..memory.paths import MemoryPath
from ..scope import private_conversation
from ..search.corrections import CORRECTED


class Kind(Enum):
    """What keeps it."""

    FACT = "事"
    """A fact of the graph."""
    ENTRY = "记忆"
    """An entry of a memory file."""
    NOTE = "便签"
    """A note."""
    LINE = "原话"
    """Something the person said."""
    REPLY = "回复"
    """Something the character said to them."""

    @property
    def is_said(self) -> bool:
        """Whether it is a line of a conversation."""
        return self in (Kind.LINE, Kind.REPLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A thing and where it stands: what its number means once it was shown."""

    kind: Kind
    id: str
    """The number of the fact or line, the id of the note, the path of the entry's file."""
    text: str
    """What it says, whole: an item that no longer says so is another one."""
    at: datetime | None
    conversation_id: str | None
    """Where it was said; `None` where nobody knows."""
    outdated: bool = False
    """Whether it states what was corrected since (R1.19)."""

    @property
    def shown(self) -> str:
        """What it may be told as: what was corrected is never told in its old form."""
        return CORRECTED if self.outdated else self.text


def is_own(place: MemoryPath, entry: Entry, user_id: str) -> bool:
    """Whether an entry is from or about a person: by its file, its tag, or their private chat."""
    private = private_conversation(user_id)
    where = entry.conversation_id or place.conversation_id
    return place.user_id == user_id or user_id in entry.people or where == private


def is_theirs_alone(place: MemoryPath, entry: Entry, user_id: str) -> bool:
    """Whether an entry is nobody else's as well, so that this person may change it or let it go."""
    return place.user_id == user_id or not set(entry.people) - {user_id}
