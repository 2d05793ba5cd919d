"""What was said, line by line: writing lines together with their index, and reading them back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select

from ..scope import Origin, Policy, Scope, Viewer, may_see, reachable
from ..storage.tables import lines
from ..text.cleaning import clean
from . import index
from .index import Kind
from .places import chunks, place_of, places_of

_ADD = insert(lines)
_BY_ID = select(lines).where(lines.c.id.in_(bindparam("ids", expanding=True)))
_FIRST_SINCE = select(func.min(lines.c.id)).where(
    lines.c.character_id == bindparam("character_id"),
    lines.c.conversation_id == bindparam("conversation_id"),
    lines.c.at >= bindparam("at"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """Something said."""

    id: int
    turn_id: int | None
    conversation_id: str
    user_id: str
    """Who said it, or to whom the character said it."""
    speaker: str
    """The name of who said it, as it was then."""
    by_character: bool
    text: str
    at: datetime
    """Timezone-aware."""


def add_line(
    connection: Connection,
    scope: Scope,
    speaker: str,
    text: str,
    at: datetime,
    *,
    turn_id: int | None = None,
    by_character: bool = False,
) -> int:
    """Write a line and index it with its speaker, in the caller's transaction; returns its id."""
    speaker, text = clean(speaker), clean(text)
    written = connection.execute(
        _ADD,
        {
            "turn_id": turn_id,
            "character_id": scope.character_id,
            "conversation_id": scope.conversation_id,
            "user_id": scope.user_id,
            "speaker": speaker,
            "by_character": by_character,
            "text": text,
            "at": at,
        },
    )
    key = written.inserted_primary_key
    assert key is not None
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    index.put(connection, place_id, [(Kind.LINE, key[0], f"{speaker}\n{text}")])
    return int(key[0])


def lines_by_id(
    connection: Connection, viewer: Viewer, policy: Policy, ids: Iterable[int]
) -> dict[int, Line]:
    """Those of these lines that the viewer may see (R1.17)."""
    found: dict[int, Line] = {}
    for chunk in chunks(ids):
        for row in connection.execute(_BY_ID, {"ids": chunk}):
            origin = Origin(row.conversation_id, (row.user_id,), row.at)
            if row.character_id == viewer.character_id and may_see(viewer, origin, policy):
                found[row.id] = line_of(row)
    return found


FirstLines = dict[tuple[int, datetime], int]
"""Place and time → the first line there since: what once was found holds, as new lines come behind it."""


def searchable(
    connection: Connection, viewer: Viewer, policy: Policy, known: FirstLines | None = None
) -> Mapping[int, int]:
    """Place → first line the viewer may see there: what a search may count (R1.17).

    In a group they joined, somebody sees nothing older than their first words, from elsewhere; a place
    where nothing was said since is left out.

    Args:
        connection: a read or a write.
        viewer: for whom.
        policy: what the operator allows.
        known: what former calls on this database found; finding it reads all lines since.
    """
    firsts = {} if known is None else known
    since: dict[int, int] = {}
    reached = places_of(connection, viewer.character_id, reachable(viewer, policy))
    for place_id, conversation_id in reached.items():
        joined = viewer.seen_in.get(conversation_id)
        if joined is None or conversation_id == viewer.conversation_id:
            since[place_id] = 0
            continue
        first = firsts.get((place_id, joined)) or _first_since(connection, viewer, conversation_id, joined)
        if first is not None:
            since[place_id] = firsts[place_id, joined] = first
    return since


def _first_since(
    connection: Connection, viewer: Viewer, conversation_id: str, joined: datetime
) -> int | None:
    where = {"character_id": viewer.character_id, "conversation_id": conversation_id, "at": joined}
    return connection.execute(_FIRST_SINCE, where).scalar()


def line_of(row: Row[Any]) -> Line:
    """The line a row of `lines` holds."""
    return Line(
        id=row.id,
        turn_id=row.turn_id,
        conversation_id=row.conversation_id,
        user_id=row.user_id,
        speaker=row.speaker,
        by_character=row.by_character,
        text=row.text,
        at=row.at,
    )
