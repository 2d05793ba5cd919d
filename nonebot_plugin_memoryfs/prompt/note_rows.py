"""The notes table: rows to `Note` and back. Every call is part of the caller's transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, insert, or_, select

from ..search.places import chunks
from ..storage.prompt_tables import note_history, notes
from ..storage.upserts import upsert
from .note import Note

MAX_HISTORY = 20
"""Former forms kept of each note."""

_FIELDS = tuple(field.name for field in fields(Note))
_SEARCHED = ("title", "content", "target_id", "character_name")
_SAVE = upsert(notes, ["id"], [*_FIELDS[1:], "ends_at"])
_REMEMBER = insert(note_history)
_newest = (
    select(note_history.c.id)
    .where(note_history.c.note_id == bindparam("of_note"))
    .order_by(note_history.c.id.desc())
    .limit(MAX_HISTORY)
)
_TRIM = delete(note_history).where(
    note_history.c.note_id == bindparam("of_note"), note_history.c.id.not_in(_newest)
)
_FORGET_BEFORE = delete(note_history).where(note_history.c.at < bindparam("before"))
_DELETE = delete(notes).where(notes.c.id.in_(bindparam("ids", expanding=True)))
_FORGET = delete(note_history).where(note_history.c.note_id.in_(bindparam("ids", expanding=True)))
_SELECT: Select[Any] = select(*(notes.c[name] for name in _FIELDS))
_ALL = _SELECT.order_by(notes.c.number)
_ONE = _SELECT.where(notes.c.id == bindparam("of_id"))
_LIVE = or_(notes.c.ends_at.is_(None), notes.c.ends_at > bindparam("now"))
_ALL_LIVE = _ALL.where(_LIVE)
_FOR_TARGETS = _SELECT.where(notes.c.target_id.in_(bindparam("targets", expanding=True)), _LIVE).order_by(
    notes.c.created_at.desc(), notes.c.number.desc()
)
_ENDED = select(notes.c.id).where(notes.c.ends_at <= bindparam("now"))
_OF_SOURCES = select(notes.c.id).where(notes.c.source_event_id.in_(bindparam("sources", expanding=True)))


def all_notes(connection: Connection) -> Iterator[Note]:
    """Every note, in the order they were made."""
    return map(_note, connection.execute(_ALL))


def live_notes(connection: Connection, now: datetime) -> Iterator[Note]:
    """Those that have not ended, in the order they were made."""
    return map(_note, connection.execute(_ALL_LIVE, {"now": now}))


def newest(
    connection: Connection,
    now: datetime,
    fields: Mapping[str, str | None],
    find: str,
    limit: int,
    offset: int,
) -> tuple[list[Note], int]:
    """A part of the notes that have not ended, the newest first, and how many there are.

    Args:
        connection: the transaction.
        now: the time.
        fields: what must stand in these columns; `None` is anything.
        find: what must be part of a text of the note.
        limit: at most so many.
        offset: how many to pass over.
    """
    wanted = [notes.c[name] == value for name, value in fields.items() if value is not None]
    if find:
        wanted.append(or_(*(notes.c[name].icontains(find, autoescape=True) for name in _SEARCHED)))
    found = _SELECT.where(_LIVE, *wanted).order_by(notes.c.number.desc()).limit(limit).offset(offset)
    total = select(func.count()).select_from(notes).where(_LIVE, *wanted)
    now_is = {"now": now}
    return list(map(_note, connection.execute(found, now_is))), connection.scalar(total, now_is) or 0


def notes_for(connection: Connection, targets: Sequence[str], now: datetime) -> Iterator[Note]:
    """The notes of these targets that have not ended, newest first."""
    return map(_note, connection.execute(_FOR_TARGETS, {"targets": targets, "now": now}))


def note_by_id(connection: Connection, id: str) -> Note | None:
    """The note of this id, ended or not."""
    row = connection.execute(_ONE, {"of_id": id}).one_or_none()
    return _note(row) if row else None


def ended(connection: Connection, now: datetime) -> list[str]:
    """The ids of notes that have ended."""
    return list(connection.scalars(_ENDED, {"now": now}))


def of_sources(connection: Connection, sources: Iterable[str]) -> list[str]:
    """The ids of notes that come from these turns or messages."""
    return [id for chunk in chunks(sources) for id in connection.scalars(_OF_SOURCES, {"sources": chunk})]


def save_note(connection: Connection, former: Note | None, note: Note, now: datetime) -> None:
    """Write a note; what it replaces goes into the history."""
    if former is not None:
        _remember(connection, former, now)
    row = {name: getattr(note, name) for name in (*_FIELDS, "ends_at")}
    connection.execute(_SAVE.on(connection), row)


def take_out(connection: Connection, former: Note, now: datetime) -> None:
    """Delete a note, keeping it in the history."""
    _remember(connection, former, now)
    connection.execute(_DELETE, {"ids": [former.id]})


def erase(connection: Connection, ids: Iterable[str]) -> None:
    """Delete notes and all that was ever kept of them."""
    for chunk in chunks(ids):
        connection.execute(_DELETE, {"ids": chunk})
        connection.execute(_FORGET, {"ids": chunk})


def forget(connection: Connection, ids: Iterable[str]) -> None:
    """Drop the former forms of these notes."""
    for chunk in chunks(ids):
        connection.execute(_FORGET, {"ids": chunk})


def former_forms(connection: Connection) -> Iterator[Note]:
    """What the history holds, oldest first."""
    for body in connection.scalars(select(note_history.c.body).order_by(note_history.c.id)):
        fields: dict[str, Any] = {**body, "created_at": datetime.fromisoformat(body["created_at"])}
        yield Note(**fields)


def forget_before(connection: Connection, before: datetime) -> None:
    """Drop from the history what was replaced before then."""
    connection.execute(_FORGET_BEFORE, {"before": before})


def _remember(connection: Connection, former: Note, now: datetime) -> None:
    body = {**asdict(former), "created_at": former.created_at.astimezone(UTC).isoformat()}
    connection.execute(_REMEMBER, {"note_id": former.id, "body": body, "at": now})
    connection.execute(_TRIM, {"of_note": former.id})


def _note(row: Row[Any]) -> Note:
    return Note(**dict(zip(_FIELDS, row, strict=True)))
