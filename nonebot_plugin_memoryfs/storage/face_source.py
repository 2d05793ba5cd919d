"""What a room says about the tables behind a JSON file, and how records stand in it (R6.2)."""

import json
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple, Protocol, cast

from sqlalchemy import Connection

from ..errors import InvalidInput
from .written import digest_record

_INDENT = "  "
_REMEMBERED_CHARACTERS = 16_000_000
"""How much text of records is remembered in all; of a larger file, the rest is made anew every time."""
_encode = json.JSONEncoder(ensure_ascii=False).encode


class FaceSource(Protocol):
    """The tables behind one JSON file, as keyed records."""

    def rows(self, connection: Connection) -> Iterator[tuple[str, Hashable]]:
        """Every key with its row as stored, in the order of the file; equal rows are equal records."""
        ...

    def record(self, row: Any) -> Any:
        """The JSON value of a row."""
        ...

    def put(self, connection: Connection, key: str, record: Any) -> None:
        """Take a person's version of a record in, keeping what it replaces.

        Raises:
            InvalidInput: it can't be taken; names the key and what is allowed.
        """
        ...

    def remove(self, connection: Connection, key: str) -> None:
        """A person took this record out of the file."""
        ...

    def unpack(self, data: Any) -> dict[str, Any]:
        """The records of a parsed file. Raises `InvalidInput` where its form is wrong."""
        ...

    def pack(self, texts: Iterator[tuple[str, str]]) -> Iterator[str]:
        """The text of the file for (key, JSON of the record), piece by piece, about one a record."""
        ...


class MappingLayout:
    """The plain form of a file: one object, key → record, indented."""

    def unpack(self, data: Any) -> dict[str, Any]:
        """The records of a parsed file. Raises `InvalidInput` unless it is an object."""
        if not isinstance(data, dict):
            raise InvalidInput(f"文件应是一个 JSON 对象，实际是 {type(data).__name__}")
        return {str(key): record for key, record in cast(dict[Any, Any], data).items()}

    def pack(self, texts: Iterator[tuple[str, str]]) -> Iterator[str]:
        """The text of the file, one record at a time."""
        before = "{\n"
        for key, text in texts:
            yield f"{before}{_INDENT}{_encode(key)}: {text}"
            before = ",\n"
        yield "{}\n" if before.startswith("{") else "\n}\n"


def dump(value: Any, indent: str = "") -> str:
    """A JSON value as people read it: indented, not ASCII-escaped.

    The standard library does the same ten times slower once it is to indent.
    """
    inner = indent + _INDENT
    if isinstance(value, dict) and value:
        members = cast(dict[str, Any], value).items()
        lines = [f"{inner}{_encode(key)}: {dump(item, inner)}" for key, item in members]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        lines = [f"{inner}{dump(item, inner)}" for item in cast(list[Any], value)]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _encode(value)


class Serialised(NamedTuple):
    """A record as it stands in a file."""

    row: int
    """The hash of the row it was made from."""
    text: str
    digest: str


class Serialiser:
    """Makes the text of records, and remembers it while their rows stay the same."""

    def __init__(self, source: FaceSource) -> None:
        self._source = source
        self._known: dict[str, Serialised] = {}
        self._characters = 0

    def of(self, key: str, row: Hashable) -> Serialised:
        """The text and digest of one record."""
        known = self._known.get(key)
        if known is not None and known.row == hash(row):
            return known
        record = self._source.record(row)
        made = Serialised(hash(row), dump(record, _INDENT), digest_record(record))
        self._forget(key)
        if self._characters + len(made.text) <= _REMEMBERED_CHARACTERS:
            self._known[key] = made
            self._characters += len(made.text)
        return made

    def keep(self, keys: dict[str, str]) -> None:
        """Forget all records but these."""
        for key in self._known.keys() - keys.keys():
            self._forget(key)

    def _forget(self, key: str) -> None:
        if (known := self._known.pop(key, None)) is not None:
            self._characters -= len(known.text)
