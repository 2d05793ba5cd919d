"""Conversations over real rooms, with a learner whose model answers what the test says."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.learn import Extraction, Item, Learner
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.model import Answer, Ask, ModelRequestLog, Question, Reply
from nonebot_plugin_memoryfs.model.patience import Patience
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.turn import Incoming, Overheard, Turn, Workflow

from ..conftest import Clock
from .evening import GROUP_ID as GROUP_ID
from .evening import in_group as in_group

PRIVATE = Scope("neko", "qq_private_1", "1", private=True)
KEY = ("neko", "qq_private_1")


@dataclass
class Teacher:
    """A model that says one thing in chats, and extracts what it is told to; by the rules without items."""

    items: list[dict[str, Any]] | None = None
    fails: bool = False
    tokens: int = 10
    says: str = "好的"
    """What it answers; `{}` stands for what was said."""
    asked: list[Question[Any]] = field(default_factory=list[Question[Any]])
    name: str = "teacher"

    async def answer(self, ask: Ask) -> Answer:
        log = ModelRequestLog(text=f"{ask.system}\n\n{ask.user}", milliseconds=0)
        return Answer(text=self.says.format(ask.brief.text), requests=(log,), input_tokens=self.tokens)

    async def ask(self, question: Question[Any]) -> Reply[Any]:
        self.asked.append(question)
        if self.fails:
            return Reply(value=None, failure="503", input_tokens=self.tokens)
        if self.items is None:
            return Reply(value=question.by_rules(), input_tokens=self.tokens)
        items = [Item.model_validate(item) for item in self.items]
        return Reply(value=Extraction(items=items), input_tokens=self.tokens)


class Talk:
    """Says things, one turn after another, and learns when told to."""

    def __init__(self, app: App, clock: Clock) -> None:
        self.app = app
        self.clock = clock
        self.teacher = Teacher()
        self.sent: list[str] = []
        self.learner = Learner(app.rooms.learning, self.model)
        self.workflow = Workflow(app.rooms, self.model, Overheard(), self.learner.turn_done)
        self._messages = 0

    async def model(self) -> Teacher:
        return self.teacher

    async def _send(self, text: str, _: str) -> None:
        self.sent.append(text)

    async def say(self, text: str, scope: Scope = PRIVATE, speaker: str = "小明") -> Turn:
        """One turn, and whatever is learnt after it; its message id is `m1`, `m2` …"""
        self.clock.advance(seconds=30)
        self._messages += 1
        incoming = Incoming(
            scope=scope,
            speaker=speaker,
            text=text,
            at=self.clock(),
            send=self._send,
            source_ids=(f"m{self._messages}",),
        )
        turn = await self.workflow.run(incoming)
        await self.learner.idle()
        return turn

    async def chat(self, *texts: str, scope: Scope = PRIVATE, speaker: str = "小明") -> None:
        for text in texts:
            await self.say(text, scope, speaker)

    async def entries(self, path: str) -> list[Entry]:
        return list(await in_thread(self.app.rooms.memory.entries, path))

    async def texts(self, path: str) -> list[str]:
        return [entry.text for entry in await self.entries(path)]

    async def persona(self, user_id: str = "1") -> list[str]:
        return await self.texts(self.app.rooms.memory.path_user_persona("neko", user_id))

    async def prompt(self, scope: Scope = PRIVATE) -> str:
        return await in_thread(
            self.app.rooms.memory.build_prompt_context, "neko", scope.user_id, scope.conversation_id
        )

    async def withdraw(self, number: int, conversation_id: str = "qq_private_1") -> bool:
        return await in_thread(self.app.rooms.learning.withdraw, "neko", conversation_id, f"m{number}")

    async def facts(self, scope: Scope = PRIVATE, query: str = "用户") -> list[tuple[str, str]]:
        found = (await in_thread(self.app.rooms.graph.memory_recall, scope, query)).facts
        return sorted((fact.relation, fact.object) for fact in found)


def open_app(directory: Path, clock: Clock, **settings: Any) -> App:
    return App.open(Settings(**settings), directory, clock=clock)


@pytest.fixture
def app(tmp_path: Path, clock: Clock, database_url: str | None) -> Iterator[App]:
    """An app; on PostgreSQL where a test says `on_both`."""
    with Store.open(tmp_path / "data", database_url, clock=clock) as store:
        yield App(store, Settings(), Patience())


@pytest.fixture
def talk(app: App, clock: Clock) -> Talk:
    return Talk(app, clock)
