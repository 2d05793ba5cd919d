"""`memory_fs.json`: the files as people read and edit them; the upstream's file is taken as it is (R1.20)."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from ..storage.face_source import MappingLayout
from .files import MemoryFile, file_from_record
from .paths import parse_memory_path
from .records import Records

FILE_NAME = "memory_fs.json"


class FilesSource(MappingLayout):
    """The files table as the keyed records of a JSON file: path → record."""

    def __init__(self, records: Records, clock: Callable[[], datetime]) -> None:
        self._records = records
        self._clock = clock

    def rows(self, connection: Connection) -> Iterator[tuple[str, Hashable]]:
        """Every file as it is stored, by path."""
        return self._records.stored(connection)

    def record(self, row: Any) -> Any:
        """A file as it stands in the JSON file."""
        return self._records.record_of(row)

    def put(self, connection: Connection, key: str, record: Any) -> None:
        """Take a person's record in; what it replaces is kept as a version.

        Raises:
            InvalidInput: the path is malformed, or a field is of a wrong kind.
        """
        place = parse_memory_path(key)
        now = self._now()
        read = file_from_record(place, record, now, self._records.timezone)
        content, dropped = self._records.fit(place, self._records.parse(read.content))
        edited = replace(read, content=content)
        former = self._records.read_to_change(connection, key)
        if edited == former:
            return
        file = edited if former is None else _succeed(former, edited, now)
        self._records.save(connection, place, former, file, dropped, now)

    def remove(self, connection: Connection, key: str) -> None:
        """A person took this file out; its last version is kept."""
        former = self._records.read_to_change(connection, key)
        if former is not None:
            self._records.delete(connection, former, self._now())

    def _now(self) -> datetime:
        return self._clock().astimezone(self._records.timezone)


def _succeed(former: MemoryFile, edited: MemoryFile, now: datetime) -> MemoryFile:
    """An edit made on a file: a new version of it, written now unless the person set another time."""
    untouched = edited.updated_at == former.updated_at
    return replace(
        edited,
        version=max(edited.version, former.version + 1),
        updated_at=now.isoformat() if untouched else edited.updated_at,
    )
