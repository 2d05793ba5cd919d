"""`get_memory_fs`: one MemoryFS per data directory and process (R1.1)."""

import atexit
import threading
from pathlib import Path

from ..errors import ConfigError
from ..storage import Store
from .memoryfs import MemoryFS

_lock = threading.RLock()
_opened: dict[Path, tuple[Store, MemoryFS]] = {}
_provided: list[MemoryFS] = []


def get_memory_fs(data_dir: str | Path | None = None) -> MemoryFS:
    """The memory files of a data directory; always the same object for the same directory.

    Args:
        data_dir: the directory, created if need be; in a running bot it may be left out.

    Raises:
        ConfigError: no directory given, and no bot is running in this process.
        DirectoryInUse, DirectoryNotWritable: the directory can't be used (R6.3).
    """
    with _lock:
        if data_dir is None:
            if not _provided:
                raise ConfigError("机器人没有运行，get_memory_fs 需要数据目录：get_memory_fs(data_dir=…)")
            return _provided[-1]
        directory = Path(data_dir).expanduser().resolve()
        for fs in _provided:
            if fs.directory == directory:
                return fs
        if directory not in _opened:
            store = Store.open(directory)
            try:
                _opened[directory] = store, MemoryFS(store)
            except BaseException:
                store.close()
                raise
        return _opened[directory][1]


def close_memory_fs(data_dir: str | Path) -> None:
    """Let go of what `get_memory_fs` opened for a directory; done for all at the process's end."""
    with _lock:
        opened = _opened.pop(Path(data_dir).expanduser().resolve(), None)
    if opened is not None:
        opened[0].close()


def provide_memory_fs(fs: MemoryFS) -> None:
    """Make this the one `get_memory_fs` hands out; the running bot's, with its settings."""
    with _lock:
        _provided.append(fs)


def withdraw_memory_fs(fs: MemoryFS) -> None:
    """Undo `provide_memory_fs`, before its store is closed."""
    with _lock:
        if fs in _provided:
            _provided.remove(fs)


@atexit.register
def _close_all() -> None:
    for directory in list(_opened):
        close_memory_fs(directory)
