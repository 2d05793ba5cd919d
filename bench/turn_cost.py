"""What a turn costs, apart from its model: by step and by what is stored; many turns at once (R6.10)."""

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.model import Answer, Ask, ChatModel, Health, Question, Reply
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.turn import Incoming, Overheard, Turn, Workflow

from .report import Bound, Row, percentile
from .turn_stored import START, asker, fill, thing

STORED = (0, 1_000, 10_000, 100_000)
"""Turns that are stored already."""
ROUNDS = 60
CROWD = 200
"""Conversations that speak at the same moment."""
SECONDS = 1.0
"""What the model takes to answer them."""
REQUESTS = 2
"""What a turn of this bench sends: a call that commits what was said, then the answer."""

_WARM_UP = 6
_STEPS = ("heard", "recalled", "answered", "sent", "recorded")
_TICK = 0.005
_SAID = ("我喜欢上了{0}，第{1}次去还是很有意思", "我打算周末去看{0}第{1}期，刚才说的那家店也顺路去一下")
"""Every other message points back, so that older turns are searched twice (R2.16)."""

T = TypeVar("T")


@dataclass(frozen=True)
class Slow:
    """A model that takes its time, and then answers as another one does."""

    model: ChatModel
    seconds: float
    name: str = "slow"
    health: Health = field(default_factory=Health)

    async def answer(self, ask: Ask) -> Answer:
        """Wait, then answer."""
        await asyncio.sleep(self.seconds)
        return await self.model.answer(ask)

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Wait, then answer."""
        await asyncio.sleep(self.seconds)
        return await self.model.ask(question)


@dataclass
class Clock:
    """A time that stands where it is put."""

    now: datetime = START

    def __call__(self) -> datetime:
        """The time."""
        return self.now


class World:
    """A running app with so many turns stored, and what turns cost there."""

    def __init__(self, app: App, clock: Clock, stored: int) -> None:
        self.app = app
        self._clock = clock
        self.stored = stored
        self.turns: list[Turn] = []
        self.totals: list[float] = []
        self.cpu: list[float] = []
        self._numbers = random.Random(2)
        self._said = 0

    async def turn(self, scope: Scope) -> None:
        """One turn, with the model of the app, which commits a fact and answers at once."""
        self._said += 1
        self._clock.now = START + timedelta(minutes=self._said)
        started, used = time.perf_counter(), time.process_time()
        turn = await self.app.workflow.run(incoming(scope, self._said, self._numbers))
        self.totals.append((time.perf_counter() - started) * 1000)
        self.cpu.append((time.process_time() - used) * 1000)
        self.turns.append(turn)
        if turn.answer is None or len(turn.answer.requests) != REQUESTS or turn.reply is None:
            raise RuntimeError(f"a turn of {REQUESTS} requests was expected: {turn.answer}, {turn.errors}")

    def row(self) -> Row:
        """The percentiles of a turn and of its steps, without the first ones."""
        totals, turns = self.totals[_WARM_UP:], self.turns[_WARM_UP:]
        steps = {
            f"{step} {name}": percentile([dict(turn.timings)[step] for turn in turns], part)
            for step in _STEPS
            for name, part in (("p50", 0.5), ("p95", 0.95))
        }
        whole = {"turn p50": percentile(totals, 0.5), "turn p95": percentile(totals, 0.95)}
        whole |= {"CPU p50": percentile(self.cpu[_WARM_UP:], 0.5)}
        return {"stored turns": self.stored, **whole, **steps}


def incoming(scope: Scope, number: int, numbers: random.Random) -> Incoming:
    """A message that states a fact."""
    text = _SAID[number % 2].format(thing(numbers), number)
    at = START + timedelta(minutes=number)
    return Incoming(scope=scope, speaker="小林", text=text, at=at, send=_send)


async def _send(text: str, name: str) -> None:
    """Deliver at once."""


LEGEND = f"""Times in ms, without the model's: it answers at once, with {REQUESTS} requests a turn.
CPU is of the whole process: what a turn would take with nothing else on the machine.
A tenth of the stored turns are the asker's own, another tenth were said in a group with them."""


