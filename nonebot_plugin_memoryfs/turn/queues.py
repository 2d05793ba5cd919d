"""Who waits for whom: turns of one conversation run in arrival order, conversations side by side (R4.4)."""

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable

from .values import Key, OverheardLine, Turn, join

logger = logging.getLogger("nonebot_plugin_memoryfs")

_OVERHEARD_LINES = 10
_OVERHEARD_CONVERSATIONS = 2_000
_TAKEN_BACK = 1_000
_ANSWERED_CONVERSATIONS = 10_000


class Overheard:
    """The newest lines of each conversation that nobody addressed to the character (R4.2).

    Kept in memory only: they are context for the next turn, not something to remember.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[Key, deque[OverheardLine]] = OrderedDict()
        self._taken_back: OrderedDict[tuple[Key, str], None] = OrderedDict()

    def add(self, key: Key, line: OverheardLine) -> None:
        """Keep a line until the next turn there; the oldest of more than ten goes."""
        if self.was_taken_back(key, line.source_id):
            return
        self._lines.setdefault(key, deque(maxlen=_OVERHEARD_LINES)).append(line)
        self._lines.move_to_end(key)
        if len(self._lines) > _OVERHEARD_CONVERSATIONS:
            self._lines.popitem(last=False)

    def withdraw(self, key: Key, source_id: str) -> None:
        """Forget a line that was taken back, and know its message for a while: it may still be on its way, or
        a turn that has it may be running (R4.11)."""
        self._taken_back[key, source_id] = None
        if len(self._taken_back) > _TAKEN_BACK:
            self._taken_back.popitem(last=False)
        if lines := self._lines.get(key):
            kept = [line for line in lines if line.source_id != source_id]
            self._lines[key] = deque(kept, maxlen=_OVERHEARD_LINES)

    def was_taken_back(self, key: Key, source_id: str) -> bool:
        """Whether a message was taken back a while ago."""
        return (key, source_id) in self._taken_back

    def forget(self, conversation_id: str) -> None:
        """Forget the lines of a conversation, whichever character heard them."""
        for key in [key for key in self._lines if key[1] == conversation_id]:
            del self._lines[key]

    def take(self, key: Key) -> tuple[OverheardLine, ...]:
        """The lines since the last turn, which are then forgotten."""
        return tuple(self._lines.pop(key, ()))

    def clear(self) -> None:
        """Forget all of them."""
        self._lines.clear()


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
        cooldown: float = 0.0,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Take heard turns in.

        Args:
            answer: answers one; its errors are logged, never passed on.
            drop: told of one that is not going to be answered.
            overheard: where a dropped one is kept as context.
            limit: how many may wait in one conversation (setting `QUEUE`).
            cooldown: seconds from one answer in a conversation to the next turn (`COOLDOWN_SECONDS`).
            now: a clock in seconds.
            sleep: waits for so many seconds.
        """
        self.dropped = 0
        """Turns that were dropped from a full queue since the start."""
        self._answer = answer
        self._drop = drop
        self._overheard = overheard
        self._limit = limit
        self._cooldown = cooldown
        self._now = now
        self._sleep = sleep
        self._answered: OrderedDict[Key, float] = OrderedDict()
        self._waiting: dict[Key, deque[Turn]] = {}
        self._workers: dict[Key, asyncio.Task[None]] = {}

    @property
    def waiting(self) -> int:
        """How many turns wait, in all conversations."""
        return sum(map(len, self._waiting.values()))

    async def submit(self, turn: Turn) -> None:
        """Let a turn wait; of more than `limit` waiting ones the oldest is dropped."""
        waiting = self._waiting.setdefault(turn.key, deque())
        waiting.append(turn)
        if turn.key not in self._workers:
            self._workers[turn.key] = asyncio.create_task(self._work(turn.key, waiting))
        if len(waiting) > self._limit:
            oldest = waiting.popleft()
            self.dropped += 1
            if oldest.kept:
                self._overheard.add(turn.key, _as_overheard(oldest))
            logger.warning(
                "会话 %s 排队已满，最早的一条记下了，不再回答（共 %d 条）", turn.key[1], self.dropped
            )
            await self._drop(oldest)

    async def settled(self, key: Key) -> None:
        """Wait until nothing waits or runs in this conversation."""
        if worker := self._workers.get(key):
            await asyncio.wait([worker])

    def withdraw(self, key: Key, source_id: str) -> None:
        """Let a waiting turn go whose message was taken back (R4.11)."""
        waiting = self._waiting.get(key, deque())
        for turn in [turn for turn in waiting if source_id in turn.incoming.source_ids]:
            waiting.remove(turn)

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
                await self._cool_down(key)
                if not waiting:
                    return  # taken back meanwhile
                try:
                    await self._answer(_next(waiting))
                except Exception:
                    logger.exception("会话 %s 的一轮对话出错", key[1])
                self._note_answer(key)
        finally:
            del self._workers[key], self._waiting[key]

    async def _cool_down(self, key: Key) -> None:
        if key in self._answered and (wait := self._answered[key] + self._cooldown - self._now()) > 0:
            await self._sleep(wait)

    def _note_answer(self, key: Key) -> None:
        if self._cooldown:
            self._answered[key] = self._now()
            self._answered.move_to_end(key)
            if len(self._answered) > _ANSWERED_CONVERSATIONS:
                self._answered.popitem(last=False)


def _as_overheard(turn: Turn) -> OverheardLine:
    source_id = next(iter(turn.incoming.source_ids), "")
    return OverheardLine(turn.incoming.speaker, turn.incoming.text, source_id)


def _next(waiting: deque[Turn]) -> Turn:
    """The oldest turn, joined with those right behind it from the same person."""
    turn = waiting.popleft()
    while waiting and _same_talk(turn, waiting[0]):
        turn = join(turn, waiting.popleft())
    return turn


def _same_talk(first: Turn, second: Turn) -> bool:
    """Whether one answer can serve both: the same person, to the same account."""
    return first.incoming.scope == second.incoming.scope and _sort(first) == _sort(second)


def _sort(turn: Turn) -> tuple[str, bool]:
    return turn.incoming.account, turn.kept
