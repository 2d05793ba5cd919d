"""R3.5, R3.8–R3.10, R1.19: notes in a turn's prompt, cut first, told once, and in the trace."""

import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.errors import ConfigError
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.prompt import PromptManager, PromptStack, get_prompt_manager, seed
from nonebot_plugin_memoryfs.prompt.stack import BUDGET
from nonebot_plugin_memoryfs.storage.prompt_tables import notes
from nonebot_plugin_memoryfs.turn import explain, latest_trace

from ..conftest import Clock
from .conftest import GROUP, PRIVATE, Chat


async def add(chat: Chat, title: str, content: str, target: str = "user_1", **more: Any) -> None:
    await in_thread(chat.app.rooms.prompts.add_memory, title, content, target, **more)


def section(system: str, title: str) -> str:
    """The text of a section, empty where it is absent."""
    return system.partition(f"{title}\n")[2].split("\n\n")[0]


async def test_r3_05_notes_stand_in_the_prompt_and_the_trace(chat: Chat) -> None:
    await add(chat, "考试", "周五考高等数学")
    await add(chat, "别人的", "别人的秘密", "user_2")
    turn = await chat.say("高等数学怎么复习")
    ask = chat.model.asked[-1]
    assert section(ask.system, "【重要记忆】") == "- 考试：周五考高等数学（2026-07-08）"
    assert "别人的秘密" not in ask.system
    [note] = await in_thread(chat.app.rooms.prompts.get_memories, "user_1")
    told = await in_thread(latest_trace, chat.app.rooms.store.database)
    assert told is not None
    assert told["recalled"]["notes"] == [note["id"]]
    assert told["recalled"]["notes_left_out"] == 0
    assert ["memories", 31] in told["prompt"]["kept"]
    assert "便签 1 条（另有 0 条没放下）" in explain(told)
    assert turn.recorded


async def test_r1_17_a_note_of_a_private_chat_stays_out_of_a_group(chat: Chat) -> None:
    await add(chat, "私下", "私下说的")
    await add(chat, "群里", "群里说的", conversation_id="qq_group_9")
    await chat.say("你好", GROUP)
    assert section(chat.model.asked[-1].system, "【重要记忆】") == "- 群里：群里说的（2026-07-08）"
    await chat.say("你好", PRIVATE)
    assert "私下说的" in chat.model.asked[-1].system


async def test_r3_05_a_note_belongs_to_a_character_by_id_or_name(chat: Chat) -> None:
    for name in ("neko", "小忆", "NEKO", "kitsune"):
        await add(chat, name, "x", character_name=name)
    await chat.say("你好")
    told = section(chat.model.asked[-1].system, "【重要记忆】").splitlines()
    assert [line[2:].split("：")[0] for line in told] == ["NEKO", "小忆", "neko"]


async def test_r3_08_tools_that_go_natively_are_not_printed(chat: Chat) -> None:
    await chat.say("你好")
    ask = chat.model.asked[-1]
    assert [tool.name for tool in ask.tools]
    assert "可用工具" not in ask.system
    assert "query_intent" not in ask.system


async def test_r3_10_notes_are_cut_first_and_it_is_told(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        await add(chat, f"第{number}件", "一件小事" * 20)
    await chat.say("你好")
    whole = len(chat.model.asked[-1].system)
    assert whole <= BUDGET
    render = PromptStack.render
    monkeypatch.setattr(PromptStack, "render", lambda stack: render(stack, whole - 200))
    turn = await chat.say("你好")
    assert turn.prompt is not None
    assert [cut.part for cut in turn.prompt.cuts] == ["notes"]
    told = await in_thread(latest_trace, chat.app.rooms.store.database)
    assert told is not None
    assert told["prompt"]["cuts"][0]["part"] == "notes"
    assert "第7件" in chat.model.asked[-1].system
    assert len(chat.model.asked[-1].system) <= whole - 200


async def test_r3_10_a_fact_in_an_injected_entry_is_not_repeated(chat: Chat) -> None:
    memory = chat.app.rooms.memory
    await chat.say("我喜欢摇滚，我打算去爬山")
    persona = memory.path_user_persona("neko", "1")
    entry = Entry(
        "是学生，喜欢摇滚；以前打算去爬山", at=chat.clock(), conversation_id="qq_private_1", people=("1",)
    )
    await in_thread(memory.append, persona, entry)
    await chat.say("摇滚和爬山，你记得吗")
    facts = section(chat.model.asked[-1].system, "## 想起的事")
    assert "打算 去爬山" in facts
    assert "喜欢 摇滚" not in facts
    told = await in_thread(latest_trace, chat.app.rooms.store.database)
    assert told is not None
    assert len(told["recalled"]["facts"]) == 2
    assert len(told["recalled"]["facts_repeated"]) == 1


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("不喜欢摇滚", ("1",)),
        ("喜欢摇滚的人很多", ("1",)),
        ("听说喜欢摇滚", ("1",)),
        ("小红喜欢摇滚", ("1",)),
    ],
)
async def test_r3_10_an_entry_that_says_something_else_costs_no_fact(
    chat: Chat, text: str, people: tuple[str, ...]
) -> None:
    memory = chat.app.rooms.memory
    await chat.say("我喜欢摇滚")
    entry = Entry(text, at=chat.clock(), conversation_id="qq_private_1", people=people)
    await in_thread(memory.append, memory.path_user_persona("neko", "1"), entry)
    await chat.say("摇滚，你记得吗")
    assert "喜欢 摇滚" in section(chat.model.asked[-1].system, "## 想起的事")


