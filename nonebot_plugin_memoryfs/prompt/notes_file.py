"""`memories.json`: the notes as people read and edit them, the upstream's old form too (R3.4, R3.7)."""

import json
from collections.abc import Callable, Hashable, Iterator
from datetime import datetime, tzinfo
from typing import Any, cast

from sqlalchemy import Connection

from ..errors import InvalidInput
from .note import Note, note_of
from .note_rows import all_notes, note_by_id, save_note, take_out

FILE = "memories.json"


class NotesFile:
    """The notes table as the records of a JSON list, keyed by id."""

    def __init__(
        self,
        clock: Callable[[], datetime],
        timezone: tzinfo,
        new_id: Callable[[], str],
        keep_original: Callable[[int], None],
    ) -> None:
        """Describe the file.

        Args:
            clock: the time, timezone-aware.
            timezone: the zone times are written in.
            new_id: gives ids to records without one.
            keep_original: called before rows of the old form are converted, with how many there are.
        """
        self._clock = clock
        self._timezone = timezone
        self._new_id = new_id
        self._keep_original = keep_original

    def rows(self, connection: Connection) -> Iterator[tuple[str, Hashable]]:
        """Every note by its id."""
        return ((note.id, note) for note in all_notes(connection))

    def record(self, row: Note) -> Any:
        """A note as it stands in the file."""
        return row.to_record(self._timezone)

    def put(self, connection: Connection, key: str, record: Any) -> None:
        """Take a person's record in; what it replaces is kept.

        Raises:
            InvalidInput: it is none; names it and what is allowed.
        """
        if not isinstance(record, dict):
            raise InvalidInput(f"{key} 应是一个 JSON 对象，实际是 {type(record).__name__}")
        now = self._clock()
        former = note_by_id(connection, key)
        note = note_of(key, cast(dict[str, Any], record), former.created_at if former else now, former)
        if note != former:
            save_note(connection, former, note, now)

    def remove(self, connection: Connection, key: str) -> None:
        """A person took this note out; it is kept in the history."""
        if former := note_by_id(connection, key):
            take_out(connection, former, self._clock())

    def unpack(self, data: Any) -> dict[str, Any]:
        """The records of a parsed file by id; one without an id, or with that of another, gets a new one.

        Raises:
            InvalidInput: it is no list.
        """
        if not isinstance(data, list):
            raise InvalidInput(f"应是一个列表 [{{…}}, …]，实际是 {type(data).__name__}")
        found = cast(list[Any], data)
        if old := sum(map(_is_old, found)):
            self._keep_original(old)
        records: dict[str, Any] = {}
        for number, record in enumerate(found, 1):
            if isinstance(record, dict):
                key = _id_of(cast(dict[str, Any], record))
                key = key if key and key not in records else self._new_id()
                records[key] = _converted(cast(dict[str, Any], record))
            else:
                records[f"第 {number} 条"] = record
        return records

    def pack(self, texts: Iterator[tuple[str, str]]) -> Iterator[str]:
        """The text of the file, one record at a time."""
        before = "[\n"
        for _, text in texts:
            yield f"{before}  {text}"
            before = ",\n"
        yield "[]\n" if before.startswith("[") else "\n]\n"


def _id_of(record: dict[str, Any]) -> str:
    id = record.get("id")
    return str(id).strip() if isinstance(id, str | int) and not isinstance(id, bool) else ""


def _is_old(record: Any) -> bool:
    """Whether it is in the upstream's old form, key and value."""
    return isinstance(record, dict) and ("key" in record or "value" in record) and "content" not in record


def _converted(record: dict[str, Any]) -> dict[str, Any]:
    """The record in the form of today."""
    if not _is_old(record):
        return record
    title, content = (_as_text(record.get(name)) for name in ("key", "value"))
    return {**record, "title": record.get("title") or title, "content": content}


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
