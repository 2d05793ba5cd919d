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
        return await self.ask(method, url, client=client, headers=headers, params=params or None)

    async def ask(
        self,
        method: str,
        url: str,
        *,
        client: tuple[str, int] | None = ("127.0.0.1", 50000),
        headers: dict[str, str] | dict[bytes, bytes] = RIGHT,
        **request: Any,
    ) -> httpx2.Response:
        transport = httpx2.ASGITransport(self.server, client=client)  # type: ignore[arg-type]
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            return await http.request(method, url, headers=headers, **request)

    async def chat(self, text: str) -> dict[str, Any]:
        """Say something to the character and give its answer."""
        answer = await self.ask("POST", f"{web.API}/chat", json={"text": text})
        assert answer.status_code == 200, answer.text
        return answer.json()


async def open_app(directory: Path, clock: Clock, **settings: Any) -> App:
    return await in_thread(App.open, parse(settings), directory, clock=clock)


@pytest.fixture
async def page(tmp_path: Path, clock: Clock) -> AsyncIterator[Page]:
    app = await open_app(tmp_path / "data", clock, web_token=TOKEN)
    server = FastAPI(openapi_url="/openapi.json")
    app.start()
    assert await web.serve(server, app)
    yield Page(server, app)
    web.withdraw(server)
    await app.close()
