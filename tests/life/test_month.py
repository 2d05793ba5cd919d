"""R5.9: a simulated month of 50 conversations: exactly what the rules allow, and none awake at night.

Two time zones, a change of clocks, people who come and go, a model that misbehaves a third of the time.
"""

import random
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event

from nonebot_plugin_memoryfs.character import Phase, Rhythm
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.life import Rules
from nonebot_plugin_memoryfs.life.check import LONGEST, SHORTEST, forbidden, not_asleep, repeated, weight
from nonebot_plugin_memoryfs.memory import HistoryLimits, MemoryFS
from nonebot_plugin_memoryfs.model import Question, Reply
from nonebot_plugin_memoryfs.model.kinds import T
from nonebot_plugin_memoryfs.storage import Store

from ..conftest import Clock
from ..postgres import SQLITE
from .conftest import Scripted, World

CHARACTERS = {
    "neko": Rhythm(ZoneInfo("Asia/Shanghai")),
    "owl": Rhythm(ZoneInfo("America/New_York")),
}
START = datetime(2026, 10, 20, tzinfo=UTC)  # clocks change in New York on 1 November
DAYS = 30
CHATS = 50
STEP = timedelta(minutes=15)

AWAKE = "坐在窗边看了半天的书，茶都凉透了才想起来喝。楼下有人推着车走过，车铃响了两声，夜色一点点压下来。"
BAD = (
    "用户今天没有来，只好抱着尾巴坐在门口等。天一点点黑下来，路灯亮了一盏又一盏，风把落叶吹到了脚边。",
    "作为一个AI，没有真正的身体，但还是想象着自己走在海边，浪花打湿了裤脚，远处有一艘白色的小船。",
    "收到一条消息，尾巴一下子翘了起来，赶紧回复了对方，又把小本子翻到新的一页，认真写下今天的事。",
    "系统提示：静默心跳任务开始。以下是生活片段，午后泡了一壶茶，看着叶子慢慢沉下去，心也静了。",
    "晒太阳。",
    "太阳很好" * 60,
    "",
    AWAKE,
)


