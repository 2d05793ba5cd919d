"""The readable, editable JSON files beside the database (R6.2).

Invariants:
- a file is replaced whole (temp, fsync, rename), so a reader never sees half of one;
- a file that is neither the last one written nor the one being written is a person's edit: it is merged
  record by record against what was last written, and the person's version wins;
- what can't be read or taken is set aside under a new name, never overwritten;
- `push` and `flush` are not called inside a transaction (they hold the file and then need the database).
"""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from sqlalchemy import Connection

from ..errors import InvalidInput
from ..text.cleaning import clean_json
from .database import Database
from .directory import make_private
from .written import ABSENT, Written, digest, digest_record, hasher

_CHUNK_RECORDS = 50
_SHARE = 0.05
"""The part of the time the follower may take (R6.2)."""
_READ_TRIES = 3
_READ_PAUSE_SECONDS = 0.05
"""An editor that does not save atomically is given this long to finish."""


class FaceSource(Protocol):
    """The tables behind one JSON file, as keyed records."""

    def records(self, connection: Connection) -> Iterator[tuple[str, Any]]:
        """Every (key, JSON value), in the order of the file."""
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

    def pack(self, records: Iterator[tuple[str, Any]]) -> Iterator[str]:
        """The text of the file for these records, piece by piece, about one a record."""
        ...


