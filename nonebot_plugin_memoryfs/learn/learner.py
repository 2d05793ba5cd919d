"""Learning in the background: off the reply path, one batch of a conversation at a time (R4.10)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, TypeVar

from ..concurrency import in_thread
from ..model import ChatModel
from ..storage.usage import Spent
from .batches import Batch, Key
from .items import Extraction
from .learning import Learning, Prepared

logger = logging.getLogger("nonebot_plugin_memoryfs")

_AT_ONCE = 2
"""Batches learnt side by side: chats come first."""
_ASKED_AGAIN = 3
"""Times a batch is asked about at once, where what was said in it changed meanwhile."""

_T = TypeVar("_T")


class Learner:
    """A task for each conversation that has something to be learnt."""

    def __init__(self, learning: Learning, model: Callable[[], Awaitable[ChatModel]]) -> None:
        """Prepare to learn.

        Args:
            learning: what is due, and where it is filed.
            model: gives the model, waiting where it is not loaded yet.
        """
        self._learning = learning
        self._model = model
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._again: set[Key] = set()
        self._threads: set[asyncio.Future[Any]] = set()
        self._retries: dict[Key, asyncio.TimerHandle] = {}

    async def start(self) -> None:
        """Take up what failed before the last stop."""
        for key in await self._in_thread(self._learning.tried):
            self.turn_done(key)

    def turn_done(self, key: Key) -> None:
        """A turn was closed: learn, if a batch is due (R4.8)."""
        if key in self._tasks:
            self._again.add(key)
            return
        self._tasks[key] = asyncio.create_task(self._work(key))

    async def idle(self) -> None:
        """Wait until nothing is being learnt."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def close(self) -> None:
        """Stop asking; what is being filed is filed. A batch that was asked about stays due."""
        for retry in self._retries.values():
            retry.cancel()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*self._threads, return_exceptions=True)

    async def _work(self, key: Key) -> None:
        try:
            while True:
                self._again.discard(key)
                async with self._slots:
                    await self._learn(key)
                if key not in self._again:
                    return
        except Exception:
            logger.exception("会话 %s 的记忆没有整理成，内容都还在", key[1])
        finally:
            del self._tasks[key]

    async def _learn(self, key: Key) -> None:
        """Learn batch after batch until none is due."""
        changed = 0
        while changed < _ASKED_AGAIN:
            prepared = await self._in_thread(self._learning.next, key)
            if prepared is None:
                return
            asked = await self._ask(prepared)
            if asked is None:
                return
            filed = await self._in_thread(self._learning.file, prepared, *asked)
            changed = changed + 1 if filed is None else 0
            if filed is not None and filed.refused:
                logger.info(
                    "会话 %s 有 %d 条没有记：%s", key[1], len(filed.refused), "；".join(filed.refused)
                )

    async def _ask(self, prepared: Prepared) -> tuple[Extraction, Spent] | None:
        """The answer of the model; `None` where there is none, and the batch waits."""
        if prepared.question is None:
            return Extraction(), Spent()
        try:
            reply = await (await self._model()).ask(prepared.question)
        except Exception as error:
            await self._postpone(prepared.batch, Spent(), repr(error))
            return None
        spent = Spent(1, reply.input_tokens + reply.output_tokens)
        if reply.value is None:
            await self._postpone(prepared.batch, spent, reply.failure)
            return None
        return reply.value, spent

    async def _postpone(self, batch: Batch, spent: Spent, reason: str) -> None:
        retry_at: datetime = await self._in_thread(self._learning.postpone, batch, spent)
        logger.warning("会话 %s 的记忆没有整理成，%s 再试：%s", batch.key[1], f"{retry_at:%H:%M}", reason)
        wait = (retry_at - self._learning.clock()).total_seconds()
        loop = asyncio.get_running_loop()
        self._retries[batch.key] = loop.call_later(max(wait, 0), self._retry, batch.key)

    def _retry(self, key: Key) -> None:
        self._retries.pop(key, None)
        self.turn_done(key)

    async def _in_thread(self, work: Callable[..., _T], *args: Any) -> _T:
        """Work that is carried through even when its task is cancelled."""
        future = asyncio.ensure_future(in_thread(work, *args))
        self._threads.add(future)
        future.add_done_callback(self._threads.discard)
        return await asyncio.shield(future)
