"""The OneBot v11 implementation side (what NapCat or Lagrange is), for end-to-end tests.

It connects to the bot by reverse websocket, sends events and answers the bot's API calls.
"""

# A test says how long it is ready to wait:
# ruff: noqa: ASYNC109

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from .account import Account, ActionRefused, ApiCall, Sent
from .payloads import (
    ANONYMOUS_USER,
    Json,
    Message,
    at,
    event,
    face,
    forward,
    group_message,
    image,
    overridden,
    private_message,
    record,
    reply,
    text,
    to_cq,
)

__all__ = [
    "ActionRefused",
    "ApiCall",
    "ConnectionLost",
    "HandshakeRefused",
    "OneBotClient",
    "Sent",
    "at",
    "face",
    "forward",
    "image",
    "record",
    "reply",
    "text",
    "to_cq",
]


class HandshakeRefused(Exception):
    """The bot answered the websocket handshake with an HTTP error."""

    def __init__(self, url: str, status: int) -> None:
        super().__init__(f"{url} refused the websocket: HTTP {status}")
        self.status = status


class ConnectionLost(Exception):
    """The connection ended (or was never made) while a test waited for something."""


class OneBotClient(Account):
    """One QQ account connected to the bot.

    `async with` connects and announces itself as a real implementation does; a later `connect`
    after `close` or after the bot died goes on with the same account.
    """

    def __init__(
        self, *, url: str, self_id: int, access_token: str | None = None, nickname: str = "小忆"
    ) -> None:
        super().__init__(self_id=self_id, nickname=nickname)
        self.url = url
        self.access_token = access_token
        self.calls: list[ApiCall] = []
        """Every API call the bot has made, oldest first."""
        self.lost: set[str] = set()
        """Actions whose calls get lost: neither carried out nor answered."""
        self.unanswered: set[str] = set()
        """Actions that are carried out, but whose answer gets lost."""
        self.late: dict[str, float | asyncio.Event] = {}
        """Actions carried out at once, but answered after so many seconds or once it is set."""
        self._unread: list[Sent] = []
        self._changed = asyncio.Event()
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._late_answers: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.connect()
        await self.lifecycle()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Connection

    async def connect(self) -> None:
        """Connect, without sending anything yet.

        Raises `HandshakeRefused` with the HTTP status (403: wrong token, or the account is
        connected already) and `OSError` when nobody listens.
        """
        await self.close()
        headers = {"X-Self-ID": str(self.self_id), "X-Client-Role": "Universal"}
        if self.access_token is not None:
            headers["Authorization"] = f"Bearer {self.access_token}"
        try:
            self._socket = await connect(
                self.url,
                additional_headers=headers,
                user_agent_header="OneBot/11",
                proxy=None,
                ping_interval=None,
                max_size=None,
            )
        except InvalidStatus as error:
            raise HandshakeRefused(self.url, error.response.status_code) from error
        self._reader = asyncio.create_task(self._read(self._socket))
        self._reader.add_done_callback(lambda _: self._wake())

    async def close(self) -> None:
        """Disconnect; raises what went wrong while reading the bot's calls, if anything did."""
        for task in self._late_answers:
            task.cancel()
        if self._socket is not None and self._reader is not None:
            await self._socket.close()
            reader, self._reader = self._reader, None
            await reader

    async def wait_closed(self, *, timeout: float = 10.0) -> None:
        """Wait until the bot has closed the connection or is gone."""
        async with asyncio.timeout(timeout):
            if self._socket is not None:
                await self._socket.wait_closed()

    # Events

    async def emit(self, payload: Json) -> None:
        """Send any event as it is."""
        if self._socket is None:
            raise ConnectionLost("not connected")
        try:
            await self._socket.send(json.dumps(payload, ensure_ascii=False))
        except ConnectionClosed as error:
            raise ConnectionLost(str(error)) from error

    async def lifecycle(self) -> None:
        """Say that the connection is there."""
        fields = {"meta_event_type": "lifecycle", "sub_type": "connect"}
        await self.emit(event(self.self_id, "meta_event", **fields))

    async def heartbeat(self) -> None:
        """Say that the account is well."""
        status = {"online": True, "good": True}
        fields = {"meta_event_type": "heartbeat", "status": status, "interval": 30000}
        await self.emit(event(self.self_id, "meta_event", **fields))

    async def private(
        self, user_id: int, message: Message, *, nickname: str = "小明", **overrides: Any
    ) -> int:
        """A friend writes to the bot; a `str` goes as CQ string, a list as segments."""
        message_id = self.new_message_id()
        payload = private_message(self.self_id, user_id, message, message_id=message_id, nickname=nickname)
        return await self._message(payload, overrides)

    async def group(
        self,
        group_id: int,
        user_id: int,
        message: Message,
        *,
        nickname: str = "小明",
        card: str = "",
        role: str = "member",
        **overrides: Any,
    ) -> int:
        """A group member writes; a `str` goes as CQ string, a list as segments."""
        self.groups.setdefault(group_id, f"群{group_id}")
        payload = group_message(
            self.self_id,
            group_id,
            user_id,
            message,
            message_id=self.new_message_id(),
            nickname=nickname,
            card=card,
            role=role,
        )
        return await self._message(payload, overrides)

    async def anonymous(
        self, group_id: int, message: Message, *, name: str = "大力鬼王", **overrides: Any
    ) -> int:
        """Somebody writes into the group without showing who it is."""
        who = {"id": 1001, "name": name, "flag": "anonymous-flag"}
        fields: Json = {"sub_type": "anonymous", "anonymous": who, **overrides}
        return await self.group(group_id, ANONYMOUS_USER, message, nickname=name, **fields)

    async def message_sent(self, sent: Sent, **overrides: Any) -> int:
        """Report one of the bot's own messages back to it, as NapCat can be set to do."""
        payload = {**self.messages[sent.message_id], "post_type": "message_sent"}
        return await self._message(payload, overrides)

    async def recall(self, message_id: int, *, operator_id: int | None = None) -> None:
        """A known message is taken back, by its sender or an operator; `get_msg` forgets it."""
        message = self.messages.pop(message_id)
        fields: Json = {"message_id": message_id, "user_id": message["user_id"]}
        if message["message_type"] == "group":
            by = operator_id or message["user_id"]
            fields |= {"group_id": message["group_id"], "operator_id": by}
            await self.emit(event(self.self_id, "notice", notice_type="group_recall", **fields))
        else:
            await self.emit(event(self.self_id, "notice", notice_type="friend_recall", **fields))

    async def _message(self, payload: Json, overrides: Json) -> int:
        payload = overridden(payload, overrides)
        self.messages[payload["message_id"]] = payload
        await self.emit(payload)
        return payload["message_id"]

    # What the bot does

    async def next_reply(self, *, to: int | None = None, timeout: float = 10.0) -> Sent:
        """The oldest message not read yet, of those to one user or group if `to` is given."""

        def found() -> Sent | None:
            return next((s for s in self._unread if to in (None, s.target_id)), None)

        await self._until(lambda: found() is not None, timeout, "no reply")
        sent = found()
        assert sent is not None
        self._unread.remove(sent)
        return sent

    async def wait_sent(self, n: int, *, timeout: float = 10.0) -> list[Sent]:
        """All messages sent since the beginning, once they are at least `n`; they count as read."""
        await self._until(lambda: len(self.sent) >= n, timeout, f"not {n} messages")
        self._unread.clear()
        return list(self.sent)

    async def wait_calls(self, action: str, n: int = 1, *, timeout: float = 10.0) -> list[ApiCall]:
        """All calls of an action since the beginning, once they are at least `n`."""

        def found() -> list[ApiCall]:
            return [call for call in self.calls if call.action == action]

        await self._until(lambda: len(found()) >= n, timeout, f"not {n} calls of {action}")
        return found()

    async def silence(self, seconds: float) -> None:
        """Assert that no message is unread and none comes in this time."""
        with suppress(TimeoutError):
            await self._until(lambda: bool(self._unread), seconds, "silence")
        assert not self._unread, f"expected silence, got {self._unread}"

    async def _until(self, ready: Callable[[], bool], timeout: float, missing: str) -> None:
        try:
            async with asyncio.timeout(timeout):
                while not ready():
                    if self._reader is None or self._reader.done():
                        raise ConnectionLost(f"{missing}: the connection is gone")
                    await self._changed.wait()
        except TimeoutError:
            calls = [call.action for call in self.calls]
            raise TimeoutError(f"{missing} within {timeout} s; API calls so far: {calls}") from None

    async def _read(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for frame in socket:
                await self._receive(json.loads(frame))

    async def _receive(self, request: Json) -> None:
        action: str = request["action"]
        params: Json = request.get("params") or {}
        self.calls.append(ApiCall(action=action, params=params, at=time.monotonic()))
        if action not in self.lost:
            before = len(self.sent)
            answer = self.answer(action, params)
            self._unread += self.sent[before:]
            if "echo" in request:
                answer["echo"] = request["echo"]
            if action in self.late:
                task = asyncio.create_task(self._answer_late(answer, self.late[action]))
                self._late_answers.add(task)
                task.add_done_callback(self._late_answers.discard)
            elif action not in self.unanswered:
                await self._reply(answer)
        self._wake()

    async def _answer_late(self, answer: Json, wait: float | asyncio.Event) -> None:
        await (wait.wait() if isinstance(wait, asyncio.Event) else asyncio.sleep(wait))
        await self._reply(answer)

    async def _reply(self, answer: Json) -> None:
        with suppress(ConnectionLost):  # the bot may die between call and answer
            await self.emit(answer)

    def _wake(self) -> None:
        """Let everyone in `_until` look again."""
        self._changed.set()
        self._changed = asyncio.Event()