async def test_r3_10_a_note_in_an_injected_entry_is_not_repeated(chat: Chat) -> None:
    memory = chat.app.rooms.memory
    entry = Entry("周五考高等数学。", at=chat.clock(), conversation_id="qq_private_1", people=("1",))
    await in_thread(memory.append, memory.path_user_persona("neko", "1"), entry)
    await add(chat, "考试", "周五考高等数学")
    await chat.say("你好")
    assert "【重要记忆】" not in chat.model.asked[-1].system
    assert chat.model.asked[-1].system.count("周五考高等数学") == 1


async def test_r1_19_a_note_of_a_turn_that_was_corrected_says_so(chat: Chat) -> None:
    turn = await chat.say("我住在上海")
    await add(chat, "住处", "住在上海", source_event_id=str(turn.turn_id))
    await add(chat, "旅行", "去过上海")
    await chat.say("你好")
    assert "住处：住在上海" in chat.model.asked[-1].system
    await chat.say("我现在住在北京")
    await chat.say("你好")
    told = section(chat.model.asked[-1].system, "【重要记忆】")
    assert told == "- 旅行：去过上海（2026-07-08）\n- （已更正）"
    brief = chat.model.asked[-1].brief
    assert not any("住在上海" in entry for entry in brief.entries)


async def test_r3_10_notes_do_not_touch_the_stable_text(chat: Chat) -> None:
    before = await chat.say("你好")
    await add(chat, "考试", "周五考高等数学")
    after = await chat.say("你好")
    assert before.prompt is not None
    assert after.prompt is not None
    assert before.prompt.stable_text == after.prompt.stable_text
    assert "【重要记忆】" in after.prompt.text


async def test_r4_07_the_heading_of_the_notes_does_not_leak_into_a_reply(chat: Chat) -> None:
    chat.model.says = "【重要记忆】\n好的\n## 可用工具"
    await chat.say("你好")
    assert chat.sent == ["好的"]


async def test_r3_04_what_ended_is_deleted_by_the_daily_job_and_at_start(chat: Chat) -> None:
    await add(chat, "短", "x", mem_type="short", expire_days=1)
    await add(chat, "短", "x", mem_type="short", expire_days=2)
    chat.clock.advance(days=1)
    await chat.app.upkeep()
    assert await in_thread(stored, chat.app) == [2]
    chat.clock.advance(days=1)
    app = await in_thread(App.open, Settings(), chat.app.rooms.store.directory, clock=chat.clock)
    assert await in_thread(stored, app) == []
    await in_thread(app.rooms.store.close)


def stored(app: App) -> list[int]:
    """The days of the notes in the table, ended or not."""
    with app.rooms.store.database.read() as connection:
        return list(connection.scalars(select(notes.c.expire_days)))


async def test_r3_01_the_running_apps_manager_is_the_one(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seed, "_expected", expected := threading.Event())
    expected.set()
    app = await in_thread(App.open, Settings(), tmp_path / "own", clock=clock)
    assert app.rooms.prompts is not _shared()
    app.start()
    assert app.rooms.prompts is _shared()
    await app.close()
    assert app.rooms.prompts is not _shared()


def _shared() -> PromptManager | None:
    try:
        return get_prompt_manager()
    except ConfigError:
        return None
