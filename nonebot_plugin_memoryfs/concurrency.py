"""The one place where async code crosses to threads: rooms are synchronous, the event loop never waits."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


async def in_thread(work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Run blocking work in a worker thread and wait for its result."""
    return await asyncio.to_thread(work, *args, **kwargs)
