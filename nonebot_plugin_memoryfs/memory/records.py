"""The files table: rows to `MemoryFile` and back, and what every write does besides (R1.10, R1.11).

Every call is part of the caller's transaction and reads or writes single rows by path.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, tzinfo
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    Text,
    bindparam,
    cast,
    delete,
    func,
    select,
    type_coerce,
)

from ..storage.learning_tables import copies
from ..storage.tables import files
from ..storage.upserts import upsert
from .entries import Entry, format_entries, parse_entries
from .files import MemoryFile, stored_file
from .history import History
from .paths import MemoryPath
from .truncation import truncate

_READ = select(files).where(files.c.path == bindparam("of_path"))
_OF_CHARACTER = (
    select(files)
    .where(files.c.character_id == bindparam("of_character"))
    .order_by(files.c.importance.desc(), files.c.updated_at.desc(), files.c.path)
)
_PATHS = (
    select(files.c.path)
    .where(files.c.path >= bindparam("first"), files.c.path < bindparam("behind"))
    .order_by(files.c.path)
)
_ALL = select(files).order_by(files.c.path)
_LISTS = ("tags", "memory_ids")
_TIMES = ("created_at", "updated_at")


def _as_stored(column: Column[Any]) -> ColumnElement[Any]:
    """A column as the text it is kept as: cheap to read, and to compare."""
    if column.name in _LISTS:
        return cast(column, Text)
    return type_coerce(column, Text) if column.name in _TIMES else column


_STORED = select(*map(_as_stored, files.c)).order_by(files.c.path)
_DELETE = delete(files).where(files.c.path == bindparam("of_path"))
_DROP_COPIES = delete(copies).where(copies.c.path == bindparam("of_path"))
_LOCK = select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("of_path"), 0)))


@cache  # a statement whose parameters need no expansion costs half as much
def _contents_of(count: int) -> Any:
    """Path and content of this many files, of those there are."""
    paths: list[BindParameter[str]] = [bindparam(f"path_{number}") for number in range(count)]
    return select(files.c.path, files.c.content).where(files.c.path.in_(paths))


_SAVE = upsert(files, ["path"], [column.name for column in files.c if not column.primary_key])


class Records:
    """The files table together with its history, for one time zone."""

    def __init__(self, timezone: tzinfo, history: History) -> None:
        self.timezone = timezone
        self.history = history

    def read(self, connection: Connection, path: str) -> MemoryFile | None:
        """The file at a path."""
        row = connection.execute(_READ, {"of_path": path}).one_or_none()
        return None if row is None else self._file(row)

    def read_to_change(self, connection: Connection, path: str) -> MemoryFile | None:
        """The file at a path, which nobody else writes until this transaction ends."""
        if connection.dialect.name == "postgresql":  # SQLite has one writer at a time anyway
            connection.execute(_LOCK, {"of_path": path})
        return self.read(connection, path)

    def contents(self, connection: Connection, paths: Sequence[str]) -> dict[str, str]:
        """The content of those of these files that there are, by path."""
        named = {f"path_{number}": path for number, path in enumerate(paths)}
        rows = connection.execute(_contents_of(len(paths)), named)
        return {row.path: row.content for row in rows}

    def of_character(self, connection: Connection, character_id: str) -> list[MemoryFile]:
        """A character's files by importance, then newest, then path (R1.1)."""
        return [self._file(row) for row in connection.execute(_OF_CHARACTER, {"of_character": character_id})]

    def paths(self, connection: Connection, under: str) -> list[str]:
        """The paths that begin so, in order."""
        where = {"first": under, "behind": f"{under}\U0010ffff"}
        return list(connection.scalars(_PATHS, where))

    def all(self, connection: Connection) -> Iterator[MemoryFile]:
        """Every file by path, read piece by piece."""
        for row in connection.execute(_ALL, execution_options={"yield_per": 500}):
            yield self._file(row)

    def stored(self, connection: Connection) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Every path, in order, with its row as stored (see `record_of`), read piece by piece."""
        for row in connection.execute(_STORED, execution_options={"yield_per": 200}):
            yield row[0], tuple(row)

    def record_of(self, stored: tuple[Any, ...]) -> dict[str, Any]:
        """The JSON of the file in a row that `stored` gave, at a third of the cost of a `MemoryFile`."""
        fields = dict(zip(files.c.keys(), stored, strict=True))
        for name in _LISTS:
            fields[name] = json.loads(fields[name])
        for name in _TIMES:
            fields[name] = self._local(datetime.fromisoformat(fields[name]))
        return fields

    def parse(self, content: str) -> tuple[Entry, ...]:
        """The entries of a content."""
        return parse_entries(content, self.timezone)

    def fit(self, place: MemoryPath, entries: Iterable[Entry]) -> tuple[str, tuple[Entry, ...]]:
        """The content a file has room for, and the entries it has none for (R1.10)."""
        truncated = truncate(tuple(entries), place.kind.max_entries)
        return format_entries(truncated.kept, self.timezone), truncated.dropped

    def save(
        self,
        connection: Connection,
        place: MemoryPath,
        former: MemoryFile | None,
        file: MemoryFile,
        dropped: Sequence[Entry],
        now: datetime,
    ) -> None:
        """Put a file in the place of its former version, which is kept, and so is what was dropped."""
        if former is not None:
            self.history.keep_version(connection, former, now)
        self.history.keep_entries(connection, place, file.version, dropped, now)
        self.overwrite(connection, file)

    def overwrite(self, connection: Connection, file: MemoryFile) -> None:
        """Put a file in the place of its former version, which is not kept."""
        connection.execute(_SAVE.on(connection), _row(file))

    def delete(self, connection: Connection, former: MemoryFile, now: datetime) -> None:
        """Delete a file; its last version is kept."""
        self.history.keep_version(connection, former, now)
        connection.execute(_DELETE, {"of_path": former.path})

    def erase(self, connection: Connection, place: MemoryPath) -> None:
        """Delete a file and all that is kept of it."""
        self.history.erase(connection, place)
        connection.execute(_DELETE, {"of_path": place.text})
        connection.execute(_DROP_COPIES, {"of_path": place.text})

    def _file(self, row: Any) -> MemoryFile:
        return stored_file({**row._mapping, **{name: self._local(getattr(row, name)) for name in _TIMES}})

    def _local(self, time: datetime) -> str:
        return time.astimezone(self.timezone).isoformat()


def _row(file: MemoryFile) -> dict[str, Any]:
    return {
        **asdict(file),
        "tags": list(file.tags),
        "memory_ids": list(file.memory_ids),
        "created_at": datetime.fromisoformat(file.created_at),
        "updated_at": datetime.fromisoformat(file.updated_at),
    }
