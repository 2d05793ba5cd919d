"""Groups that are switched off (R7.2)."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from .tables import quiet_groups
from .upserts import insert_or_ignore

_ADD = insert_or_ignore(quiet_groups)
_DROP = delete(quiet_groups).where(quiet_groups.c.conversation_id == bindparam("of_conversation"))
_ONE = select(quiet_groups.c.since).where(quiet_groups.c.conversation_id == bindparam("of_conversation"))


def set_quiet(connection: Connection, conversation_id: str, quiet: bool, at: datetime) -> bool:
    """Switch a group off, or on again; whether that changed anything."""
    if quiet:
        row = {"conversation_id": conversation_id, "since": at}
        return connection.execute(_ADD.on(connection), row).rowcount > 0
    return connection.execute(_DROP, {"of_conversation": conversation_id}).rowcount > 0


def is_quiet(connection: Connection, conversation_id: str) -> bool:
    """Whether a group is switched off."""
    return connection.execute(_ONE, {"of_conversation": conversation_id}).first() is not None
