"""R1.19, R7.3: forgetting or correcting one thing reaches every copy of it, and only what is one's own."""

from pathlib import Path

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.storage.tables import turns
from nonebot_plugin_memoryfs.upkeep import EntryId, FactId, ItemId, NoteId

from .conftest import Talk, in_group, private
from .test_erasing import found

ME = private("10001")


async def told(app: App, talk: Talk) -> None:
    """Six turns, which are learnt from; one says what is to be forgotten."""
    await talk.say(ME, "我养了一只琥珀蜥蜴")
    for n in range(5):
        await talk.say(ME, f"我喜欢第{n}种茶")
    await app.learner.idle()


def fact_of(app: App, thing: str) -> FactId:
    facts = app.rooms.graph.memory_recall(ME, thing).facts
    return next(FactId(fact.id) for fact in facts if thing in fact.object)


def entry_of(app: App, thing: str) -> EntryId:
    path = app.rooms.memory.path_user_persona("neko", "10001")
    entries = enumerate(app.rooms.memory.entries(path), 1)
    return next(EntryId(path, n, entry) for n, entry in entries if thing in entry.text)


@pytest.mark.parametrize("kind", ["fact", "entry", "note"])
async def test_r1_19_forgetting_one_copy_forgets_them_all(
    kind: str, app: App, talk: Talk, tmp_path: Path
) -> None:
    await told(app, talk)

    def forget() -> str:
        prompts = app.rooms.prompts
        source = str(first_turn(app))
        prompts.notes.add(
            {
                "title": "宠物",
                "content": "养了一只琥珀蜥蜴，要吃葡萄",
                "target_id": "user_10001",
                "source_event_id": source,
            }
        )
        note = prompts.notes.find("user_10001")[0]
        prompts.notes.update(note.id, {"content": "养了一只琥珀蜥蜴，要吃苹果"})
        items: dict[str, ItemId] = {
            "fact": fact_of(app, "琥珀蜥蜴"),
            "entry": entry_of(app, "琥珀蜥蜴"),
            "note": NoteId(note.id),
        }
        forgotten = app.items.forget(ME, items[kind])
        app.rooms.store.push_faces()
        app.rooms.store.database.scrub()
        return forgotten.text

    text = await in_thread(forget)
    for name in ("事实", "记忆", "便签", "对话记录"):
        assert name in text
    assert found(tmp_path, ["琥珀蜥蜴"]) == []
    assert found(tmp_path, ["种茶"])
    assert (await in_thread(app.keeping.verify)).problems == []


def first_turn(app: App) -> int:
    with app.rooms.store.database.read() as connection:
        return connection.scalar(select(func.min(turns.c.id))) or 0


async def test_r1_19_a_corrected_fact_shows_in_no_copy(app: App, talk: Talk) -> None:
    await told(app, talk)

    def correct() -> None:
        app.items.correct(ME, fact_of(app, "琥珀蜥蜴"), "一只翡翠海马")

    await in_thread(correct)
    reply = await talk.say(ME, "你还记得我养了什么吗")
    assert "翡翠海马" in reply
    assert "琥珀蜥蜴" not in reply


async def test_r1_19_a_corrected_entry_corrects_its_facts(app: App, talk: Talk) -> None:
    await told(app, talk)
    await in_thread(lambda: app.items.correct(ME, entry_of(app, "琥珀蜥蜴"), "养了一只翡翠海马"))
    assert (await in_thread(entry_of, app, "翡翠海马")).number
    facts = await in_thread(app.rooms.graph.memory_recall, ME, "养了")
    assert all("琥珀蜥蜴" not in fact.object for fact in facts.facts)


async def test_r7_3_nobody_reaches_what_is_not_their_own(app: App, talk: Talk) -> None:
    await told(app, talk)
    await talk.say(in_group("10001"), "我讨厌珊瑚刺猬")

    def tries() -> None:
        prompts = app.rooms.prompts
        note = prompts.notes.add({"title": "x", "content": "y", "target_id": "user_10001"})
        memory = app.rooms.memory
        shared = Entry("一起看海", at=app.clock(), conversation_id="qq_group_9", people=("10001", "10002"))
        path = memory.path_important_events("neko", "qq_group_9")
        memory.append(path, shared)
        said_in_group = next(
            FactId(fact.id) for fact in app.rooms.graph.memory_recall(in_group("10001"), "珊瑚刺猬").facts
        )
        items: list[ItemId] = [
            fact_of(app, "琥珀蜥蜴"),
            entry_of(app, "琥珀蜥蜴"),
            NoteId(note.id),
            NoteId("mem_none"),
            FactId(99_999),
            EntryId(path, 1, shared),
            said_in_group,
        ]
        for other in (private("10002"), in_group("10002")):
            for item in items:
                with pytest.raises(InvalidInput, match="不是你的"):
                    app.items.forget(other, item)
                with pytest.raises(InvalidInput, match="不是你的"):
                    app.items.correct(other, item, "别的")
        with pytest.raises(InvalidInput, match="不是你的"):  # theirs, but said in private
            app.items.forget(in_group("10001"), fact_of(app, "琥珀蜥蜴"))
        app.items.forget(in_group("10001"), said_in_group)

    await in_thread(tries)
