"""The web edge on a FastAPI server in this process, asked by a client of any address."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import parse
from nonebot_plugin_memoryfs.memory import MemoryFS

from ..conftest import Clock

TOKEN = "correct horse"
URL = web.MEMORY_FILES
RIGHT = {"Authorization": f"Bearer {TOKEN}"}


@dataclass
class Page:
    """An app served on a server."""

    server: FastAPI
    app: App

    @property
    def memory(self) -> MemoryFS:
        return self.app.rooms.memory

    async def write(self, path: str, **fields: Any) -> None:
        await in_thread(self.memory.write, path, **fields)

    async def get(
        self,
        url: str = URL,
        *,
        client: tuple[str, int] | None = ("127.0.0.1", 50000),
        headers: dict[str, str] | dict[bytes, bytes] = RIGHT,
        method: str = "GET",
        **params: str,
    ) -> httpx2.Response:
        """Ask the server, as a client at this address."""
        transport = httpx2.ASGITransport(self.server, client=client)  # type: ignore[arg-type]
        async with httpx2.AsyncClient(transport=transport, base_url="http://bot") as http:
            return await http.request(method, url, params=params or None, headers=headers)


async def open_app(directory: Path, clock: Clock, **settings: Any) -> App:
    return await in_thread(App.open, parse(settings), directory, clock=clock)


@pytest.fixture
async def page(tmp_path: Path, clock: Clock) -> AsyncIterator[Page]:
    app = await open_app(tmp_path / "data", clock, web_token=TOKEN)
    server = FastAPI(openapi_url="/openapi.json")
    assert await web.serve(server, app)
    yield Page(server, app)
    web.withdraw(server)
    await app.close()
