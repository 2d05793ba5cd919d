"""What was last written to a JSON file, record by record: the base a person's edit is compared with.

A write announces its digests before the file is swapped and settles them after: whenever the process
dies, both the old and the new file are known as ours (R6.2, R6.13).
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from .tables import face_records, faces

ABSENT = ""
"""The digest of a record that is not in the file."""


def hasher() -> Any:
    """A hash to feed a file into, piece by piece."""
    return hashlib.blake2b(digest_size=16)


def digest(data: bytes) -> str:
    """The digest of a whole file."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def digest_record(record: Any) -> str:
    """The digest of a JSON value, whatever the order of its keys."""
    return digest(json.dumps(record, sort_keys=True).encode())


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """What stands, or is about to stand, in the file for one key."""

    digest: str | None
    pending: str | None

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

    def records(self, connection: Connection) -> dict[str, KnownRecord]:
        """What is known of each record."""
        rows = connection.execute(_RECORDS, {"of_face": self._name})
        return {row.key: KnownRecord(row.digest, row.pending) for row in rows}

    def announce(self, connection: Connection, digests: dict[str, str], whole: str) -> None:
        """Before the swap: what is about to stand in the file."""
        _upsert(connection, _ANNOUNCE_FILE, [{"name": self._name, "digest": None, "pending": whole}])
        known = self.records(connection)
        changed = [k for k, d in digests.items() if known.get(k) != KnownRecord(d, None)]
        changed += [k for k in known if k not in digests]
        rows = [
            {"face": self._name, "key": k, "digest": ABSENT, "pending": digests.get(k, ABSENT)}
            for k in changed
        ]
        _upsert(connection, _ANNOUNCE_RECORD, rows)

    def settle(self, connection: Connection, whole: str) -> None:
        """After the swap: what was announced stands in the file."""
        connection.execute(_SETTLE, {"of_face": self._name})
        self._finish(connection, whole)

    def adopt(
        self,
        connection: Connection,
        known: dict[str, KnownRecord],
        digests: dict[str, str],
        whole: str,
    ) -> None:
        """After an edit: what the person saved is what stands in the file."""
        rows = [
            {"face": self._name, "key": key, "digest": digests.get(key, ABSENT), "pending": None}
            for key in known.keys() | digests.keys()
            if known.get(key) != KnownRecord(digests.get(key, ABSENT), None)
        ]
        _upsert(connection, _ADOPT_RECORD, rows)
        self._finish(connection, whole)

    def _finish(self, connection: Connection, whole: str) -> None:
        connection.execute(_FORGET_ABSENT, {"of_face": self._name})
        _upsert(connection, _ADOPT_FILE, [{"name": self._name, "digest": whole, "pending": None}])


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


def _upserts(table: Any, keys: list[str], columns: list[str]) -> dict[str, Any]:
    """One statement per database that overwrites these columns of a row that exists."""

    def build(insert: Any) -> Any:
        return insert.on_conflict_do_update(
            index_elements=keys, set_={name: insert.excluded[name] for name in columns}
        )

    return {"sqlite": build(sqlite.insert(table)), "postgresql": build(postgresql.insert(table))}


_ADOPT_FILE = _upserts(faces, ["name"], ["digest", "pending"])
_ANNOUNCE_FILE = _upserts(faces, ["name"], ["pending"])
_ADOPT_RECORD = _upserts(face_records, ["face", "key"], ["digest", "pending"])
_ANNOUNCE_RECORD = _upserts(face_records, ["face", "key"], ["pending"])


def _upsert(connection: Connection, statements: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(statements[connection.dialect.name], rows)
