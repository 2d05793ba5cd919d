"""The silent heartbeat: ticks, asks for fragments, checks and stores them; nothing is sent to anybody (R5.3).

Invariants:
- a heartbeat is worked on by whoever claimed it, and its fragment is stored only while that claim holds;
- fragment, counters and the next due time are one transaction;
- what runs when it is closed ends before `close` returns.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any, TypeVar

from ..character import Card, Rhythm
from ..concurrency import in_thread
from ..memory import Entry, MemoryFS
from ..model import ChatModel, Question, Reply
from ..storage import Store
from .check import NEWEST, Checked, check
from .day import DayLine, Status, day_line
from .offline import Setting
from .prompting import question_of
from .pulses import Claim, Pulses
from .rules import TRIES, Rules

logger = logging.getLogger("nonebot_plugin_memoryfs")

ASK_SECONDS = 90.0
"""A model that takes longer has failed; three tries end before a claim does."""
FORGET_AFTER = timedelta(days=7)
"""A web chat whose heartbeat nobody chose lives on for so long after the last visit."""

_WELL_AGAIN = "生活片段的模型恢复了"

T = TypeVar("T")


class Outcome(Enum):
    """What came of a heartbeat."""

    WRITTEN = "written"
    DROPPED = "dropped"
    """Every try was refused."""
    FAILED = "failed"
    """The model gave no answer."""
    LATER = "later"
    """The tick has no calls left; still due."""
    LAPSED = "lapsed"
    """Somebody came back, it was switched off, or another process took over."""
    OFF = "off"
    """It is not on here."""
    SPENT = "spent"
    """The day has all the fragments it may have."""
    BUSY = "busy"
    """It is being worked on."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One heartbeat's end."""

    outcome: Outcome
    calls: int = 0
    """Model calls it took."""
    text: str = ""
    """The fragment, or why there is none."""


