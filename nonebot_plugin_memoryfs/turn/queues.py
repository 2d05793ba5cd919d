"""Who waits for whom: turns of one conversation run in arrival order, conversations side by side (R4.4)."""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable

from .values import Incoming, Key, OverheardLine, Turn, join

logger = logging.getLogger("nonebot_plugin_memoryfs")

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
    """A queue and, while something waits, a worker for each conversation.

    What waits here has been heard: it is stored, and whatever becomes of the queue, not lost (R4.1).
    """

    def __init__(
        self,
        answer: Callable[[Turn], Awaitable[object]],
        drop: Callable[[Turn], Awaitable[object]],
        overheard: Overheard,
        limit: int,
    ) -> None:
        """Take heard turns in.

        Args:
            answer: answers one; its errors are logged, never passed on.
            drop: told of one that is not going to be answered.
            overheard: where a dropped one is kept as context.
            limit: how many may wait in one conversation (setting `QUEUE`).
        """
        self.dropped = 0
        """Turns that were dropped from a full queue since the start."""
        self._answer = answer
        self._drop = drop
        self._overheard = overheard
        self._limit = limit
        self._waiting: dict[Key, deque[Turn]] = {}
        self._workers: dict[Key, asyncio.Task[None]] = {}

    async def submit(self, turn: Turn) -> None:
        """Let a turn wait; of more than `limit` waiting ones the oldest is dropped."""
        waiting = self._waiting.setdefault(turn.key, deque())
        waiting.append(turn)
        if turn.key not in self._workers:
            self._workers[turn.key] = asyncio.create_task(self._work(turn.key, waiting))
        if len(waiting) > self._limit:
            oldest = waiting.popleft()
            self.dropped += 1
            self._overheard.add(turn.key, OverheardLine(oldest.incoming.speaker, oldest.incoming.text))
            logger.warning(
                "会话 %s 排队已满，最早的一条记下了，不再回答（共 %d 条）", turn.key[1], self.dropped
            )
            await self._drop(oldest)

    async def settled(self, key: Key) -> None:
        """Wait until nothing waits or runs in this conversation."""
        if worker := self._workers.get(key):
            await asyncio.wait([worker])

    async def idle(self) -> None:
        """Wait until nothing waits or runs."""
        while self._workers:
            await asyncio.wait(self._workers.values())

    async def close(self) -> None:
        """Stop what runs; its rows and those of what waits are closed as unanswered at the next start."""
        workers = list(self._workers.values())
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, key: Key, waiting: deque[Turn]) -> None:
        try:
            while waiting:
                try:
                    await self._answer(_next(waiting))
                except Exception:
                    logger.exception("会话 %s 的一轮对话出错", key[1])
        finally:
            del self._workers[key], self._waiting[key]


def _next(waiting: deque[Turn]) -> Turn:
    """The oldest turn, joined with those right behind it from the same person."""
    turn = waiting.popleft()
    while waiting and _same_talk(turn.incoming, waiting[0].incoming):
        turn = join(turn, waiting.popleft())
    return turn


def _same_talk(first: Incoming, second: Incoming) -> bool:
    """Whether one answer can serve both: the same person, to the same account."""
    return first.scope == second.scope and first.account == second.account
