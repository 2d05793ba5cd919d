"""The files table: rows to `MemoryFile` and back, and what every write does besides (R1.10, R1.11).

Every call is part of the caller's transaction and reads or writes single rows by path.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, tzinfo
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from ..storage.tables import files
from .entries import Entry, format_entries, parse_entries
from .files import MemoryFile, stored_file
from .history import History
from .paths import MemoryPath
from .truncation import truncate

_READ = select(files).where(files.c.path == bindparam("of_path"))
_CONTENTS = select(files.c.path, files.c.content).where(files.c.path.in_(bindparam("paths", expanding=True)))
_OF_CHARACTER = (
    select(files)
    .where(files.c.character_id == bindparam("of_character"))
    .order_by(files.c.importance.desc(), files.c.updated_at.desc(), files.c.path)
)
_ALL = select(files).order_by(files.c.path)
_DELETE = delete(files).where(files.c.path == bindparam("of_path"))
_LOCK = select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("of_path"), 0)))


def _upsert(insert: sqlite.Insert | postgresql.Insert) -> sqlite.Insert | postgresql.Insert:
    columns = {column.name: insert.excluded[column.name] for column in files.c if not column.primary_key}
    return insert.on_conflict_do_update(index_elements=[files.c.path], set_=columns)


_SAVE = {"sqlite": _upsert(sqlite.insert(files)), "postgresql": _upsert(postgresql.insert(files))}


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
        return {row.path: row.content for row in connection.execute(_CONTENTS, {"paths": list(paths)})}

    def of_character(self, connection: Connection, character_id: str) -> list[MemoryFile]:
        """A character's files by importance, then newest, then path (R1.1)."""
        return [self._file(row) for row in connection.execute(_OF_CHARACTER, {"of_character": character_id})]

    def all(self, connection: Connection) -> Iterator[MemoryFile]:
        """Every file by path, read piece by piece."""
        for row in connection.execute(_ALL, execution_options={"yield_per": 500}):
            yield self._file(row)

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
        connection.execute(_SAVE[connection.dialect.name], _row(file))

    def delete(self, connection: Connection, former: MemoryFile, now: datetime) -> None:
        """Delete a file; its last version is kept."""
        self.history.keep_version(connection, former, now)
        connection.execute(_DELETE, {"of_path": former.path})

    def erase(self, connection: Connection, place: MemoryPath) -> None:
        """Delete a file and all that is kept of it."""
        self.history.erase(connection, place)
        connection.execute(_DELETE, {"of_path": place.text})

    def _file(self, row: Any) -> MemoryFile:
        times = {name: getattr(row, name) for name in ("created_at", "updated_at")}
        local = {name: time.astimezone(self.timezone).isoformat() for name, time in times.items()}
        return stored_file({**row._mapping, **local})


def _row(file: MemoryFile) -> dict[str, Any]:
    return {
        **asdict(file),
        "tags": list(file.tags),
        "memory_ids": list(file.memory_ids),
        "created_at": datetime.fromisoformat(file.created_at),
        "updated_at": datetime.fromisoformat(file.updated_at),
    }
