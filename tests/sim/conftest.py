"""Fixtures for the tests of the simulator: a bot that is nothing but a websocket server."""

import asyncio
import json
from collections.abc import AsyncIterator
from http import HTTPStatus

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from .onebot import OneBotClient
from .payloads import Json

TOKEN = "s3cret"
BOT = 12345


class PlainBot:
    """The bot's end: queues what comes and sends what a test says."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[Json] = asyncio.Queue()
        self.headers: dict[str, str] = {}
        self._socket: ServerConnection | None = None

    async def serve(self, socket: ServerConnection) -> None:
        self._socket = socket
        assert socket.request is not None
        self.headers = dict(socket.request.headers)
        async for frame in socket:
            self.frames.put_nowait(json.loads(frame))

    def check_token(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Authorization") == f"Bearer {TOKEN}":
            return None
        return connection.respond(HTTPStatus.FORBIDDEN, "")

    async def frame(self) -> Json:
        """The next event or answer."""
        return await asyncio.wait_for(self.frames.get(), 5)

    async def send(self, **request: object) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(request))

    async def call(self, action: str, **params: object) -> Json:
        """Call the API and return the next frame, which should be the answer."""
        await self.send(action=action, params=params, echo="1")
        return await self.frame()

    def die(self) -> None:
        """End the connection without a word."""
        assert self._socket is not None
        self._socket.transport.abort()


@pytest.fixture
async def bot() -> PlainBot:
    return PlainBot()


@pytest.fixture
async def url(bot: PlainBot) -> AsyncIterator[str]:
    async with serve(bot.serve, "127.0.0.1", 0, process_request=bot.check_token) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}/onebot/v11/ws"


@pytest.fixture
async def client(url: str, bot: PlainBot) -> AsyncIterator[OneBotClient]:
    async with OneBotClient(url=url, self_id=BOT, access_token=TOKEN) as client:
        assert (await bot.frame())["meta_event_type"] == "lifecycle"
        yield client
