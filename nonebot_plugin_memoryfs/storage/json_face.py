"""The readable, editable JSON files beside the database (R6.2).

Invariants:
- a file is replaced whole (temp, fsync, rename), so a reader never sees half of one;
- a file that is neither the last one written nor the one being written is a person's edit: it is merged
  record by record against what was last written, and the person's version wins;
- what can't be read or taken is set aside under a new name, never overwritten;
- `push` and `flush` are not called inside a transaction (they hold the file and then need the database).
"""

import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from ..errors import InvalidInput
from .database import Database
from .face_file import Stat, create, parse, replace, set_aside, stat_of
from .face_source import FaceSource, Serialiser
from .pace import Pace
from .written import ABSENT, Written, changes, digest, digest_record, hasher

_READ_TRIES = 3
_READ_PAUSE_SECONDS = 0.05
"""An editor that does not save atomically is given this long to finish."""


class JsonFace:
    """One JSON file over its tables. Thread-safe; made by `Store.face`."""

    def __init__(
        self,
        path: Path | None,
        database: Database,
        source: FaceSource,
        clock: Callable[[], datetime],
        report: Callable[[str], None],
        directory_id: str = "",
    ) -> None:
        self.when_marked: Callable[[], None] = lambda: None
        self._path = path
        self._database = database
        self._source = source
        self._serialiser = Serialiser(source)
        self._clock = clock
        self._report = report
        self._reported = ""
        self._written = Written(f"{self.name}@{directory_id}" if directory_id else self.name)
        self._busy = threading.RLock()
        self._changed = threading.Event()
        self._hurry = _Hurry()
        self._stat: Stat | None = None
        self._settled: dict[str, str] | None = None
        """The digests of the records in the file, where this process knows them without asking."""

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name if self._path else ""

    def mark(self) -> None:
        """The tables changed: the follower writes the file after the commit (R6.2)."""
        if self._path is not None:
            self._database.after_commit(self._mark)

    def _mark(self) -> None:
        self._changed.set()
        self.when_marked()

    def pull(self) -> None:
        """Take a person's edit in; one `stat` when there is none.

        An edit that came while the file was being written waits for that write, which makes no more pauses.
        A file that can't be parsed is read three times, with pauses of 50 ms, before it is set aside: an
        editor may be saving it. What the disk refuses is reported, and the tables count until it can be read.
        Inside a transaction it is left to the next call: what is rolled back must not count as taken in.
        """
        if self._path is None or self._database.inside:
            return
        try:
            if stat_of(self._path) != self._stat:
                with self._hurry.now(), self._busy:
                    if stat_of(self._path) != self._stat:
                        self._take_edit()
        except OSError as error:
            self._report_once(f"{self.name} 无法读取，先以数据库为准：{error.strerror}")

    def push(self) -> None:
        """Write the file now, after taking in an edit."""
        with self._hurry.now():
            self._write(paced=False)

    def follow(self) -> None:
        """Write the file if it was marked, with pauses."""
        if self._changed.is_set():
            self._write(paced=True)

    def flush(self) -> None:
        """Write the file now if it was marked."""
        if self._changed.is_set():
            self.push()

    def hurry(self) -> None:
        """Make no pauses from now on, not even in a write under way."""
        self._hurry.for_good()

    # ---- reading

    def _take_edit(self) -> None:
        """Merge what a person saved; after some tries, set aside what can't be read."""
        path = self._path
        assert path is not None
        problem = ""
        for _ in range(_READ_TRIES):
            stat = stat_of(path)
            try:
                raw = path.read_bytes()
                edit = None if self._is_ours(raw) else self._read(raw)
            except FileNotFoundError:
                self._stat = None
                self.mark()
                return
            except (OSError, ValueError, RecursionError) as error:
                problem = str(error)
                time.sleep(_READ_PAUSE_SECONDS)
                continue
            if edit is not None:
                self._merge(*edit, raw)
            self._stat = stat
            return
        aside = set_aside(path, self._clock())
        self._report(f"{path.name} 无法读取（{problem}），已另存为 {aside.name}，并按数据库重新写出")
        self._stat = None
        self.mark()

    def _is_ours(self, raw: bytes) -> bool:
        with self._database.read() as connection:
            return self._written.is_file(connection, digest(raw))

    def _read(self, raw: bytes) -> tuple[dict[str, Any], dict[str, str]]:
        """The records of a file, and their digests."""
        records = self._source.unpack(parse(raw))
        return records, {key: digest_record(record) for key, record in records.items()}

    def _merge(self, records: dict[str, Any], digests: dict[str, str], raw: bytes) -> None:
        self._settled = None
        with self._database.write() as connection:
            known = dict(self._written.records(connection))
            edited = [k for k in records if k not in known or not known[k].covers(digests[k])]
            answers = [self._put(connection, key, records[key]) for key in edited]
            for key, was in known.items():
                if key not in records and not was.covers(ABSENT):
                    self._source.remove(connection, key)
            self._written.adopt(connection, known, digests, digest(raw))
        self.mark()
        if refused := [answer for answer in answers if answer]:
            assert self._path is not None
            aside = set_aside(self._path, self._clock(), raw)
            self._report(
                f"{self.name} 有 {len(refused)} 处无法采用：{'；'.join(refused[:5])}。"
                f"原文件另存为 {aside.name}，其余改动已采用"
            )

    def _put(self, connection: Connection, key: str, record: Any) -> str:
        """Take one record in; why it can't be, or an empty text."""
        try:
            with connection.begin_nested():
                self._source.put(connection, key, record)
        except InvalidInput as error:
            return str(error)
        except (ValueError, OverflowError, RecursionError, DataError, IntegrityError) as error:
            return f"{key[:80]} 存不下：{error}"
        except StatementError as error:
            if isinstance(error, DBAPIError):  # the database's own trouble, not the record's
                raise
            return f"{key[:80]} 存不下：{error.orig}"
        return ""

    def _report_once(self, message: str) -> None:
        if message != self._reported:
            self._reported = message
            self._report(message)

    # ---- writing

    def _write(self, *, paced: bool) -> None:
        if self._path is None:
            return
        pace = Pace(self._hurry.wait if paced else _go_on)
        with self._busy:
            self._changed.clear()
            try:
                if stat_of(self._path) != self._stat:
                    self._take_edit()
                    self._changed.clear()
                while not self._replace(pace):
                    self._take_edit()
                    self._changed.clear()
            except BaseException:
                self._changed.set()
                raise
        self._reported = ""
        pace.rest()

    def _replace(self, pace: Pace) -> bool:
        """Write and swap the file; `False` when a person saved it in the meantime."""
        path = self._path
        assert path is not None
        temporary = path.with_name(f".{path.name}.tmp")
        digests: dict[str, str] = {}
        whole = hasher()
        with self._database.read() as connection, create(temporary) as file:
            settled = self._settled or self._ask_settled(connection, pace)
            for piece in pace.over(self._source.pack(self._texts(connection, digests))):
                data = piece.encode("utf-8", "backslashreplace")
                whole.update(data)
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self._serialiser.keep(digests)
        self._settled = None
        with self._database.write() as connection:
            self._written.announce(connection, changes(settled, digests), whole.hexdigest())
        if stat_of(path) not in (None, self._stat):
            temporary.unlink()
            return False
        replace(path, temporary)
        self._stat = stat_of(path)
        with self._database.write() as connection:
            self._written.settle(connection, whole.hexdigest())
        self._settled = digests
        return True

    def _ask_settled(self, connection: Connection, pace: Pace) -> dict[str, str | None]:
        return {key: known.settled for key, known in pace.over(self._written.records(connection))}

    def _texts(self, connection: Connection, digests: dict[str, str]) -> Iterator[tuple[str, str]]:
        """The JSON of every record, by key; fills in their digests."""
        for key, row in self._source.rows(connection):
            made = self._serialiser.of(key, row)
            digests[key] = made.digest
            yield key, made.text


class _Hurry:
    """Whether somebody waits for a file that is written with pauses."""

    def __init__(self) -> None:
        self._waiting = 0
        self._lock = threading.Lock()
        self._any = threading.Event()

    def wait(self, seconds: float) -> None:
        """A pause, which ends when somebody is in a hurry."""
        self._any.wait(seconds)

    def for_good(self) -> None:
        """Be in a hurry from now on."""
        self._count(1)

    @contextmanager
    def now(self) -> Generator[None]:
        """Be in a hurry for this block."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        with self._lock:
            self._waiting += more
            (self._any.set if self._waiting else self._any.clear)()


def _go_on(_: float) -> None:
    """No pause."""
