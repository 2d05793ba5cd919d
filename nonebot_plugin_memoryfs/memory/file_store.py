"""The memory files of one store: transactions over the tables, with the JSON face kept in step (R6.2)."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import datetime, tzinfo
from pathlib import Path

from sqlalchemy import Connection

from ..storage import Store
from .entries import Entry
from .files import FileFields, MemoryFile, revise
from .history import History, HistoryLimits
from .paths import MemoryPath, parse_memory_path
from .records import Records
from .source import FILE_NAME, FilesSource

Found = tuple[Connection, MemoryPath, MemoryFile | None]
"""A write transaction, and the file it is about to change."""


class FileStore:
    """Reads and changes of memory files, each in one transaction."""

    def __init__(self, store: Store, timezone: tzinfo, limits: HistoryLimits) -> None:
        self._store = store
        self.records = Records(timezone, History(timezone, limits))
        self._face = store.face(FILE_NAME, FilesSource(self.records, store.clock))

    @property
    def directory(self) -> Path | None:
        """The data directory."""
        return self._store.directory

    def now(self) -> datetime:
        """The time, in the zone of the files."""
        return self._store.clock().astimezone(self.records.timezone)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """One consistent view, with what a person edited by hand taken in."""
        self._face.pull()
        with self._store.database.read() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """One write transaction, after which the JSON file follows."""
        self._face.pull()
        with self._store.database.write() as connection:
            yield connection
        self._face.mark()

    @contextmanager
    def changing(self, path: str) -> Generator[Found]:
        """A write transaction on one file. Raises `InvalidMemoryPath` for a malformed path."""
        place = parse_memory_path(path)
        with self.writing() as connection:
            yield connection, place, self.records.read_to_change(connection, path)

    def entries_of(self, file: MemoryFile | None) -> tuple[Entry, ...]:
        """The entries of a file; none of a missing one."""
        return self.records.parse(file.content) if file else ()

    def save(
        self, found: Found, entries: Iterable[Entry], fields: FileFields, *, append: bool = False
    ) -> MemoryFile:
        """Give a file these entries and fields (see `revise`), keeping what they replace."""
        connection, place, former = found
        now = self.now()
        content, dropped = self.records.fit(place, entries)
        file = revise(former, place, content, fields, now, append=append)
        self.records.save(connection, place, former, file, dropped, now)
        return file
