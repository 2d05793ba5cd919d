"""Who waits for whom: turns of one conversation run in arrival order, conversations side by side (R4.4)."""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable

from .values import Incoming, OverheardLine, join

logger = logging.getLogger("nonebot_plugin_memoryfs")

Key = tuple[str, str]
"""A character in a conversation."""

_OVERHEARD_LINES = 10
_OVERHEARD_CONVERSATIONS = 2_000


class Overheard:
    """The newest lines of each conversation that nobody addressed to the character (R4.2).

    Kept in memory only: they are context for the next turn, not something to remember.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[Key, deque[OverheardLine]] = OrderedDict()

    def add(self, key: Key, line: OverheardLine) -> None:
        """Keep a line until the next turn there; the oldest of more than ten goes."""
        self._lines.setdefault(key, deque(maxlen=_OVERHEARD_LINES)).append(line)
        self._lines.move_to_end(key)
        if len(self._lines) > _OVERHEARD_CONVERSATIONS:
            self._lines.popitem(last=False)

    def take(self, key: Key) -> tuple[OverheardLine, ...]:
        """The lines since the last turn, which are then forgotten."""
        return tuple(self._lines.pop(key, ()))


class Conversations:
    """A queue and, while something waits, a worker for each conversation."""

    def __init__(
        self, run: Callable[[Incoming], Awaitable[object]], overheard: Overheard, limit: int
    ) -> None:
        """Take messages in for `run`.

        Args:
            run: answers one message; its errors are logged, never passed on.
            overheard: where a message that had to be dropped is kept as context.
            limit: how many messages may wait in one conversation (setting `QUEUE`).
        """
        self.dropped = 0
        """Messages that were dropped from a full queue since the start."""
        self._run = run
        self._overheard = overheard
        self._limit = limit
        self._waiting: dict[Key, deque[Incoming]] = {}
        self._workers: dict[Key, asyncio.Task[None]] = {}

    def submit(self, incoming: Incoming) -> None:
        """Let a message wait for its turn; of more than `limit` waiting ones the oldest is dropped."""
        key = incoming.scope.character_id, incoming.scope.conversation_id
        waiting = self._waiting.setdefault(key, deque())
        waiting.append(incoming)
        if len(waiting) > self._limit:
            oldest = waiting.popleft()
            self.dropped += 1
            self._overheard.add(key, OverheardLine(oldest.speaker, oldest.text))
        if key not in self._workers:
            self._workers[key] = asyncio.create_task(self._work(key, waiting))

    async def idle(self) -> None:
        """Wait until nothing waits or runs."""
        while self._workers:
            await asyncio.wait(self._workers.values())

    async def close(self) -> None:
        """Drop what waits and stop what runs; its rows are closed as unanswered at the next start."""
        workers = list(self._workers.values())
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, key: Key, waiting: deque[Incoming]) -> None:
        try:
            while waiting:
                try:
                    await self._run(_next(waiting))
                except Exception:
                    logger.exception("会话 %s 的一轮对话出错", key[1])
        finally:
            del self._workers[key], self._waiting[key]


def _next(waiting: deque[Incoming]) -> Incoming:
    """The oldest message, joined with those right behind it from the same person."""
    incoming = waiting.popleft()
    while waiting and waiting[0].scope == incoming.scope:
        incoming = join(incoming, waiting.popleft())
    return incoming