class Life:
    """The lives of all characters, one per conversation (R5.1–R5.8). Synchronous calls are for threads."""

    def __init__(
        self,
        store: Store,
        memory: MemoryFS,
        model: Callable[[], Awaitable[ChatModel]],
        *,
        rules: Rules,
        card_of: Callable[[str], Card],
        rhythm_of: Callable[[str], Rhythm],
        web_on: bool,
        rng: random.Random | None = None,
    ) -> None:
        """Open the heartbeats of a store.

        Args:
            store: where they are kept; it stays the caller's to close.
            memory: where fragments are appended.
            model: gives the model, once it is loaded.
            rules: how often.
            card_of: character id → its card.
            rhythm_of: character id → its clock.
            web_on: whether web chats have a life where nobody chose.
            rng: what the offline generator draws with.
        """
        self.rules = rules
        self._database, self._clock = store.database, store.clock
        self._memory = memory
        self._model = model
        self._card_of, self._rhythm_of = card_of, rhythm_of
        self._pulses = Pulses(rules, rhythm_of, web_on)
        self._rng = rng or random.Random()
        self._closing = False
        self._ticking = False
        self._working = set[asyncio.Task[Any]]()
        self._asking = set[asyncio.Task[Reply[str]]]()
        with self._database.write() as connection:
            self._pulses.begin(connection)

    # ---- beating

    async def tick(self) -> None:
        """Look for what is due, and write it; at most as many model calls as the rules allow (R5.7)."""
        if self._closing or self._ticking:
            return
        self._ticking = True
        try:
            await self._finish(self._tick())
        finally:
            self._ticking = False

    async def beat_now(self, character_id: str, conversation_id: str) -> Beat:
        """Write a fragment at once, whoever is there; the day's limit holds (`/心跳 立即`, R5.8)."""
        return await self._finish(self._beat_now(character_id, conversation_id))

    async def close(self) -> None:
        """Stop asking, and wait until what runs has ended."""
        self._closing = True
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    async def _finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Run it to its end, even where the one who waits for it is cancelled."""
        task = asyncio.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        return await asyncio.shield(task)

    async def _tick(self) -> None:
        if not await in_thread(self._anything):
            return
        left = self.rules.calls
        while left > 0 and not self._closing:
            claim = await in_thread(self._claim)
            if claim is None:
                return
            beat = await self._beat(claim, left)
            left -= beat.calls
            if beat.outcome in (Outcome.FAILED, Outcome.LATER):
                return

    async def _beat_now(self, character_id: str, conversation_id: str) -> Beat:
        claim = await in_thread(self._claim_by_hand, character_id, conversation_id)
        return claim if isinstance(claim, Beat) else await self._beat(claim, TRIES)

    async def _beat(self, claim: Claim, calls: int) -> Beat:
        """Ask until a fragment passes; what comes of it is stored together with the state (R5.5)."""
        setting = await in_thread(self._setting, claim)
        refusal, made = "", 0
        while made < min(TRIES, calls):
            reply = await self._ask(question_of(setting, refusal, self._rng))
            if self._closing and reply.value is None:
                return await in_thread(self._settle, claim, Beat(Outcome.LATER, made))
            made += 1
            if reply.value is None:
                return await in_thread(self._settle, claim, Beat(Outcome.FAILED, made, reply.failure))
            checked = check(reply.value, setting.phase, setting.texts[-NEWEST:])
            if not checked.refusal:
                return await in_thread(self._store, claim, checked, made)
            refusal = checked.refusal
        outcome = Outcome.DROPPED if made == TRIES else Outcome.LATER
        return await in_thread(self._settle, claim, Beat(outcome, made, refusal))

    async def _ask(self, question: Question[str]) -> Reply[str]:
        async def ask() -> Reply[str]:
            model = await self._model()
            return await model.ask(question)

        task = asyncio.create_task(ask())
        self._asking.add(task)
        done, _ = await asyncio.wait([task], timeout=ASK_SECONDS)
        self._asking.discard(task)
        if not done:
            task.cancel()
            return Reply(value=None, failure=f"{ASK_SECONDS:g} 秒内没有回答")
        if task.cancelled():
            return Reply(value=None, failure="停下了")
        if error := task.exception():
            return Reply(value=None, failure=f"{type(error).__name__}：{error}")
        return task.result()

    # ---- in threads

    def _anything(self) -> bool:
        with self._database.read() as connection:
            return self._pulses.anything(connection, self._clock())

    def _claim(self) -> Claim | None:
        with self._database.write() as connection:
            return self._pulses.claim(connection, self._clock(), self._token())

    def _claim_by_hand(self, character_id: str, conversation_id: str) -> Claim | Beat:
        now = self._clock()
        with self._database.write() as connection:
            row = self._pulses.find(connection, character_id, conversation_id)
            if row is None or not self._pulses.is_on(row) or not self._pulses.enabled(connection):
                return Beat(Outcome.OFF)
            claim = self._pulses.claim_by_hand(connection, row, now, self._token())
            if claim is None:
                return Beat(Outcome.BUSY)
            if claim.pulse.spent(now, self.rules, self._rhythm_of(character_id)):
                self._pulses.settle(connection, claim)
                return Beat(Outcome.SPENT)
            return claim

    def _token(self) -> str:
        return f"{random.getrandbits(64):016x}"

    def _setting(self, claim: Claim) -> Setting:
        character_id = claim.pulse.character_id
        rhythm = self._rhythm_of(character_id)
        return Setting(
            card=self._card_of(character_id),
            local=rhythm.local(claim.at),
            phase=rhythm.phase(claim.at),
            last=self._memory.entries(self._path(character_id, claim.pulse.conversation_id)),
        )

    def _store(self, claim: Claim, checked: Checked, calls: int) -> Beat:
        with self._database.write() as connection:
            before = self._pulses.answered(connection)
            pulse = self._pulses.settle(connection, claim)
            if pulse is not None:
                path = self._path(pulse.character_id, pulse.conversation_id)
                self._memory.append(path, Entry(checked.text, at=claim.at))
                self._pulses.written(connection, pulse, claim, short=checked.short)
        if before:
            logger.info(_WELL_AGAIN)
        return Beat(Outcome.WRITTEN if pulse else Outcome.LAPSED, calls, checked.text if pulse else "")

    def _settle(self, claim: Claim, beat: Beat) -> Beat:
        """Give back a claim that came to nothing, and keep why."""
        failed = before = 0
        with self._database.write() as connection:
            pulse = self._pulses.settle(connection, claim)
            if beat.outcome is Outcome.FAILED:
                failed = self._pulses.failed(connection, pulse, claim.at)
            elif beat.calls:
                before = self._pulses.answered(connection)
            if beat.outcome is Outcome.DROPPED and pulse is not None:
                self._pulses.dropped(connection, pulse, claim.at, beat.text)
        if before:
            logger.info(_WELL_AGAIN)
        if failed == 1:
            logger.warning("生活片段的模型没有给出回答，先停一停，会自己再试：%s", beat.text)
        return beat

    # ---- switches and views

    def switch(self, character_id: str, conversation_id: str, on: bool) -> None:
        """Switch a heartbeat on or off (R5.2, R5.8)."""
        with self._database.write() as connection:
            self._pulses.choose(connection, character_id, conversation_id, on, self._clock())

    def enable(self, on: bool) -> None:
        """Turn the global switch (R5.7)."""
        with self._database.write() as connection:
            self._pulses.enable(connection, on)

    @property
    def enabled(self) -> bool:
        """Whether the global switch is on."""
        with self._database.read() as connection:
            return self._pulses.enabled(connection)

    def status(self, character_id: str, conversation_id: str) -> Status:
        """How a heartbeat stands."""
        entries = self._memory.entries(self._path(character_id, conversation_id))
        with self._database.write() as connection:
            self._pulses.follow(connection)
            row = self._pulses.find(connection, character_id, conversation_id)
            enabled = self._pulses.enabled(connection)
            paused_until = self._pulses.paused_until(connection)
        last = entries[-1] if entries else None
        if row is None:
            return Status(on=False, enabled=enabled, last=last, paused_until=paused_until)
        today = self._rhythm_of(character_id).local(self._clock()).date().isoformat()
        return Status(
            on=self._pulses.is_on(row),
            enabled=enabled,
            due_at=row.due_at,
            last=last,
            today=row.today if row.day == today else 0,
            refusal=row.refusal,
            refused_at=row.refused_at,
            dropped=row.dropped,
            short=row.short,
            paused_until=paused_until,
        )

    def day(self, character_id: str, conversation_id: str, day: date | None = None) -> DayLine:
        """The phases and fragments of a day, today by default: data for the page (R7.6 d)."""
        path = self._path(character_id, conversation_id)
        rhythm = self._rhythm_of(character_id)
        entries = [*self._memory.dropped_entries(path), *self._memory.entries(path)]
        return day_line(day or rhythm.local(self._clock()).date(), rhythm, entries)

    def tidy(self) -> int:
        """Forget heartbeats of web chats that nobody chose and nobody visits any more; how many."""
        with self._database.write() as connection:
            return self._pulses.forget(connection, self._clock() - FORGET_AFTER)

    def local(self, character_id: str, at: datetime) -> datetime:
        """A moment as a character's clock shows it."""
        return self._rhythm_of(character_id).local(at)

    def _path(self, character_id: str, conversation_id: str) -> str:
        return self._memory.path_life_sim(character_id, conversation_id)
