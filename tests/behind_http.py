"""A chat whose model is a scripted service on a real socket (`tests.sim.endpoint`); waits take no time."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.model import Patience
from nonebot_plugin_memoryfs.turn import Turn

from .conftest import Clock
from .sim.endpoint import Endpoint, Response, says
from .turn.conftest import Chat

KEY = "sk-hunter2-0123456789"
GOOD = says("好的喵")
COMMIT = ("memory_commit", {"triplets": [{"subject": "用户", "relation": "喜欢", "object": "摇滚"}]})


@dataclass
class Waits:
    """Time as the retries see it: it passes when somebody sleeps, and not otherwise."""

    slept: list[float] = field(default_factory=list[float])

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    @property
    def patience(self) -> Patience:
        return Patience(clock=lambda: sum(self.slept), sleep=self.sleep)


class World:
    """A chat whose model is behind a real socket."""

    def __init__(self, app: App, chat: Chat, service: Endpoint, waits: Waits) -> None:
        self.app = app
        self.chat = chat
        self.service = service
        self.waits = waits

    async def say(self, text: str = "我喜欢摇滚") -> Turn:
        return await self.chat.say(text)


Make = Callable[..., Any]


@pytest.fixture
async def service() -> AsyncIterator[Endpoint]:
    async with Endpoint(GOOD) as service:
        yield service


@pytest.fixture
async def world(tmp_path: Path, clock: Clock, service: Endpoint) -> AsyncIterator[Make]:
    """Makes the one world of a test, with more settings where it wants some."""
    opened: list[App] = []

    async def make(*answers: Response, **settings: Any) -> World:
        if answers:
            service.answer(*answers)
        waits = Waits()
        given = {"base_url": service.url, "api_key": SecretStr(KEY), "model": "neko-1", **settings}
        app = await in_thread(
            App.open, Settings(**given), tmp_path / "data", clock=clock, patience=waits.patience
        )
        app.start()
        opened.append(app)
        chat = Chat(app, clock)
        chat.workflow = app.workflow
        return World(app, chat, service, waits)

    yield make
    for app in opened:
        await app.close()
