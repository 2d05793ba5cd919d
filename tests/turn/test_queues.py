"""R4.4: order within a conversation, conversations side by side, joining, a bounded queue."""

import asyncio
from itertools import count
from typing import Any

from nonebot_plugin_memoryfs.scope import Scope, Viewer
from nonebot_plugin_memoryfs.turn import Conversations, Incoming, Overheard, OverheardLine, Turn

from ..conftest import Clock

KEY = ("neko", "qq_group_9")


async def nowhere(_: str, __: str) -> None:
    return None


_ids = count(1)


def message(user: str, text: str, conversation: str = "qq_group_9", **more: Any) -> Turn:
    scope = Scope("neko", conversation, user, private=False)
    incoming = Incoming(scope=scope, speaker=f"人{user}", text=text, at=Clock()(), send=nowhere, **more)
    return Turn(incoming=incoming, turn_id=next(_ids), viewer=Viewer("neko", user, conversation))


class Desk:
    """Answers only when told to."""

    def __init__(self, limit: int = 20) -> None:
        self.started: list[str] = []
        self.done: list[str] = []
        self.open = asyncio.Event()
        self.overheard = Overheard()
        self.left: list[str] = []
        self.conversations = Conversations(self._run, self._drop, self.overheard, limit)

    async def _run(self, turn: Turn) -> None:
        text = turn.incoming.text
        self.started.append(text)
        if text == "坏":
            raise ValueError("bad luck")
        if text != "快":
            await self.open.wait()
        self.done.append(text)

    async def _drop(self, turn: Turn) -> None:
        self.left.append(turn.incoming.text)

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


async def test_r4_04_one_conversation_runs_in_order() -> None:
    desk = Desk()
    for number in range(5):
        await desk.conversations.submit(message(str(number), f"第{number}句"))
    await desk.settle()
    assert desk.started == ["第0句"]
    desk.open.set()
    await desk.conversations.idle()
    assert desk.done == [f"第{number}句" for number in range(5)]


async def test_r4_04_a_slow_conversation_delays_no_other() -> None:
    desk = Desk()
    await desk.conversations.submit(message("1", "慢"))
    await desk.conversations.submit(message("1", "快", "qq_group_8"))
    await desk.settle()
    assert desk.done == ["快"]
    await desk.conversations.close()


async def test_r4_04_neighbouring_messages_of_one_person_are_joined() -> None:
    desk = Desk()
    await desk.conversations.submit(message("1", "头", source_ids=("1",)))
    await desk.settle()
    for user, text in (("2", "甲"), ("2", ""), ("2", "乙"), ("3", "丙"), ("2", "丁")):
        await desk.conversations.submit(message(user, text, source_ids=(text,)))
    desk.open.set()
    await desk.conversations.idle()
    assert desk.done == ["头", "甲\n乙", "丙", "丁"]


async def test_r4_04_messages_to_two_accounts_are_two_turns() -> None:
    desk = Desk()
    await desk.conversations.submit(message("1", "头"))
    await desk.settle()
    for account in ("12345", "54321"):
        await desk.conversations.submit(message("2", f"给{account}", account=account))
    desk.open.set()
    await desk.conversations.idle()
    assert desk.done == ["头", "给12345", "给54321"]


async def test_r4_04_a_full_queue_drops_the_oldest_and_keeps_it_as_context() -> None:
    desk = Desk(limit=2)
    await desk.conversations.submit(message("1", "在答"))
    await desk.settle()
    for number in range(4):
        await desk.conversations.submit(message(str(number), f"第{number}句"))
    assert desk.conversations.dropped == 2
    assert desk.left == ["第0句", "第1句"]
    assert desk.overheard.take(KEY) == (OverheardLine("人0", "第0句"), OverheardLine("人1", "第1句"))
    desk.open.set()
    await desk.conversations.idle()
    assert desk.done == ["在答", "第2句", "第3句"]


async def test_r4_04_an_error_in_one_turn_does_not_stop_the_next() -> None:
    desk = Desk()
    desk.open.set()
    for user, text in (("1", "坏"), ("2", "好")):
        await desk.conversations.submit(message(user, text))
    await desk.conversations.idle()
    assert desk.done == ["好"]


async def test_r4_04_closing_stops_what_runs() -> None:
    desk = Desk()
    await desk.conversations.submit(message("1", "慢"))
    await desk.settle()
    await desk.conversations.close()
    await desk.conversations.idle()
    assert desk.done == []


def test_r4_02_overheard_lines_are_ten_and_taken_once() -> None:
    overheard = Overheard()
    for number in range(12):
        overheard.add(KEY, OverheardLine("小红", str(number)))
    assert [line.text for line in overheard.take(KEY)] == [str(number) for number in range(2, 12)]
    assert overheard.take(KEY) == ()
