"""A store: the database, its JSON faces and the hold on its directory, opened and closed together.

There is one store per data directory and process, however many rooms or libraries open it.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from ..errors import ConfigError, DataDirectoryError
from .database import Database
from .directory import DirectoryLock, create_private
from .follower import Follower
from .json_face import FaceSource, JsonFace
from .upgrades import pending, upgrade

logger = logging.getLogger("nonebot_plugin_memoryfs")

DATABASE_FILE = "memory.db"

_open_stores: dict[str, "Store"] = {}
_opening = threading.RLock()


def utc_now() -> datetime:
    """The real clock."""
    return datetime.now(UTC)


class Store:
    """Open with `Store.open`; every `open` wants its own `close`."""

    directory: Path | None
    """Where the files are; `None` for a store that is nothing but a database elsewhere."""
    database: Database
    clock: Callable[[], datetime]
    notices: "deque[tuple[datetime, str]]"
    """The newest things the operator should know (an unreadable file, a failed write)."""

    def __init__(
        self,
        directory: Path | None,
        url: URL | None,
        clock: Callable[[], datetime],
        held: DirectoryLock | None,
    ) -> None:
        self.directory = directory
        self.clock = clock
        self.notices = deque(maxlen=50)
        self._key = ""
        self._holders = 0
        self._faces: dict[str, JsonFace] = {}
        self._lock = held or (DirectoryLock(directory) if directory else None)
        try:
            self.database = _open_database(directory, url)
            upgrade(self.database, clock, _backup_path(directory, clock()))
        except BaseException:
            if self._lock:
                self._lock.release()
            raise
        self._follower = Follower(self.database)

    @classmethod
    def open(
        cls,
        data_dir: str | Path | None = None,
        database_url: str | None = None,
        *,
        clock: Callable[[], datetime] = utc_now,
        held: DirectoryLock | None = None,
    ) -> "Store":
        """Open the store of a data directory, a database, or both; an open one is shared.

        Args:
            data_dir: where `memory.db` and the JSON files are.
            database_url: a database elsewhere (R6.1); without it, `memory.db` in `data_dir`.
            clock: the time, timezone-aware; the first opener's counts.
            held: the hold on `data_dir` where the caller took it already; released by `close`.

        Raises:
            ConfigError: neither is given, or the URL can't be read.
            DirectoryInUse, DirectoryNotWritable: the directory can't be used (R6.3).
            SchemaTooNew: a newer version wrote the database.
        """
        directory = Path(data_dir).expanduser().resolve() if data_dir else None
        url = _parse_url(database_url) if database_url else None
        if directory is None and url is None:
            raise ConfigError("需要数据目录 data_dir 或数据库地址 database_url")
        key = str(directory or url)
        with _opening:
            store = _open_stores.get(key)
            if store is None:
                store = cls(directory, url, clock, held)
                store._key = key
                _open_stores[key] = store
            store._holders += 1
            return store

    def close(self) -> None:
        """Give up one hold; the last one writes the JSON files and lets everything go."""
        with _opening:
            self._holders -= 1
            if self._holders > 0:
                return
            _open_stores.pop(self._key, None)
            self._follower.stop()
            try:
                for face in self._faces.values():
                    face.flush()
            finally:
                self.database.close()
                if self._lock:
                    self._lock.release()

    def face(self, name: str, source: FaceSource) -> JsonFace:
        """The JSON file of this name over these tables; edits made while nothing ran are taken in."""
        with _opening:
            if name not in self._faces:
                path = self.directory / name if self.directory else None
                face = JsonFace(path, self.database, source, self.clock, self.report)
                self._faces[name] = face
                self._follower.add(face)
                face.pull()
                face.mark()
            return self._faces[name]

    def report(self, message: str) -> None:
        """Tell the operator: in the log, and in the status."""
        logger.warning(message)
        self.notices.append((self.clock(), message))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_beside(data_dir: Path, database_url: str | None) -> Database:
    """The database for reading only, beside a bot that runs on it or without one (R6.3).

    Raises:
        DataDirectoryError: there is no data in the directory.
        ConfigError: the URL can't be read.
        SchemaTooNew: a newer version wrote the database.
    """
    if not database_url and not (data_dir / DATABASE_FILE).is_file():
        raise DataDirectoryError(f"{data_dir} 里没有记忆数据（{DATABASE_FILE}）")
    database = _open_database(data_dir, _parse_url(database_url) if database_url else None)
    with database.read() as connection:
        pending(connection)
    return database


def _parse_url(database_url: str) -> URL:
    try:
        return make_url(database_url)
    except ArgumentError:
        raise ConfigError("DATABASE_URL 无法识别：应为 postgresql+psycopg://用户:密码@主机/库名") from None


def _open_database(directory: Path | None, url: URL | None) -> Database:
    if url is not None:
        return Database.url(url)
    assert directory is not None
    path = directory / DATABASE_FILE
    create_private(path)
    return Database.sqlite(path)


def _backup_path(directory: Path | None, now: datetime) -> Path | None:
    return directory / f"memory-before-upgrade-{now:%Y%m%d-%H%M%S}.db" if directory else None
