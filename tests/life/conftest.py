"""A life over real rooms, with a clock moved by hand and a model that does what the test says."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from nonebot_plugin_memoryfs.character import Rhythm, built_in
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.graph.chain import add_turn
from nonebot_plugin_memoryfs.life import Life, Rules, Status
from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.model import Answer, Ask, Question, Reply
from nonebot_plugin_memoryfs.model.kinds import T
from nonebot_plugin_memoryfs.scope import Scope, kind_of
from nonebot_plugin_memoryfs.storage import Store

from ..conftest import Clock
from ..postgres import parametrise as pytest_generate_tests  # noqa: F401  (every test on both databases)

CHAT, GROUP, WEB = "qq_private_1", "qq_group_9", "web_abc"


@dataclass
class Scripted:
    """A model that says what stands in `says`, one after another; then what the rules say."""

    says: list[str | Exception | None] = field(default_factory=list[str | Exception | None])
    asked: list[Question[Any]] = field(default_factory=list[Question[Any]])
    before: Callable[[], None] | None = None
    name: str = "scripted"

    async def answer(self, ask: Ask) -> Answer:
        raise AssertionError("a life asks questions")

    async def ask(self, question: Question[T]) -> Reply[T]:
        self.asked.append(question)
        if self.before:
            await in_thread(self.before)
        said = self.says.pop(0) if self.says else cast(str, question.by_rules())
        if isinstance(said, Exception):
            raise said
        failure = "refused" if said is None else ""
        return Reply(value=cast(T, said), failure=failure)


class World:
    """A life, its clock, its model, and the people who speak."""

    def __init__(self, store: Store, clock: Clock, **more: Any) -> None:
        self.store, self.clock = store, clock
        self.model = Scripted()
        self.memory = MemoryFS(store)
        self.rhythms: dict[str, Rhythm] = {}
        self.life = self.another(**more)

    def another(self, store: Store | None = None, *, rules: Rules | None = None, web_on: bool = True) -> Life:
        """One more life over the same tables, as another process has it."""
        store = store or self.store
        return Life(
            store,
            self.memory if store is self.store else MemoryFS(store),
            self._model,
            rules=rules or Rules(),
            card_of=lambda _: built_in(),
            rhythm_of=lambda character: self.rhythms.get(character, Rhythm()),
            web_on=web_on,
            rng=random.Random(7),
        )

    async def _model(self) -> Scripted:
        return self.model

    def _speak(self, conversation: str, character: str) -> None:
        scope = Scope(character, conversation, "1", private=kind_of(conversation) != "group")
        with self.store.database.write() as connection:
            add_turn(connection, scope, "小明", "我喜欢秘密的摇滚", (), self.clock())

    async def speak(self, conversation: str = CHAT, character: str = "neko") -> None:
        """Somebody says something to the character, now."""
        await in_thread(self._speak, conversation, character)

    async def on(self, conversation: str = CHAT, character: str = "neko") -> None:
        await in_thread(self.life.switch, character, conversation, True)

    async def off(self, conversation: str = CHAT, character: str = "neko") -> None:
        await in_thread(self.life.switch, character, conversation, False)

    async def status(self, conversation: str = CHAT, character: str = "neko") -> Status:
        return await in_thread(self.life.status, character, conversation)

    async def fragments(self, conversation: str = CHAT, character: str = "neko") -> tuple[Entry, ...]:
        """What stands in the file."""
        return await in_thread(self.memory.entries, self.memory.path_life_sim(character, conversation))

    async def until(self, at: datetime) -> None:
        """Tick every five minutes until then."""
        while self.clock.now < at:
            self.clock.advance(minutes=5)
            await self.life.tick()

    async def run(self, **amount: float) -> None:
        await self.until(self.clock.now + timedelta(**amount))


@pytest.fixture
def world(store: Store, clock: Clock) -> World:
    return World(store, clock)
