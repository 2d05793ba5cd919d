"""R4.4: a spent budget gets a clear answer once per chat and day; a cooldown between two answers."""

from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.turn import Conversations, Overheard, Turn
from nonebot_plugin_memoryfs.turn.workflow import BUDGET_NOTICE

from ..conftest import Clock
from .conftest import GROUP, Chat
from .test_queues import message


async def opened(tmp_path: Path, clock: Clock, **settings: Any) -> Chat:
    return Chat(await in_thread(App.open, Settings(**settings), tmp_path / "data", clock=clock), clock)


@pytest.mark.parametrize("limit", [{"daily_calls": 3}, {"daily_tokens": 6}])
async def test_r4_04_a_spent_budget_is_told_once_per_chat_and_day(
    tmp_path: Path, clock: Clock, limit: dict[str, int]
) -> None:
    chat = await opened(tmp_path, clock, **limit)
    for _ in range(5):
        await chat.say("我在听歌")
    assert chat.sent == ["好的"] * 3 + [BUDGET_NOTICE]
    await chat.say("那我呢", GROUP)
    assert chat.sent[4:] == [BUDGET_NOTICE]
    assert len(chat.model.asked) == 3
    await in_thread(chat.app.rooms.store.close)
    chat = await opened(tmp_path, clock, **limit)
    await chat.say("重启以后")
    assert chat.sent == [], "counted and told before the restart"
    clock.advance(days=1)
    await chat.say("第二天")
    assert chat.sent == ["好的"]
    await in_thread(chat.app.rooms.store.close)


async def test_r4_04_what_is_said_without_budget_is_kept_all_the_same(tmp_path: Path, clock: Clock) -> None:
    chat = await opened(tmp_path, clock, daily_calls=1)
    await chat.say("早")
    turn = await chat.say("我喜欢摇滚")
    assert turn.answer is None
    assert turn.committed == ("喜欢：摇滚",)
    assert await chat.facts() == [("用户", "喜欢", "摇滚")]
    await in_thread(chat.app.rooms.store.close)


class Desk:
    """Answers at once; time passes only in `sleep`."""

    def __init__(self, cooldown: float) -> None:
        self.time = 100.0
        self.answered: list[tuple[float, str]] = []
        self.conversations = Conversations(
            self._answer, self._drop, Overheard(), 20, cooldown, now=lambda: self.time, sleep=self._sleep
        )

    async def _answer(self, turn: Turn) -> None:
        self.answered.append((self.time, turn.incoming.text))

    async def _drop(self, _: Turn) -> None:
        return None

    async def _sleep(self, seconds: float) -> None:
        self.time += seconds

    async def say(self, *texts: str, conversation: str = "qq_group_9") -> None:
        for number, text in enumerate(texts):
            await self.conversations.submit(message(str(number), text, conversation))
        await self.conversations.idle()


async def test_r4_04_two_answers_of_a_chat_are_so_far_apart() -> None:
    desk = Desk(30)
    await desk.say("甲", "乙", "丙")
    assert desk.answered == [(100.0, "甲"), (130.0, "乙"), (160.0, "丙")]
    await desk.say("别处", conversation="qq_group_8")
    assert desk.answered[-1] == (160.0, "别处")
    desk.time += 10
    await desk.say("丁")
    assert desk.answered[-1] == (190.0, "丁")


async def test_r4_04_without_a_cooldown_nobody_waits() -> None:
    desk = Desk(0)
    await desk.say("甲", "乙", "丙")
    assert [at for at, _ in desk.answered] == [100.0] * 3


async def test_r4_11_a_waiting_message_that_was_taken_back_is_not_answered() -> None:
    desk = Desk(30)
    await desk.conversations.submit(message("1", "甲", source_ids=("a",)))
    await desk.conversations.submit(message("2", "乙", source_ids=("b",)))
    desk.conversations.withdraw(("neko", "qq_group_9"), "b")
    await desk.conversations.idle()
    assert [text for _, text in desk.answered] == ["甲"]
