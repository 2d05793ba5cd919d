"""The database: one engine, short transactions, writers one after another (R6.1).

Invariants:
- there is one writer at a time, over all processes: a write transaction begins IMMEDIATE (SQLite) or with
  an advisory lock (PostgreSQL), so nobody changes what it reads before it commits, writers never deadlock,
  and ids grow in the order of commits;
- nested `write()` calls of one thread join the outermost: a step of a turn is one transaction;
- what others should notice is announced by `after_commit`, never before;
- reads see one snapshot, taken by their first query, and never wait for writers;
- the WAL is copied back by `checkpoint()`, off the reply path, never by a commit.
"""

import sqlite3
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from ..errors import ConfigError

_BUSY_MS = 30_000
_IDLE_MS = 20_000
_CONNECT_SECONDS = 10
_CACHE_KB = 8_000
"""Pages a connection keeps at most: of a large database, what recalls read again and again."""
_NO_DRIVER = "PostgreSQL 需要另装驱动：pip install 'nonebot-plugin-memoryfs[postgres]'"
_BEGIN_WRITE = (
    f"SELECT set_config('lock_timeout', '{_BUSY_MS}', true),"
    f" set_config('idle_in_transaction_session_timeout', '{_IDLE_MS}', true),"
    " pg_advisory_xact_lock(4749246351906014)"
)
"""Waits for the turn to write on PostgreSQL; a process that stands still loses it before others give up."""
_ONE_VIEW = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
"""What makes a read of PostgreSQL one view; SQLite has no other."""