class MappingLayout:
    """The plain form of a file: one object, key → record, indented."""

    def unpack(self, data: Any) -> dict[str, Any]:
        """The records of a parsed file. Raises `InvalidInput` unless it is an object."""
        if not isinstance(data, dict):
            raise InvalidInput(f"文件应是一个 JSON 对象，实际是 {type(data).__name__}")
        return {str(key): record for key, record in data.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    def pack(self, records: Iterator[tuple[str, Any]]) -> Iterator[str]:
        """The text of the file, one record at a time."""
        before = "{\n  "
        for key, record in records:
            body = dump(record).replace("\n", "\n  ")
            yield f"{before}{json.dumps(key, ensure_ascii=False)}: {body}"
            before = ",\n  "
        yield "{}\n" if before.startswith("{") else "\n}\n"


def dump(record: Any) -> str:
    """A JSON value as people read it: indented, not ASCII-escaped."""
    return json.dumps(record, ensure_ascii=False, indent=2)


class JsonFace:
    """One JSON file over its tables. Thread-safe; made by `Store.face`."""

    def __init__(
        self,
        path: Path | None,
        database: Database,
        source: FaceSource,
        clock: Callable[[], datetime],
        report: Callable[[str], None],
    ) -> None:
        self.when_marked: Callable[[], None] = lambda: None
        self._path = path
        self._database = database
        self._source = source
        self._clock = clock
        self._report = report
        self._written = Written(self.name)
        self._busy = threading.RLock()
        self._changed = threading.Event()
        self._hurry = threading.Event()
        self._stat: tuple[int, int, int] | None = None

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name if self._path else ""

    def mark(self) -> None:
        """The tables changed: the follower writes the file within 5 s of the commit."""
        if self._path is not None:
            self._database.after_commit(self._mark)

    def _mark(self) -> None:
        self._changed.set()
        self.when_marked()

    def pull(self) -> None:
        """Take a person's edit in. Costs one `stat` when there is none; never waits for a write under way.

        Inside a transaction it waits for the next call: what is rolled back must not count as taken in.
        """
        if self._path is None or self._database.inside or _stat(self._path) == self._stat:
            return
        if self._busy.acquire(blocking=False):
            try:
                self._take_edit()
            finally:
                self._busy.release()

    def push(self) -> None:
        """Write the file now, after taking in an edit."""
        self._write(paced=False)

    def follow(self) -> None:
        """Write the file if it was marked, with pauses."""
        if self._changed.is_set():
            self._write(paced=True)

    def flush(self) -> None:
        """Write the file now if it was marked."""
        if self._changed.is_set():
            self.hurry()
            self._write(paced=False)
            self._hurry.clear()

    def hurry(self) -> None:
        """Let a write under way drop its pauses."""
        self._hurry.set()

    # ---- reading

    def _take_edit(self) -> None:
        """Merge what a person saved; after some tries, set aside what can't be read."""
        path = self._path
        assert path is not None
        problem = ""
        for _ in range(_READ_TRIES):
            stat = _stat(path)
            try:
                raw = path.read_bytes()
                records = None if self._is_ours(raw) else self._source.unpack(_parse(raw))
            except FileNotFoundError:
                self._stat = None
                self.mark()
                return
            except (OSError, ValueError, RecursionError) as error:
                problem = str(error)
                time.sleep(_READ_PAUSE_SECONDS)
                continue
            if records is not None:
                self._merge(records, raw)
            self._stat = stat
            return
        aside = self._aside()
        path.replace(aside)
        self._report(f"{path.name} 无法读取（{problem}），已另存为 {aside.name}，并按数据库重新写出")
        self._stat = None
        self.mark()

    def _is_ours(self, raw: bytes) -> bool:
        with self._database.read() as connection:
            return self._written.is_file(connection, digest(raw))

    def _merge(self, records: dict[str, Any], raw: bytes) -> None:
        refused: list[str] = []
        digests = {key: digest_record(record) for key, record in records.items()}
        with self._database.write() as connection:
            known = self._written.records(connection)
            for key, record in records.items():
                if key in known and known[key].covers(digests[key]):
                    continue
                try:
                    with connection.begin_nested():
                        self._source.put(connection, key, record)
                except InvalidInput as error:
                    refused.append(str(error))
            for key, was in known.items():
                if key not in records and not was.covers(ABSENT):
                    self._source.remove(connection, key)
            self._written.adopt(connection, known, digests, digest(raw))
        self.mark()
        if refused:
            aside = self._aside()
            aside.write_bytes(raw)
            make_private(aside)
            self._report(
                f"{self.name} 有 {len(refused)} 处无法采用：{'；'.join(refused[:5])}。"
                f"原文件另存为 {aside.name}，其余改动已采用"
            )

    def _aside(self) -> Path:
        """A name not yet taken for a file that is set aside."""
        assert self._path is not None
        stamp = f"{self._clock():%Y%m%d-%H%M%S}"
        names = (
            f"{self.name}.unreadable-{stamp}{suffix}"
            for suffix in chain([""], (f"-{number}" for number in count(2)))
        )
        return next(path for name in names if not (path := self._path.with_name(name)).exists())

    # ---- writing

    def _write(self, *, paced: bool) -> None:
        if self._path is None:
            return
        with self._busy:
            self._changed.clear()
            try:
                if _stat(self._path) != self._stat:
                    self._take_edit()
                    self._changed.clear()
                while not self._replace(paced):
                    self._take_edit()
                    self._changed.clear()
            except BaseException:
                self._changed.set()
                raise

    def _replace(self, paced: bool) -> bool:
        """Write and swap the file; `False` when a person saved it in the meantime."""
        path = self._path
        assert path is not None
        temporary = path.with_name(f".{path.name}.tmp")
        digests: dict[str, str] = {}
        whole = hasher()
        with self._database.read() as connection, _create(temporary) as file:
            rows = self._watch(self._source.records(connection), digests)
            for piece in self._pace(self._source.pack(rows), paced):
                data = piece.encode("utf-8", "backslashreplace")
                whole.update(data)
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with self._database.write() as connection:
            self._written.announce(connection, digests, whole.hexdigest())
        if path.exists() and _stat(path) != self._stat:
            temporary.unlink()
            return False
        os.replace(temporary, path)
        _sync_directory(path.parent)
        self._stat = _stat(path)
        with self._database.write() as connection:
            self._written.settle(connection, whole.hexdigest())
        return True

    @staticmethod
    def _watch(records: Iterator[tuple[str, Any]], digests: dict[str, str]) -> Iterator[tuple[str, Any]]:
        for key, record in records:
            digests[key] = digest_record(record)
            yield key, record

    def _pace(self, pieces: Iterator[str], paced: bool) -> Iterator[str]:
        started = time.perf_counter()
        for number, piece in enumerate(pieces, 1):
            yield piece
            if paced and number % _CHUNK_RECORDS == 0:
                spent = time.perf_counter() - started
                self._hurry.wait(spent * (1 / _SHARE - 1))
                started = time.perf_counter()


def _parse(raw: bytes) -> Any:
    """JSON of a file as people save it (UTF-8, with or without a mark). Raises `ValueError`."""
    return clean_json(json.loads(raw.decode("utf-8-sig")))


def _create(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb")


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _sync_directory(directory: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
