"""`prompt_manager` and its shortcuts: the one PromptManager of a process (R3.1).

It is the running bot's. Where no bot runs it is opened when it is first used, over `data` below the working
directory, where the seed has `memories.json`.
"""

import atexit
import threading
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from ..errors import ConfigError
from .manager import PromptManager

DIRECTORY = Path("data")

_P = ParamSpec("_P")
_R = TypeVar("_R")

_lock = threading.RLock()
_provided: list[PromptManager] = []
_opened: list[PromptManager] = []
_expected = threading.Event()


def get_prompt_manager() -> PromptManager:
    """The manager `prompt_manager` stands for at this moment.

    Raises:
        ConfigError: a bot was loaded in this process and is not running yet, or not any more.
        DirectoryInUse, DirectoryNotWritable: `data` can't be used (R6.3).
    """
    with _lock:
        if _provided:
            return _provided[-1]
        if _expected.is_set():
            raise ConfigError("机器人没有在运行：提示词和便签要在启动之后、停止之前使用")
        if not _opened:
            _opened.append(PromptManager(DIRECTORY))
        return _opened[-1]


def close_prompt_manager() -> None:
    """Let go of what was opened without a bot; done at the process's end."""
    with _lock:
        while _opened:
            _opened.pop().close()


def expect_prompt_manager() -> None:
    """A bot of this process is going to provide the manager: from now on nothing is opened in its place."""
    _expected.set()


def provide_prompt_manager(manager: PromptManager) -> None:
    """Make this the one: the running bot's, with its settings."""
    with _lock:
        _provided.append(manager)


def withdraw_prompt_manager(manager: PromptManager) -> None:
    """Undo `provide_prompt_manager`, before its store is closed."""
    with _lock:
        if manager in _provided:
            _provided.remove(manager)


class _Shared:
    """Stands for the one manager, whichever that is when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(get_prompt_manager(), name)


def _shortcut(method: Callable[Concatenate[PromptManager, _P], _R]) -> Callable[_P, _R]:
    """A method of the one manager, as a function."""

    @wraps(method)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return method(get_prompt_manager(), *args, **kwargs)

    return call


prompt_manager = cast(PromptManager, _Shared())
load_prompt = _shortcut(PromptManager.load_prompt)
load_memories = _shortcut(PromptManager.load_memories)
add_memory = _shortcut(PromptManager.add_memory)
delete_memory = _shortcut(PromptManager.delete_memory)
clear_memories = _shortcut(PromptManager.clear_memories)
save_prompt = _shortcut(PromptManager.save_prompt)

atexit.register(close_prompt_manager)