async def cost(stored: Sequence[int], rounds: int, directory: Path) -> list[Row]:
    """Turn by turn, each size in turn; a row for each size."""
    async with AsyncExitStack() as opened:
        worlds: list[World] = []
        for size in sorted(set(stored)):
            print(f"storing {size:,} turns …", file=sys.stderr)
            world = await _opened(directory / str(size), size)
            opened.push_async_callback(world.app.close)
            worlds.append(world)
        for _ in range(_WARM_UP + rounds):
            for world in worlds:
                await world.turn(asker())
                await world.app.learner.idle()
        return [world.row() for world in worlds]


async def crowd(conversations: int, alone: int, seconds: float, directory: Path) -> list[Row]:
    """Everybody speaks at once, after some turns one by one; the row."""
    world = await _opened(directory, 0)
    try:
        return [await _crowd(world, conversations, alone, seconds)]
    finally:
        await world.app.close()


async def _crowd(world: World, conversations: int, alone: int, seconds: float) -> Row:
    app = world.app
    for number in range(_WARM_UP):
        await world.turn(asker(number))
    used, began = time.process_time(), time.perf_counter()
    for number in range(alone):
        await world.turn(asker(conversations + number))
    cpu = (time.process_time() - used) / alone
    wall = (time.perf_counter() - began) / alone
    model = Slow(await app.model(), seconds)

    async def slow() -> ChatModel:
        return model

    workflow = Workflow(app.rooms, slow, Overheard(), app.learner.turn_done)
    lags: list[float] = []
    ticking = asyncio.create_task(_tick(lags))
    used, began = time.process_time(), time.perf_counter()
    numbers = random.Random(3)
    turns = await asyncio.gather(
        *(workflow.run(incoming(asker(2_000 + number), number, numbers)) for number in range(conversations))
    )
    total, spent = time.perf_counter() - began, time.process_time() - used
    ticking.cancel()
    if any(turn.reply is None for turn in turns):
        raise RuntimeError("a turn was not answered")
    return {
        "conversations": conversations,
        "model s": seconds,
        "total s": total,
        "alone ms": wall * 1000,
        "CPU alone ms": cpu * 1000,
        "CPU at once ms": spent / conversations * 1000,
        "loop lag p50": percentile(lags, 0.5),
        "loop lag p99": percentile(lags, 0.99),
        "most": max(lags),
    }


async def _tick(lags: list[float]) -> None:
    """How much later than asked for the loop comes back, in ms."""
    while True:
        started = time.perf_counter()
        await asyncio.sleep(_TICK)
        lags.append((time.perf_counter() - started - _TICK) * 1000)


async def _opened(directory: Path, stored: int) -> World:
    """A running app whose store holds so many turns."""
    await asyncio.to_thread(_fill, directory, stored)
    clock = Clock()
    app = await asyncio.to_thread(App.open, Settings(), directory, clock=clock)
    app.start()
    await app.model()
    return World(app, clock, stored)


def _fill(directory: Path, stored: int) -> None:
    with Store.open(directory, clock=Clock()) as store:
        fill(store, stored)


def bounds_of(rows: Sequence[Row]) -> list[Bound]:
    """A turn costs the same whatever is stored; of a ratio, its two sizes must have been measured."""
    p50 = {row["stored turns"]: row["turn p50"] for row in rows}
    flat = [
        Bound("growth of a turn, 10,000 → 100,000 stored", p50[100_000] / p50[10_000], "at most", 1.5)
        for _ in range(p50.keys() >= {10_000, 100_000})
    ]
    return [
        *flat,
        *(Bound(f"a turn at {size:,} stored, p50", ms, "at most", 40, "ms") for size, ms in p50.items()),
    ]


def crowd_bounds_of(rows: Sequence[Row]) -> list[Bound]:
    """Turns at once cost little more than one after another, and leave the loop free.

    The processor's time decides; the whole time does so only where nothing else runs on the machine.
    """
    (row,) = rows
    allowed = row["model s"] + 1.3 * row["conversations"] * row["CPU alone ms"] / 1000
    return [
        Bound("CPU of a turn, at once ÷ alone", row["CPU at once ms"] / row["CPU alone ms"], "at most", 1.3),
        Bound(
            "all turns, of the model's time + 1.3 × their CPU alone",
            row["total s"] / allowed,
            "at most",
            1,
            "times",
        ),
        Bound("lag of the loop, p99", row["loop lag p99"], "at most", 50, "ms"),
    ]