def without_waiting_for_the_disk(store: Store) -> None:
    """A month has tens of thousands of commits, and no power cut."""
    engine = store.database._engine  # pyright: ignore[reportPrivateUsage]
    event.listen(engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous=OFF"))
    store.database.dispose()


class Unruly(Scripted):
    """Misbehaves a third of the time, in every way there is; knows what it said last."""

    def __init__(self, rng: random.Random, clock: Clock) -> None:
        super().__init__()
        self.rng, self.clock = rng, clock
        self.before_that = ""
        self.calls: dict[datetime, int] = defaultdict(int)

    async def ask(self, question: Question[T]) -> Reply[T]:
        self.calls[self.clock.now] += 1
        good = cast(str, question.by_rules())
        said = good
        if self.rng.random() < 1 / 3:
            match self.rng.randrange(6):
                case 0:
                    return Reply(value=None, failure="timeout")
                case 1:
                    raise ConnectionError("refused")
                case 2:
                    said = question.user.split("- ")[-1].split("\n")[0]  # a copy of the last one
                case _:
                    said = self.rng.choice(BAD)
        return Reply(value=cast(T, said))


class Reckoner:
    """What the rules say of one chat, reckoned anew: when people spoke, what was written."""

    def __init__(self, rhythm: Rhythm, rules: Rules) -> None:
        self.rhythm, self.rules = rhythm, rules
        self.spoke: list[datetime] = []
        self.written: list[datetime] = []

    def check(self) -> None:
        backoff, last = 0, None
        per_day: dict[str, int] = defaultdict(int)
        for at in self.written:
            spoken = max(s for s in self.spoke if s <= at)
            assert at - spoken >= self.rules.idle
            if last is not None:
                away = spoken <= last
                gap = self.rules.gap(backoff if away else 0)
                assert at - last >= gap, (last, at, backoff)
                backoff = backoff + 1 if away else 0
            last = at
            per_day[self.rhythm.local(at).date().isoformat()] += 1
        assert max(per_day.values()) <= self.rules.per_day


@pytest.mark.parametrize("database_url", [SQLITE], indirect=True)
async def test_r5_9_a_month_of_fifty_conversations(tmp_path: Path, clock: Clock, store: Store) -> None:
    clock.now = START
    await in_thread(without_waiting_for_the_disk, store)
    rng = random.Random(9)
    rules = Rules(calls=25)  # so that a crowd that is due at once is seldom kept waiting
    world = await in_thread(World, store, clock)
    world.memory = MemoryFS(store, history=HistoryLimits(versions=0, entries=10_000))
    world.rhythms = CHARACTERS
    world.model = unruly = Unruly(rng, clock)
    life = world.life = await in_thread(world.another, rules=rules)

    chats = [(("neko", "owl")[n % 2], f"qq_{('group', 'private')[n % 3 % 2]}_{n}") for n in range(CHATS)]
    reckoners = {chat: Reckoner(CHARACTERS[chat[0]], rules) for chat in chats}
    here = dict.fromkeys(chats, False)
    for character, conversation in chats:
        await world.speak(conversation, character)
        reckoners[character, conversation].spoke.append(clock.now)
        await world.on(conversation, character)

    while clock.now < START + timedelta(days=DAYS):
        clock.now += STEP
        for chat in chats:
            if rng.random() < 0.012:
                here[chat] = not here[chat]
            if here[chat] and rng.random() < 0.06:
                await world.speak(chat[1], chat[0])
                reckoners[chat].spoke.append(clock.now)
        await life.tick()

    assert max(unruly.calls.values()) <= rules.calls
    stored = 0
    for character, conversation in chats:
        rhythm, path = CHARACTERS[character], world.memory.path_life_sim(character, conversation)
        kept = await in_thread(world.memory.entries, path)
        entries = [*await in_thread(world.memory.dropped_entries, path), *kept]
        assert len(kept) == 10
        texts = [entry.text for entry in entries]
        for number, entry in enumerate(entries):
            assert entry.at is not None
            assert forbidden(entry.text) == ""
            assert SHORTEST <= weight(entry.text) <= LONGEST
            assert "\n" not in entry.text
            if rhythm.phase(entry.at) is Phase.SLEEPING:
                assert not_asleep(entry.text) == ""
            assert repeated(entry.text, texts[max(0, number - 5) : number]) == ""
        reckoner = reckoners[character, conversation]
        reckoner.written = [entry.at for entry in entries if entry.at]
        reckoner.check()
        stored += len(entries)
        status = await world.status(conversation, character)
        assert status.on
    assert stored > CHATS * DAYS  # a life, not a silence


@pytest.mark.parametrize("database_url", [SQLITE], indirect=True)
async def test_r5_9_with_a_good_model_it_is_exactly_what_the_rules_say(store: Store, clock: Clock) -> None:
    """Nobody comes back: the first after half an hour, then gaps of 1, 2, 4, 8, 8 … hours."""
    clock.now = START
    await in_thread(without_waiting_for_the_disk, store)
    world = await in_thread(World, store, clock)
    world.memory = MemoryFS(store, history=HistoryLimits(versions=0, entries=10_000))
    world.rhythms = CHARACTERS
    world.life = await in_thread(world.another, rules=Rules(calls=100))
    chats = [(("neko", "owl")[n % 2], f"qq_group_{n}") for n in range(6)]
    for character, conversation in chats:
        await world.speak(conversation, character)
        await world.on(conversation, character)
    await world.run(days=DAYS)
    expected, at = list[datetime](), START + timedelta(minutes=30)
    gap = timedelta(hours=1)
    while at <= START + timedelta(days=DAYS):
        expected.append(at)
        at, gap = at + gap, min(gap * 2, timedelta(hours=8))
    for character, conversation in chats:
        path = world.memory.path_life_sim(character, conversation)
        dropped = await in_thread(world.memory.dropped_entries, path)
        kept = await in_thread(world.memory.entries, path)
        assert [entry.at for entry in (*dropped, *kept)] == expected
