"""What was last written to a JSON file, record by record: the base a person's edit is compared with.

A write announces its digests before the file is swapped and settles them after: whenever the process
dies, both the old and the new file are known as ours (R6.2, R6.13).
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select, update

from .tables import face_records, faces
from .upserts import Insert, upsert

ABSENT = ""
"""The digest of a record that is not in the file."""

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def hasher() -> Any:
    """A hash to feed a file into, piece by piece."""
    return hashlib.blake2b(digest_size=16)


def digest(data: bytes) -> str:
    """The digest of a whole file."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_record(record: Any) -> str:
    """The digest of a JSON value, whatever the order of its keys."""
    return digest(_canonical(record).encode("utf-8", "surrogatepass"))


class KnownRecord(NamedTuple):
    """What stands, or is about to stand, in the file for one key."""

    digest: str | None
    pending: str | None

    @property
    def settled(self) -> str | None:
        """The digest that stands in the file; `None` while another one may."""
        return self.digest if self.pending is None else None

    def covers(self, value: str) -> bool:
        """Whether a record with this digest is ours and not a person's edit."""
        return value in (self.digest, self.pending)


class Written:
    """The digests of one file, in the database."""

    def __init__(self, name: str) -> None:
        self._name = name

    def is_file(self, connection: Connection, whole: str) -> bool:
        """Whether a file with this digest is ours."""
        row = connection.execute(_FILE, {"of_face": self._name}).one_or_none()
        return row is not None and whole in (row.digest, row.pending)

    def records(self, connection: Connection) -> Iterator[tuple[str, KnownRecord]]:
        """What is known of each record, by key."""
        for key, stands, pending in connection.execute(_RECORDS, {"of_face": self._name}):
            yield key, KnownRecord(stands, pending)

    def announce(self, connection: Connection, changes: Mapping[str, str], whole: str) -> None:
        """Before the swap: what is about to stand in the file.

        Args:
            connection: a write transaction.
            changes: the new digest of each record that changes (see `changes`).
            whole: the digest of the new file.
        """
        _each(connection, _ANNOUNCE_FILE, [{"name": self._name, "digest": None, "pending": whole}])
        rows = [
            {"face": self._name, "key": key, "digest": ABSENT, "pending": value}
            for key, value in changes.items()
        ]
        _each(connection, _ANNOUNCE_RECORD, rows)

    def settle(self, connection: Connection, whole: str) -> None:
        """After the swap: what was announced stands in the file."""
        connection.execute(_SETTLE, {"of_face": self._name})
        self._finish(connection, whole)

    def adopt(
        self,
        connection: Connection,
        known: Mapping[str, KnownRecord],
        digests: Mapping[str, str],
        whole: str,
    ) -> None:
        """After an edit: what the person saved is what stands in the file."""
        rows = [
            {"face": self._name, "key": key, "digest": value, "pending": None}
            for key, value in changes({k: record.settled for k, record in known.items()}, digests).items()
        ]
        _each(connection, _ADOPT_RECORD, rows)
        self._finish(connection, whole)

    def _finish(self, connection: Connection, whole: str) -> None:
        connection.execute(_FORGET_ABSENT, {"of_face": self._name})
        _each(connection, _ADOPT_FILE, [{"name": self._name, "digest": whole, "pending": None}])


def changes(settled: Mapping[str, str | None], digests: Mapping[str, str]) -> dict[str, str]:
    """What differs between what is known to stand in a file and what is to stand there, by key."""
    changed = {key: value for key, value in digests.items() if settled.get(key) != value}
    return changed | {key: ABSENT for key in settled if key not in digests}


_FILE = select(faces.c.digest, faces.c.pending).where(faces.c.name == bindparam("of_face"))
_RECORDS = select(face_records.c.key, face_records.c.digest, face_records.c.pending).where(
    face_records.c.face == bindparam("of_face")
)
_SETTLE = (
    update(face_records)
    .where(face_records.c.face == bindparam("of_face"), face_records.c.pending.is_not(None))
    .values(digest=face_records.c.pending, pending=None)
)
_FORGET_ABSENT = delete(face_records).where(
    face_records.c.face == bindparam("of_face"),
    face_records.c.digest == ABSENT,
    face_records.c.pending.is_(None),
)


_ADOPT_FILE = upsert(faces, ["name"], ["digest", "pending"])
_ANNOUNCE_FILE = upsert(faces, ["name"], ["pending"])
_ADOPT_RECORD = upsert(face_records, ["face", "key"], ["digest", "pending"])
_ANNOUNCE_RECORD = upsert(face_records, ["face", "key"], ["pending"])


def _each(connection: Connection, statement: Insert, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(statement.on(connection), rows)
