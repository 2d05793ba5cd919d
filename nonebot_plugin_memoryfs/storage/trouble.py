"""What the database's own trouble means for whoever runs the bot: which file or server, and what to do."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from ..errors import DatabaseUnusable, DataDirectoryError, DirectoryNotWritable

_DAMAGED = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
_LOCKED_AWAY = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")


@contextmanager
def explained(path: Path | None, url: URL | None = None) -> Generator[None]:
    """Errors about this SQLite file or the database of this URL, raised inside, say what can be done.

    Raises:
        DatabaseUnusable: the server can't be reached or refuses; in one line, without the password.
        DataDirectoryError: the file is damaged.
        DirectoryNotWritable: the file can't be opened or written.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if url is not None:
            raise DatabaseUnusable(_refused(url, cause)) from None
        name = str(getattr(cause, "sqlite_errorname", ""))
        if path is not None and name.startswith(_DAMAGED):
            raise DataDirectoryError(_damaged(path, cause)) from error
        if path is not None and name.startswith(_LOCKED_AWAY):
            raise DirectoryNotWritable(f"数据库文件 {path} 无法打开或写入：{cause}") from error
        raise
    except OSError as error:
        if path is None:
            raise
        raise DirectoryNotWritable(f"数据库文件 {path} 无法打开或写入：{error.strerror}") from error


def _damaged(path: Path, reason: object) -> str:
    return (
        f"数据库文件 {path} 已损坏（{reason}），没有改动它。有备份时，用备份替换它；没有时，把它和同名的"
        " -wal、-shm 文件一起移走再启动：记忆文件、提示词和便签会从旁边的 JSON 文件恢复，"
        "记忆图谱和聊天记录只在数据库里"
    )


def _refused(url: URL, reason: object) -> str:
    lines = str(reason).splitlines() or [type(reason).__name__]
    host = url.host or url.query.get("host") or "本机"
    where = f"{host}:{url.port}" if url.port else host
    return f"用不了 {where} 上的数据库 {url.database}：{lines[0]}"
