"""A store: the database, its JSON faces and the hold on its directory, opened and closed together.

There is one store per data directory and process, however many rooms or libraries open it.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, make_url, text
from sqlalchemy.exc import ArgumentError

from ..errors import ConfigError, DataDirectoryError
from .closing import Closing
from .database import Database
from .directory import DirectoryLock, create_private, identity
from .face_source import FaceSource
from .follower import Follower
from .json_face import JsonFace
from .trouble import explained
from .upgrades import pending, upgrade

logger = logging.getLogger("nonebot_plugin_memoryfs")

DATABASE_FILE = "memory.db"
_URL_FORM = "DATABASE_URL 应为 postgresql+psycopg://用户:密码@主机/库名，密码里的 @ 写成 %40"

_open_stores: dict[str, "Store"] = {}
_opening = threading.RLock()


def utc_now() -> datetime:
    """The real clock."""
    return datetime.now(UTC)


class Store(Closing):
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
        self._file = directory / DATABASE_FILE if directory and url is None else None
        lock = held or (DirectoryLock(directory) if directory else None)
        self._locks = [lock] if lock else []
        self._url = url
        with ExitStack() as undo:
            undo.callback(self._release)
            with explained(self._file, url):
                self.database = _open_database(self._file, url)
                undo.callback(self.database.dispose)
                _check_encoding(self.database)
                upgrade(self.database, clock, _backup_path(directory, clock()))
            undo.pop_all()
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
            held: the hold on `data_dir` where the caller took it already; it is the store's from now on, and
                released by the last `close`, or at once when the store can't be opened.

        Raises:
            ConfigError: neither is given, the URL can't be read, its driver is not installed, or the database
                is not one of UTF-8.
            DatabaseUnusable: its server can't be reached or refuses.
            DirectoryInUse, DirectoryNotWritable: the directory can't be used (R6.3).
            DataDirectoryError: the database file is damaged; nothing of it was changed.
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
            elif held is not None and held not in store._locks:
                store._locks.append(held)
            store._holders += 1
            return store

    def close(self) -> None:
        """Give up one hold; the last one writes the JSON files and lets everything go.

        A file that can't be written is reported; the tables hold all of it, and the next start writes it.
        """
        with _opening, ExitStack() as last:
            self._holders -= 1
            if self._holders > 0:
                return
            _open_stores.pop(self._key, None)
            last.callback(self._release)
            last.callback(self.database.close)
            self._follower.stop()
            for face in self._faces.values():
                self._flush(face)

    def _flush(self, face: JsonFace) -> None:
        try:
            face.flush()
        except Exception as error:
            logger.debug("flush failed", exc_info=error)
            self.report(f"{face.name} 没能写出（{error}）；内容都在数据库里，下次启动会再写")

    def _release(self) -> None:
        for lock in self._locks:
            lock.release()

    def face(self, name: str, source: FaceSource) -> JsonFace:
        """The JSON file of this name over these tables; edits made while nothing ran are taken in.

        Raises:
            DataDirectoryError: the database file is damaged.
        """
        with _opening, explained(self._file, self._url):
            if name not in self._faces:
                path = self.directory / name if self.directory else None
                shared = identity(self.directory) if self.directory and self._url else ""
                face = JsonFace(path, self.database, source, self.clock, self.report, shared)
                face.pull()
                self._faces[name] = face
                self._follower.add(face)
                face.mark()
            return self._faces[name]

    def pull_faces(self) -> None:
        """Take in what people edited by hand in any of the files that are open; not inside a transaction."""
        for face in self._faces.values():
            face.pull()

    def flush_faces(self) -> None:
        """Write every file now whose tables changed; not inside a transaction."""
        for face in self._faces.values():
            face.flush()

    def push_faces(self) -> None:
        """Write every file that is open anew, now; not inside a transaction."""
        for face in self._faces.values():
            face.push()

    def report(self, message: str) -> None:
        """Tell the operator: in the log, and in the status."""
        logger.warning(message)
        self.notices.append((self.clock(), message))


def open_beside(data_dir: Path, database_url: str | None) -> Database:
    """The database for reading only, beside a bot that runs on it or without one (R6.3).

    It makes no file, changes none and keeps no writer waiting.

    Raises:
        DataDirectoryError: there is no data, none of this version, or it is damaged.
        ConfigError: the URL can't be read, or its driver is not installed.
        DatabaseUnusable: its server can't be reached or refuses.
        SchemaTooNew: a newer version wrote the database.
    """
    url = _parse_url(database_url) if database_url else None
    path = None if url else data_dir / DATABASE_FILE
    if path is not None and not path.is_file():
        raise DataDirectoryError(f"{data_dir} 里没有记忆数据（{DATABASE_FILE}）")
    with ExitStack() as undo, explained(path, url):
        database = _read_only(path, url)
        undo.callback(database.dispose)
        with database.read() as connection:
            missing, _ = pending(connection)
        if missing:
            raise DataDirectoryError(f"{path or '数据库'} 里还没有本版本的记忆数据：请先启动一次机器人")
        undo.pop_all()
    return database


def _parse_url(database_url: str) -> URL:
    try:
        url = make_url(database_url)
    except (ArgumentError, ValueError):
        raise ConfigError(f"数据库地址无法识别：{_URL_FORM}") from None
    if "@" in f"{url.host}{url.database}{dict(url.query)}":  # these are shown: a password ends in none
        raise ConfigError(f"数据库地址里有多余的 @：{_URL_FORM}")
    if url.drivername not in ("postgresql", "postgresql+psycopg", "sqlite"):
        raise ConfigError(f"不支持 {url.drivername} 数据库：{_URL_FORM}")
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def _open_database(path: Path | None, url: URL | None) -> Database:
    if url is not None:
        return Database.url(url)
    assert path is not None
    create_private(path)
    return Database.sqlite(path)


def _check_encoding(database: Database) -> None:
    if database.dialect == "postgresql":
        with database.read() as connection:
            encoding = str(connection.scalar(text("SHOW server_encoding")))
        if encoding != "UTF8":
            raise ConfigError(f"数据库的编码是 {encoding}，存不下中文：请新建一个 UTF8 编码的数据库")


def _read_only(path: Path | None, url: URL | None) -> Database:
    if url is not None:
        return Database.url(url, read_only=True)
    assert path is not None
    return Database.sqlite(path, read_only=True)


def _backup_path(directory: Path | None, now: datetime) -> Path | None:
    return directory / f"memory-before-upgrade-{now:%Y%m%d-%H%M%S}.db" if directory else None
