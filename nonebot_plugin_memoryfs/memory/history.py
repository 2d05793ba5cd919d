"""What files used to hold: former versions, and the entries truncation dropped (R1.11).

Entries dropped from a timeline are kept per conversation, so that a busy chat never pushes a quiet
one out. Each list has its own limit, held at every addition.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, insert, select, union_all, update

from ..errors import InvalidMemoryPath
from ..storage.tables import file_history as history
from .categories import TIMELINE, TIMELINE_ARCHIVE
from .entries import Entry, format_entries, format_entry, parse_entries
from .files import MemoryFile, stored_file
from .paths import MemoryPath, build_path

_VERSION = "version"
_ENTRY = "entry"
_AT_ONCE = 50
"""Paths asked for in one statement."""
_MAX_ENTRY = 16_000
"""Most characters kept of one dropped entry."""


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """How much is kept of each file (of each conversation, for a timeline); 0 keeps nothing."""

    versions: int = 20
    """Former versions."""
    entries: int = 50
    """Dropped entries."""


_LIST = (
    select(history.c.body)
    .where(history.c.path == bindparam("of_path"), history.c.kind == bindparam("of_kind"))
    .order_by(history.c.id.desc())
)
_ADD = insert(history)
_older = history.alias()
_TRIM = delete(history).where(
    history.c.path == bindparam("of_path"),
    history.c.kind == bindparam("of_kind"),
    history.c.id
    <= select(_older.c.id)
    .where(_older.c.path == bindparam("of_path"), _older.c.kind == bindparam("of_kind"))
    .order_by(_older.c.id.desc())
    .limit(1)
    .offset(bindparam("keep"))
    .scalar_subquery(),
)
_ROWS = select(history.c.id, history.c.kind, history.c.body).where(history.c.path == bindparam("of_path"))
_REPLACE = update(history).where(history.c.id == bindparam("row")).values(body=bindparam("new_body"))
_DELETE = delete(history).where(history.c.id == bindparam("row"))


@cache
def _newest_each(count: int) -> Select[Any, Any]:
    """The newest entries kept under each of this many paths; an index seek for each."""
    parts = [
        select(history.c.id, history.c.body)
        .where(history.c.path == bindparam(f"path_{number}"), history.c.kind == _ENTRY)
        .order_by(history.c.id.desc())
        .limit(bindparam("newest"))
        .subquery()
        for number in range(count)
    ]
    every = union_all(*(select(part.c.id, part.c.body) for part in parts)).subquery()
    return select(every.c.id, every.c.body)


class History:
    """The history table, for files whose times are in one zone. Every call is part of a transaction."""

    def __init__(self, timezone: tzinfo, limits: HistoryLimits) -> None:
        self._timezone = timezone
        self._limits = limits

    def keep_version(self, connection: Connection, former: MemoryFile, now: datetime) -> None:
        """Keep a file as it was before a write or a deletion."""
        body = [former.to_record()]
        self._add(connection, former.path, _VERSION, former.version, body, now, self._limits.versions)

    def keep_entries(
        self, connection: Connection, place: MemoryPath, version: int, dropped: Iterable[Entry], now: datetime
    ) -> None:
        """Keep entries that truncation dropped from a file."""
        by_path: dict[str, list[str]] = {}
        for entry in dropped:
            text = format_entry(entry, self._timezone)[:_MAX_ENTRY]
            by_path.setdefault(_path_for(place, entry), []).append(text)
        for path, texts in by_path.items():
            self._add(connection, path, _ENTRY, version, texts, now, self._limits.entries)

    def versions(self, connection: Connection, path: str) -> list[MemoryFile]:
        """The former versions of a file, newest first."""
        rows = connection.execute(_LIST, {"of_path": path, "of_kind": _VERSION})
        return [stored_file(body) for body in rows.scalars()]

    def dropped(self, connection: Connection, place: MemoryPath) -> list[Entry]:
        """All entries kept of a file that no longer hold in it, oldest first."""
        rows = connection.execute(_rows_of(place), {"of_path": place.text})
        texts = [row.body for row in sorted(rows, key=lambda row: row.id) if row.kind == _ENTRY]
        return self._entries(texts)

    def newest_of_each(
        self, connection: Connection, timeline: MemoryPath, conversations: Iterable[str], newest: int
    ) -> list[Entry]:
        """The newest entries a timeline dropped of each of these conversations, oldest first."""
        paths = [archive_path(timeline, conversation) for conversation in conversations]
        found: list[tuple[int, str]] = []
        for start in range(0, len(paths), _AT_ONCE):
            some = paths[start : start + _AT_ONCE]
            where = {f"path_{number}": path for number, path in enumerate(some)}
            rows = connection.execute(_newest_each(len(some)), {**where, "newest": newest})
            found += [(row.id, row.body) for row in rows]
        return self._entries(body for _, body in sorted(found))

    def forget(self, connection: Connection, place: MemoryPath, gone: Callable[[Entry], bool]) -> int:
        """Take entries out of all that is kept of a file, with titles and summaries that may repeat them.

        Returns how many rows held one.
        """
        changed = 0
        for row in connection.execute(_rows_of(place), {"of_path": place.text}).all():
            content: str = row.body["content"] if row.kind == _VERSION else row.body
            entries = parse_entries(content, self._timezone)
            left = [entry for entry in entries if not gone(entry)]
            if len(left) == len(entries):
                continue
            changed += 1
            if row.kind == _VERSION:
                content = format_entries(left, self._timezone)
                body = {**row.body, "content": content, "summary": "", "title": place.kind.category.label}
                connection.execute(_REPLACE, {"row": row.id, "new_body": body})
            else:
                connection.execute(_DELETE, {"row": row.id})
        return changed

    def erase(self, connection: Connection, place: MemoryPath) -> None:
        """Let go of all that is kept of a file."""
        for row in connection.execute(_rows_of(place), {"of_path": place.text}).all():
            connection.execute(_DELETE, {"row": row.id})

    def _entries(self, texts: Iterable[str]) -> list[Entry]:
        return [entry for text in texts for entry in parse_entries(text, self._timezone)]

    def _add(
        self,
        connection: Connection,
        path: str,
        kind: str,
        version: int,
        bodies: Sequence[Any],
        now: datetime,
        keep: int,
    ) -> None:
        if not keep:
            return
        rows = [
            {"path": path, "kind": kind, "version": version, "body": body, "at": now}
            for body in bodies[-keep:]
        ]
        connection.execute(_ADD, rows)
        connection.execute(_TRIM, {"of_path": path, "of_kind": kind, "keep": keep})


def archive_path(timeline: MemoryPath, conversation_id: str) -> str:
    """Where the history keeps what a timeline dropped of a conversation."""
    try:
        return build_path(TIMELINE_ARCHIVE, timeline.character_id, rest=conversation_id)
    except InvalidMemoryPath:  # too long an id for a path of its own
        return timeline.text


def _path_for(place: MemoryPath, entry: Entry) -> str:
    if place.kind is TIMELINE and entry.conversation_id is not None:
        return archive_path(place, entry.conversation_id)
    return place.text


def _rows_of(place: MemoryPath) -> Any:
    """The rows kept of a file; of a timeline, those of every conversation."""
    if place.kind is not TIMELINE:
        return _ROWS
    archives = history.c.path.startswith(f"{place.text.removesuffix('.md')}/", autoescape=True)
    return select(history.c.id, history.c.kind, history.c.body).where(
        (history.c.path == bindparam("of_path")) | archives
    )
