"""Where people were seen speaking: the `seen_in` of the audience rule (R1.17)."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from ..scope import Scope, Viewer
from .tables import presence
from .upserts import upsert

_SEEN_IN = select(presence.c.conversation_id, presence.c.first_at).where(
    presence.c.user_id == bindparam("user_id")
)

_NOTE = upsert(
    presence,
    ["user_id", "conversation_id"],
    ["first_at"],
    where=lambda new: presence.c.first_at > new.first_at,
)


def note_presence(connection: Connection, user_id: str, conversation_id: str, at: datetime) -> None:
    """Remember that this person spoke here; the earliest time stays."""
    connection.execute(
        _NOTE.on(connection),
        {"user_id": user_id, "conversation_id": conversation_id, "first_at": at},
    )


def viewer_of(connection: Connection, scope: Scope) -> Viewer:
    """The viewer a scope stands for, with the conversations its user was seen in."""
    seen_in = {
        row.conversation_id: row.first_at for row in connection.execute(_SEEN_IN, {"user_id": scope.user_id})
    }
    return Viewer(scope.character_id, scope.user_id, scope.conversation_id, seen_in)
