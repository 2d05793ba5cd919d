"""Rooms that are really used: an app with the offline model, and people who talk to it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.scope import Scope, group_conversation, private_conversation
from nonebot_plugin_memoryfs.turn import Incoming
from nonebot_plugin_memoryfs.upkeep import Importer

from ..conftest import Clock

NAMES = {"10001": "小明", "10002": "阿红", "10003": "老王"}
SHANGHAI = ZoneInfo("Asia/Shanghai")
GROUP = group_conversation("9")


def private(user_id: str) -> Scope:
    return Scope("neko", private_conversation(user_id), user_id, private=True)


def in_group(user_id: str) -> Scope:
    return Scope("neko", GROUP, user_id, private=False)


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[App]:
    """An app that does not run."""
    app = App.open(Settings(), tmp_path / "data", clock=clock)
    yield app
    app.rooms.store.close()


@pytest.fixture
def importer(opened: App) -> Importer:
    rooms = opened.rooms
    return Importer(rooms.store, rooms.memory, rooms.prompts, rooms.graph, rooms.zone)


class Talk:
    """People who talk to the character, one after another."""

    def __init__(self, app: App, clock: Clock) -> None:
        self.app = app
        self.clock = clock
        self.sent: list[str] = []

    async def _send(self, text: str, _name: str) -> None:
        self.sent.append(text)

    async def say(self, scope: Scope, text: str) -> str:
        await self.app.workflow.run(self.incoming(scope, text))
        return self.sent[-1]

    def incoming(self, scope: Scope, text: str) -> Incoming:
        self.clock.advance(seconds=61)
        name = NAMES.get(scope.user_id, scope.user_id)
        return Incoming(scope=scope, speaker=name, text=text, at=self.clock(), send=self._send)


@pytest_asyncio.fixture
async def app(tmp_path: Path, clock: Clock, database_url: str | None) -> AsyncIterator[App]:
    app = await in_thread(App.open, Settings(), tmp_path / "data", clock=clock)
    app.start()
    await app.model()
    yield app
    await app.close()


@pytest_asyncio.fixture
async def talk(app: App, clock: Clock) -> Talk:
    return Talk(app, clock)
