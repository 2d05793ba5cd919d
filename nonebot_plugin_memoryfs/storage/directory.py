"""The data directory: private to its owner, and held by one process at a time (R6.3, R6.7)."""

import os
import secrets
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import DirectoryInUse, DirectoryNotWritable

_LOCK = "memoryfs.lock"
_HOLDER = "memoryfs.pid"
_IDENTITY = "memoryfs.id"


class DirectoryLock:
    """A hold on a data directory, until `release()`."""

    def __init__(self, directory: Path) -> None:
        """Create the directory where needed and take hold of it, without waiting.

        Raises:
            DirectoryInUse: another process holds it; the message names directory and process.
            DirectoryNotWritable: it can't be created or written.
        """
        self.path = directory
        self._holder = directory / _HOLDER
        self._lock = FileLock(directory / _LOCK, timeout=0, mode=0o600, thread_local=False)
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            make_private(directory)
            self._lock.acquire()
            _write_private(self._holder, str(os.getpid()))
        except Timeout:
            raise DirectoryInUse(
                f"数据目录 {directory} 正被另一个进程使用（进程号 {_read(self._holder) or '未知'}）："
                "同一目录只能由一个机器人使用"
            ) from None
        except OSError as error:
            self._lock.release()
            raise DirectoryNotWritable(f"数据目录 {directory} 无法写入：{error.strerror}") from error

    def release(self) -> None:
        """Let the directory go."""
        self._holder.unlink(missing_ok=True)
        self._lock.release()


def identity(directory: Path) -> str:
    """What tells a data directory from others that share its database, on other machines too; kept in it."""
    file = directory / _IDENTITY
    known = _read(file)
    if not known:
        known = secrets.token_hex(8)
        _write_private(file, known)
    return known


def make_private(path: Path) -> None:
    """Restrict a file (0600) or directory (0700) to its owner, where the file system can."""
    if os.name == "posix":
        path.chmod(0o700 if path.is_dir() else 0o600)


def create_private(path: Path) -> None:
    """Create an empty private file unless there is one."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    make_private(path)


def _write_private(path: Path, text: str) -> None:
    create_private(path)
    path.write_text(text, encoding="utf-8")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
