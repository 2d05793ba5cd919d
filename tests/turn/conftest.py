"""A workflow over real rooms, with a model that does what the test says."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.model import Answer, Ask, ModelRequestLog, ToolCall
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.turn import Incoming, Overheard, Turn, Workflow

from ..conftest import Clock

PRIVATE = Scope("neko", "qq_private_1", "1", private=True)
GROUP = Scope("neko", "qq_group_9", "1", private=False)


@dataclass
class Scripted:
    """A model that calls these tools in order, then says this; it keeps what it was asked."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    says: str = "好的"
    fails: bool = False
    asked: list[Ask] = field(default_factory=list[Ask])
    before: Callable[[], Awaitable[None]] | None = None
    name: str = "scripted"

    async def answer(self, ask: Ask) -> Answer:
        self.asked.append(ask)
        if self.before:
            await self.before()
        if self.fails:
            return Answer(failure="refused")
        tools = {tool.name: tool for tool in ask.tools}
        done: list[ToolCall] = []
        for name, args in self.calls:
            result = await tools[name].call(args)
            call = ToolCall(name=name, arguments=args, ok=result.ok, result=result.text, milliseconds=0)
            done.append(call)
        log = ModelRequestLog(text=f"{ask.system}\n\n{ask.user}", milliseconds=0)
        return Answer(text=self.says, calls=tuple(done), requests=(log,), input_tokens=1, output_tokens=1)


class Chat:
    """Says things and keeps what came back."""

    def __init__(self, app: App, clock: Clock) -> None:
        self.app = app
        self.clock = clock
        self.model = Scripted()
        self.overheard = Overheard()
        self.sent: list[str] = []
        self.refuses = False
        self.workflow = Workflow(app.rooms, self._model, self.overheard)

    async def _model(self) -> Scripted:
        return self.model

    async def _send(self, text: str, name: str) -> None:
        assert name == "小忆"
        if self.refuses:
            raise ConnectionError("blocked")
        self.sent.append(text)

    def incoming(self, text: str, scope: Scope = PRIVATE, **more: Any) -> Incoming:
        incoming = Incoming(scope=scope, speaker="小明", text=text, at=self.clock(), send=self._send)
        return replace(incoming, **more)

    async def say(self, text: str, scope: Scope = PRIVATE, **more: Any) -> Turn:
        self.clock.advance(seconds=1)
        return await self.workflow.run(self.incoming(text, scope, **more))

    async def facts(self, scope: Scope = PRIVATE, query: str = "用户") -> list[tuple[str, str, str]]:
        found = (await in_thread(self.app.rooms.graph.memory_recall, scope, query)).facts
        return sorted((fact.subject, fact.relation, fact.object) for fact in found)


@pytest.fixture
def app(tmp_path: Path, clock: Clock) -> Iterator[App]:
    app = App.open(Settings(), tmp_path / "data", clock=clock)
    yield app
    app.rooms.store.close()


@pytest.fixture
def chat(app: App, clock: Clock) -> Chat:
    return Chat(app, clock)
