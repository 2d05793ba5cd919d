"""Turns as the operator reads them: what was said and answered, whatever became of it (R7.6)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from ..search.places import chunks
from ..storage import Database
from ..storage.tables import lines, traces, turns


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTurn:
    """A turn with both its sides."""

    id: int
    character_id: str
    conversation_id: str
    user_id: str
    state: str
    """`open`, `answered` or `unanswered`."""
    at: datetime
    speaker: str
    said: str
    reply: str
    explained: bool
    """Whether there is a trace of it."""


_COLUMNS = (*turns.c, traces.c.turn_id.label("traced"))
_WITH_TRACE = turns.outerjoin(traces, traces.c.turn_id == turns.c.id)
_BEFORE = (
    select(*_COLUMNS)
    .select_from(_WITH_TRACE)
    .where(
        turns.c.character_id == bindparam("character_id"),
        turns.c.conversation_id == bindparam("conversation_id"),
        turns.c.id < bindparam("before"),
    )
    .order_by(turns.c.id.desc())
    .limit(bindparam("newest"))
)
_LAST = (
    select(func.max(turns.c.id).label("id"), turns.c.character_id, turns.c.conversation_id)
    .group_by(turns.c.character_id, turns.c.conversation_id)
    .order_by(func.max(turns.c.id).desc())
)
_BY_ID = select(*_COLUMNS).select_from(_WITH_TRACE).where(turns.c.id.in_(bindparam("ids", expanding=True)))
_LINES = (
    select(lines.c.turn_id, lines.c.speaker, lines.c.by_character, lines.c.text)
    .where(lines.c.turn_id.in_(bindparam("turn_ids", expanding=True)))
    .order_by(lines.c.id)
)
_NO_END = 2**62


def past_turns(
    database: Database, character_id: str, conversation_id: str, limit: int, before: int | None = None
) -> list[PastTurn]:
    """The newest turns of a conversation, newest first.

    Args:
        database: where.
        character_id: spoken to.
        conversation_id: in which conversation.
        limit: at most so many.
        before: only those older than this turn.
    """
    where = {"character_id": character_id, "conversation_id": conversation_id}
    with database.read() as connection:
        rows = connection.execute(_BEFORE, {**where, "before": before or _NO_END, "newest": limit}).all()
        return _told(connection, rows)


def last_turns(database: Database) -> list[tuple[int, str, str]]:
    """The number of the last turn of every conversation, its character and its id; the latest first."""
    with database.read() as connection:
        return [(row.id, row.character_id, row.conversation_id) for row in connection.execute(_LAST)]


def past_turn(database: Database, turn_id: int) -> PastTurn | None:
    """One turn."""
    return next(iter(turns_by_id(database, [turn_id])), None)


def turns_by_id(database: Database, turn_ids: Iterable[int]) -> list[PastTurn]:
    """Those of these turns that there are, the latest first."""
    with database.read() as connection:
        rows = [row for ids in chunks(turn_ids) for row in connection.execute(_BY_ID, {"ids": ids})]
        return _told(connection, sorted(rows, key=lambda row: row.id, reverse=True))


def _told(connection: Connection, rows: Sequence[Any]) -> list[PastTurn]:
    sides: dict[tuple[int, bool], list[str]] = {}
    speakers: dict[int, str] = {}
    for chunk in chunks(row.id for row in rows):
        for line in connection.execute(_LINES, {"turn_ids": chunk}):
            sides.setdefault((line.turn_id, line.by_character), []).append(line.text)
            if not line.by_character:
                speakers.setdefault(line.turn_id, line.speaker)
    return [
        PastTurn(
            id=row.id,
            character_id=row.character_id,
            conversation_id=row.conversation_id,
            user_id=row.user_id,
            state=row.state,
            at=row.opened_at,
            speaker=speakers.get(row.id) or str(row.user_id),
            said="\n".join(sides.get((row.id, False), ())),
            reply="\n".join(sides.get((row.id, True), ())),
            explained=row.traced is not None,
        )
        for row in rows
    ]
