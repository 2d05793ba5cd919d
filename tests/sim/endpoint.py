"""A model service on a real socket: speaks Chat Completions over HTTP/1.1 and answers what a test says.

It keeps every request. What it does wrong, it does as real services do: wrong status, cut body, silence.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Self

_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]

    @property
    def roles(self) -> list[str]:
        return [message["role"] for message in self.messages]

    @property
    def tools(self) -> list[str]:
        """Names of the tools that were offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def characters(self) -> int:
        """Characters of all messages."""
        return len(json.dumps(self.messages, ensure_ascii=False))


@dataclass(frozen=True, kw_only=True)
class Response:
    """One HTTP answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    cut_after: int | None = None
    """End the connection after so many bytes of the body, which was announced whole."""
    silent: bool = False
    """Never answer; the connection stays open."""


def as_json(body: Any, status: int = 200, **headers: str) -> Response:
    """Any JSON as an answer."""
    all_headers = {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return Response(status=status, body=json.dumps(body, ensure_ascii=False).encode(), headers=all_headers)


def completion(message: Mapping[str, Any], usage: Any = _USAGE, finish: str = "stop") -> Response:
    """A chat completion with this message."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return as_json({**body, "usage": usage} if usage is not None else body)


def says(text: Any, usage: Any = _USAGE) -> Response:
    """The model says something."""
    return completion({"content": text}, usage)


def calls(*called: tuple[str, Any], text: str | None = None) -> Response:
    """The model calls tools, several at once; arguments that are text are sent as they are."""
    tool_calls = [
        {
            "id": f"call_{next(_IDS)}",
            "type": "function",
            "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
        }
        for name, args in called
    ]
    return completion({"content": text, "tool_calls": tool_calls}, finish="tool_calls")


def refuses(status: int, message: str = "no", **headers: str) -> Response:
    """An error as OpenAI words it."""
    return as_json({"error": {"message": message, "type": "x", "code": None}}, status, **headers)


def page(text: str = "<!DOCTYPE html><html><body>Welcome</body></html>", status: int = 200) -> Response:
    """A web page."""
    return Response(status=status, body=text.encode(), headers={"Content-Type": "text/html"})


_IDS = count(1)
Script = Callable[[Asked], Response]


def in_turn(answers: Iterable[Response]) -> Script:
    """Each request gets the next answer, the last one for ever."""
    rest = list(answers)
    return lambda _: rest.pop(0) if len(rest) > 1 else rest[0]


class Endpoint:
    """The service; `async with` opens and closes its socket."""

    def __init__(self, *answers: Response, script: Script | None = None) -> None:
        self.script = script or in_turn(answers)
        self.asked: list[Asked] = []
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    def answer(self, *answers: Response) -> None:
        """Begin another script."""
        self.script = in_turn(answers)

    @property
    def host(self) -> str:
        assert self._server is not None
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while (asked := await _read(reader)) is not None:
                self.asked.append(asked)
                answer = self.script(asked)
                if answer.silent:
                    await reader.read()
                    break
                writer.write(_head(answer) + answer.body[: answer.cut_after])
                await writer.drain()
                if answer.cut_after is not None:
                    break
        self._writers.discard(writer)
        writer.close()


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        begin = await reader.readexactly(1)
        if begin == b"\x16":  # https to a port that speaks http
            return None
        head = (begin + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(path=first.split()[1], headers=headers, body=json.loads(body or b"{}"))


def _head(answer: Response) -> bytes:
    headers = {**answer.headers, "Content-Length": str(len(answer.body))}
    lines = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