class Database:
    """Transactions on one SQLite file (or one PostgreSQL database)."""

    def __init__(self, engine: Engine, *, read_only: bool = False) -> None:
        self.when_written: Callable[[], None] = lambda: None
        """Called after every commit: whoever copies the WAL back in the background sets it."""
        self._engine = engine
        self._read_only = read_only
        self._view: Mapping[str, Any] = {} if self.dialect == "sqlite" else _ONE_VIEW
        self._local = threading.local()
        self._writing = threading.Lock()
        self._used = threading.Condition()
        self._users = 0
        self._closed = False

    @classmethod
    def sqlite(cls, path: Path, *, read_only: bool = False) -> "Database":
        """Open the SQLite file at this path, created if need be.

        Args:
            path: the file.
            read_only: change nothing and leave the WAL to whoever writes; the file must be there. Where there
                is no WAL nobody has it open, and it is read as it stands, so that no file is made beside it.
        """
        engine = create_engine(
            _reading_url(path) if read_only else URL.create("sqlite", database=str(path)),
            poolclass=QueuePool,
            pool_size=8,
            max_overflow=32,
            connect_args={"check_same_thread": False, "timeout": _BUSY_MS / 1000},
        )
        event.listen(engine, "connect", _configure_reader if read_only else _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return cls(engine, read_only=read_only)

    @classmethod
    def url(cls, url: URL, *, read_only: bool = False) -> "Database":
        """Open the database a URL names (`postgresql+psycopg://…`).

        Raises:
            ConfigError: the driver for it is not installed.
        """
        if url.get_backend_name() == "sqlite":
            return cls.sqlite(Path(url.database or "memory.db"), read_only=read_only)
        arguments: dict[str, Any] = {"options": "-c default_transaction_read_only=on"} if read_only else {}
        if "connect_timeout" not in url.query:
            arguments["connect_timeout"] = _CONNECT_SECONDS
        try:
            engine = create_engine(
                url, pool_size=8, max_overflow=32, pool_pre_ping=True, connect_args=arguments
            )
        except ImportError:
            raise ConfigError(_NO_DRIVER) from None
        event.listen(engine, "connect", _configure_postgresql)
        event.listen(engine, "begin", _begin_postgresql)
        return cls(engine, read_only=read_only)

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]:
        """Which of the two databases this is."""
        return "sqlite" if self._engine.dialect.name == "sqlite" else "postgresql"

    @contextmanager
    def read(self) -> Generator[Connection]:
        """One consistent view for reading, as of its first query.

        Inside a block of this thread it is the view of that block.
        """
        if self.inside:
            yield self._local.connection
            return
        with self._use(), self._engine.connect().execution_options(**self._view) as connection:
            self._local.connection = connection
            try:
                yield connection
            finally:
                self._local.connection = None

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One write transaction: commits at the end, rolls back when the block raises.

        Inside another `write()` of the same thread it joins that one, which then commits for both.

        Raises:
            RuntimeError: inside a `read()`, whose view could not hold what is written; or the database was
                opened for reading only, or is closed.
        """
        if self._read_only:
            raise RuntimeError("write() on a database that was opened for reading only")
        if self.writing:
            yield self._local.connection
            return
        if self.inside:
            raise RuntimeError("write() inside read(): write first, or read inside the write")
        with (
            self._use(),
            self._writing,
            self._engine.connect().execution_options(memoryfs_write=True) as connection,
            connection.begin(),
        ):
            self._local.connection = connection
            self._local.after = after = list[Callable[[], None]]()
            try:
                yield connection
            finally:
                self._local.connection = self._local.after = None
        for work in (*after, self.when_written):
            work()

    @property
    def inside(self) -> bool:
        """Whether this thread is inside a `read()` or `write()`."""
        return getattr(self._local, "connection", None) is not None

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a `write()`."""
        return getattr(self._local, "after", None) is not None

    def after_commit(self, work: Callable[[], None]) -> None:
        """Run this once what is being written is committed; at once where nothing is."""
        if self.writing:
            self._local.after.append(work)
        else:
            work()

    def checkpoint(self) -> None:
        """Copy the WAL back into the database file without making anybody wait."""
        if self.dialect == "sqlite":
            with self.raw() as connection:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def scrub(self) -> bool:
        """Let nothing of deleted rows remain in the files of the database (R7.4); nobody writes meanwhile.

        SQLite is rebuilt without what was moved about in its pages, and its WAL emptied. PostgreSQL is told
        to clear its tables; what its own logs and backups hold is up to whoever runs it.

        Returns:
            Whether it was done; `False` where somebody kept reading, and the WAL is emptied later.
        """
        if self.dialect == "sqlite":
            with self._writing, self.raw() as connection:
                connection.execute("VACUUM")
                return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM")
        return True

    def close(self) -> None:
        """Close every connection; where it was open for writing, fold the WAL away first.

        A transaction of another thread is carried through before (for a while: one that hangs is left);
        none begins after. Closing what is closed does nothing.
        """
        with self._used:
            closed, self._closed = self._closed, True
            self._used.wait_for(lambda: not self._users, _IDLE_MS / 1000)
        if closed:
            return
        try:
            if self.dialect == "sqlite" and not self._read_only:
                with self.raw() as connection:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self.dispose()

    def dispose(self) -> None:
        """Close every connection, and do nothing else: for a database that can't be used."""
        self._engine.dispose()

    @contextmanager
    def _use(self) -> Generator[None]:
        with self._used:
            if self._closed:
                raise RuntimeError("the database is closed")
            self._users += 1
        try:
            yield
        finally:
            with self._used:
                self._users -= 1
                self._used.notify_all()

    @contextmanager
    def raw(self) -> Generator[sqlite3.Connection]:
        """The SQLite driver's own connection, outside any transaction: for backups and checkpoints."""
        connection = self._engine.raw_connection()
        try:
            yield cast(sqlite3.Connection, connection.driver_connection)
        finally:
            connection.close()


def _reading_url(path: Path) -> URL:
    query = {"uri": "true", "mode": "ro"}
    if not path.with_name(f"{path.name}-wal").exists():
        query["immutable"] = "1"
    return URL.create("sqlite", database=path.absolute().as_uri(), query=query)


def _configure_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by _begin_sqlite alone
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        f"cache_size=-{_CACHE_KB}",
        "secure_delete=ON",
        "foreign_keys=ON",
        "wal_autocheckpoint=0",
        f"busy_timeout={_BUSY_MS}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _configure_reader(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("query_only=ON", f"busy_timeout={_BUSY_MS}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _configure_postgresql(connection: Any, _record: object) -> None:
    connection.execute("SET jit = off")  # compiling takes longer than any statement here
    connection.commit()


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("memoryfs_write", False)
    # by the driver itself: SQLAlchemy's own execution costs as much again as a short transaction
    connection.connection.cursor().execute("BEGIN IMMEDIATE" if write else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get("memoryfs_write", False):
        connection.exec_driver_sql(_BEGIN_WRITE)
