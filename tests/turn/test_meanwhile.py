"""R4.11, R7.4: what is taken back or erased while a turn runs, or after it, is in nothing kept of it."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from sqlalchemy import select

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.storage.presence import note_presence
from nonebot_plugin_memoryfs.storage.tables import lines, traces, turns
from nonebot_plugin_memoryfs.turn import OverheardLine
from nonebot_plugin_memoryfs.turn.values import join

from .conftest import GROUP, Chat

KEY = ("neko", "qq_group_9")
SECRET = "我昨天看了剑鱼"
BESIDE = OverheardLine("小红", SECRET, "m2")


def kept(app: App) -> list[str]:
    """All that is kept of turns."""
    with app.rooms.store.database.read() as c:
        rows = [row for table in (turns, lines, traces) for row in c.execute(select(table))]
    return [str(value) for row in rows for value in row]


async def keeps(chat: Chat, word: str) -> bool:
    return any(word in value for value in await in_thread(kept, chat.app))


async def withdraw(chat: Chat) -> None:
    """What the app does about a recall notice."""
    chat.overheard.withdraw(KEY, "m2")
    await in_thread(chat.app.rooms.learning.withdraw, *KEY, "m2")


async def test_r4_11_a_line_taken_back_after_a_turn_is_in_no_prompt(chat: Chat) -> None:
    chat.overheard.add(KEY, BESIDE)
    await chat.say("你怎么看", GROUP)
    assert await keeps(chat, SECRET)
    await withdraw(chat)
    assert not await keeps(chat, SECRET)
    assert await keeps(chat, "你怎么看")


async def test_r4_11_a_line_taken_back_during_a_turn_is_in_no_prompt(chat: Chat) -> None:
    chat.model.before = lambda: withdraw(chat)
    for quoted in (None, BESIDE):
        if quoted is None:
            chat.overheard.add(KEY, BESIDE)
        turn = await chat.say("你怎么看", GROUP, quoted=quoted)
        assert SECRET in chat.model.asked[-1].user
        assert turn.reply == "好的"
        assert not await keeps(chat, SECRET)


async def test_r4_11_a_line_that_comes_after_its_notice_is_not_kept(chat: Chat) -> None:
    await withdraw(chat)
    chat.overheard.add(KEY, BESIDE)
    await chat.say("你怎么看", GROUP)
    assert SECRET not in chat.model.asked[-1].user


async def test_r7_04_an_answer_given_while_somebody_is_erased_is_not_kept(chat: Chat) -> None:
    """It was asked with what was known of them; what the asker said stays."""

    def meet() -> None:
        with chat.app.rooms.store.database.write() as c:
            note_presence(c, "2", "qq_group_9", chat.clock())

    async def erase() -> None:
        chat.clock.advance(seconds=1)
        await in_thread(chat.app.keeping.erase_person, "2")

    await in_thread(meet)
    chat.overheard.add(KEY, BESIDE)
    chat.model.says = "小红昨天看了剑鱼呢"
    chat.model.before = erase
    turn = await chat.say("我在学潜水，你怎么看", GROUP)
    assert chat.sent == ["小红昨天看了剑鱼呢"]
    assert turn.recorded
    assert not await keeps(chat, "剑鱼")
    assert await keeps(chat, "我在学潜水")
    assert [fact[1:] for fact in await chat.facts(GROUP)] == [("在学", "潜水")]
    chat.model.before = None
    chat.model.says = "好呀"
    await chat.say("那好", GROUP)
    assert await keeps(chat, "好呀")


@pytest.mark.parametrize(("gone", "left"), [("a", "还喜欢爵士"), ("b", "我喜欢摇滚")])
async def test_r4_11_a_joined_message_taken_back_is_no_part_of_its_turn(
    chat: Chat, gone: str, left: str
) -> None:
    first = await chat.workflow.hear(chat.incoming("我喜欢摇滚", source_ids=("a",)))
    second = await chat.workflow.hear(chat.incoming("还喜欢爵士", source_ids=("b",)))
    await in_thread(chat.app.rooms.learning.withdraw, "neko", "qq_private_1", gone)
    turn = await chat.workflow.answer(join(first, second))
    assert chat.model.asked[-1].user == left
    assert turn.recorded
    assert await in_thread(chat.app.rooms.graph.open_turns) == []
    assert await keeps(chat, left)


async def test_r6_04_what_a_tool_could_not_store_the_host_commits(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = chat.app.rooms.graph
    while_open = graph.while_open

    @contextmanager
    def on_a_full_disk(turn_id: int) -> Generator[bool]:
        with while_open(turn_id) as is_open:
            yield is_open
            raise OSError("full")

    monkeypatch.setattr(graph, "while_open", on_a_full_disk)
    triplet = {"subject": "用户", "relation": "喜欢", "object": "摇滚"}
    chat.model.calls = [("memory_commit", {"triplets": [triplet]})]
    turn = await chat.say("我喜欢摇滚")
    assert turn.committed == ("喜欢：摇滚",)
    assert await chat.facts() == [("用户", "喜欢", "摇滚")]
