"""R7.4: a person's memory is erased in every place the product writes, and nobody else's."""

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.character.relationship import Relationship, change_relationship
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.learn.batches import postpone, read_batch
from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.scope import private_conversation
from nonebot_plugin_memoryfs.storage.presence import viewer_of
from nonebot_plugin_memoryfs.storage.upgrades import metadata
from nonebot_plugin_memoryfs.storage.usage import first_notice
from nonebot_plugin_memoryfs.text.grams import grams
from nonebot_plugin_memoryfs.turn import OverheardLine
from nonebot_plugin_memoryfs.upkeep import Upkeep
from nonebot_plugin_memoryfs.upkeep.dump import dump
from nonebot_plugin_memoryfs.upkeep.holdings import HOLDINGS, Way
from nonebot_plugin_memoryfs.upkeep.person import Person, Whose, find_person

from .conftest import GROUP, NAMES, Talk, in_group, private

SECRETS = {"10001": "琥珀蜥蜴", "10002": "珊瑚刺猬", "10003": "翡翠海马"}
"""An animal nobody else has: it is said, learnt, noted and repeated."""


def test_every_table_says_what_it_holds_of_people() -> None:
    assert set(HOLDINGS) == set(metadata.tables)


def upkeep_of(app: App) -> Upkeep:
    return app.keeping


async def plant(app: App, talk: Talk) -> None:
    """Three people use everything there is."""
    for user_id, secret in SECRETS.items():
        await talk.say(private(user_id), f"我养了一只{secret}，名字叫{secret}宝宝")
        await talk.say(in_group(user_id), f"我喜欢{secret}")
        await talk.say(in_group(user_id), f"我家的{secret}昨天夜里又偷吃了三颗葡萄")
        await talk.say(private(user_id), "你还记得我养了什么吗")
        for n in range(5):  # enough for a batch to be learnt from
            await talk.say(private(user_id), f"我打算第{n}天带{secret}去看海")
    await app.learner.idle()
    told = await talk.say(in_group("10002"), "小明喜欢什么")
    assert SECRETS["10001"] in told  # what the character says to others is about people too
    await in_thread(plant_stored, app)
    for user_id in SECRETS:
        await in_thread(plant_rows, app, private_conversation(user_id))


def check_planted(app: App, whose: Whose, word: str) -> None:
    """There is something of theirs in every table that may hold words or ids: a row, or this word in one."""
    with app.rooms.store.database.read() as connection:
        for name, holding in HOLDINGS.items():
            of_others = holding.setting or holding.way is Way.KEPT
            if holding.way is Way.BY_ROOM:
                assert any(word in line for line in dump(connection, holding.table)), name
            elif holding.theirs is not None and (isinstance(whose, Person) or not of_others):
                assert connection.execute(holding.table.select().where(holding.theirs(whose))).first(), name
            else:
                assert holding.way is Way.NEVER or not isinstance(whose, Person), name


def plant_rows(app: App, conversation_id: str) -> None:
    """Rows no words lead to: who plays there, its heartbeat, a spent budget, a batch that failed."""
    app.bindings.bind(conversation_id, "neko")
    app.life.switch("neko", conversation_id, True)
    now = app.clock()
    with app.rooms.store.database.write() as connection:
        assert first_notice(connection, "neko", conversation_id, "2026-07-08")
        batch = read_batch(connection, ("neko", conversation_id))
        assert postpone(connection, batch, now) > now


def plant_stored(app: App) -> None:
    memory: MemoryFS = app.rooms.memory
    graph: MemoryGraph = app.rooms.graph
    prompts = app.rooms.prompts
    now = app.clock()
    for user_id, secret in SECRETS.items():
        own = private_conversation(user_id)
        for n in range(2):
            entry = Entry(f"养着{secret}{n}", at=now, conversation_id=GROUP, people=(user_id,))
            for path in (
                memory.path_user_persona("neko", user_id),
                memory.path_character_persona("neko", user_id),
                memory.path_recent_digest("neko", user_id),
                memory.path_important_events("neko", GROUP),
                memory.path_timeline("neko"),
            ):
                memory.append(path, entry, title=f"{secret}的事", summary=secret)
            private_entry = Entry(f"私下说起{secret}{n}", at=now, conversation_id=own, people=(user_id,))
            memory.append(memory.path_important_events("neko", own), private_entry)
            memory.append(memory.path_life_sim("neko", own), private_entry)
            memory.append(memory.path_timeline("neko"), private_entry)
        told = Entry(f"{NAMES[user_id]}说过自己的事", at=now, conversation_id=GROUP)
        memory.append(memory.path_important_events("neko", GROUP), told)
        memory.append(memory.path_life_sim("neko", GROUP), told)
        memory.write(memory.path_user("neko", user_id), content=f"旧版：{secret}")
        prompts.save_prompt(f"对我说话要提到{secret}", user_id=user_id)
        prompts.save_prompt(f"多提{secret}", user_id=user_id)  # the first one is history now
        graph.task_create(private(user_id), f"找{secret}", f"把{secret}找回来", [f"{secret}照片"])
        graph.task_create(in_group(user_id), f"喂{secret}", f"每天喂{secret}", [f"{secret}饲料"])
        graph.memory_commit(
            in_group(user_id), [{"subject": "用户", "relation": f"梦见{secret}", "object": f"{secret}王国"}]
        )
        other = "10003" if user_id != "10003" else "10002"
        graph.memory_commit(
            in_group(other),
            [{"subject": NAMES[user_id], "relation": "怕", "object": f"{secret}生气"}],
            speaker_name=NAMES[other],
        )
        prompts.add_memory(f"{secret}的便签", f"{secret}爱吃葡萄", f"user_{user_id}")
        prompts.add_memory("群里的便签", f"大家看过{secret}的照片", "group_9")
        note = prompts.notes.find(f"user_{user_id}")[0]
        prompts.notes.update(note.id, {"content": f"{secret}改吃苹果"})
        with app.rooms.store.database.write() as connection:
            viewer = viewer_of(connection, private(user_id))
            change_relationship(connection, viewer, Relationship(1, 2, 3), now)
        aside = memory.directory
        assert aside is not None
        (aside / f"memory_fs.json.unreadable-{user_id}").write_text(json.dumps({"x": f"{secret}坏了"}))


def found(directory: Path, texts: list[str]) -> list[str]:
    """Where any of these texts stands, in any file, in any of the forms it may have."""
    hits: list[str] = []
    for path in sorted(directory.rglob("*")):
        raw = path.read_bytes() if path.is_file() else b""
        for text in texts:
            forms = {text.encode(), json.dumps(text)[1:-1].encode(), text.encode("utf-16-le")}
            hits += [f"{path.name}: {text}" for form in forms if form in raw]
    return hits


def person(app: App, user_id: str) -> Person:
    with app.rooms.store.database.read() as connection:
        return find_person(connection, user_id)


def parts(secret: str) -> list[str]:
    """The secret, and what of it would tell it."""
    return [secret, secret[:2], secret[2:], *(gram for gram in grams(secret) if len(gram) > 1)]


async def test_r7_4_nothing_of_a_person_is_left_in_any_file(app: App, talk: Talk, tmp_path: Path) -> None:
    await plant(app, talk)
    await in_thread(app.rooms.store.push_faces)
    for secret in SECRETS.values():
        assert len(found(tmp_path, [secret])) >= 4  # tables or WAL, both JSON files, one set aside

    await in_thread(app.pause, "10001")
    await in_thread(check_planted, app, await in_thread(person, app, "10001"), "琥珀")

    erasure = await app.erase_person("10001")

    assert await app.keeps_nothing_of("10001")
    assert found(tmp_path, parts(SECRETS["10001"])) == []
    assert found(tmp_path, ["qq_private_10001", "user:10001"]) == []
    for user_id in ("10002", "10003"):
        kept = found(tmp_path, [SECRETS[user_id]])
        assert any(hit.startswith("memory.db") for hit in kept)
        assert any(hit.startswith("memory_fs.json:") for hit in kept)
        assert any(hit.startswith("prompts.json") for hit in kept)
        assert any(hit.startswith("memories.json") for hit in kept)
        assert f"memory_fs.json.unreadable-{user_id}" in {hit.split(":")[0] for hit in kept}
    for name in ("事实", "说过的话和收到的回复", "对话轮次", "记忆文件", "提示词", "任务", "便签"):
        assert name in erasure.text


async def test_r7_4_what_others_have_stays_as_it_was(app: App, talk: Talk, tmp_path: Path) -> None:
    await plant(app, talk)
    before = await in_thread(snapshot, tmp_path, ("10002", "10003"))
    await in_thread(upkeep_of(app).erase_person, "10001")
    after = await in_thread(snapshot, tmp_path, ("10002", "10003"))
    assert after == before
    reply = await talk.say(private("10002"), "你还记得我养了什么吗")
    assert SECRETS["10002"] in reply


async def test_r7_4_who_comes_back_is_somebody_new(app: App, talk: Talk) -> None:
    await plant(app, talk)
    await in_thread(upkeep_of(app).erase_person, "10001")
    assert SECRETS["10001"] not in await talk.say(private("10001"), "你还记得我养了什么吗")
    await talk.say(private("10001"), "我养了一只银色水獭")
    assert "水獭" in await talk.say(private("10001"), "你还记得我养了什么吗")


async def test_r7_4_erasing_nobody_changes_nothing(app: App, talk: Talk) -> None:
    await plant(app, talk)
    erasure = await in_thread(upkeep_of(app).erase_person, "99999")
    assert erasure.text == "没有存过有关的内容"


def snapshot(directory: Path, users: tuple[str, ...]) -> dict[str, list[tuple[object, ...]]]:
    """What these people said and what was kept of it."""
    queries = {
        "lines": "select id, text from lines where user_id = ? and not by_character",
        "edges": "select id, relation, object from edges where user_id = ? and kind = 'RELATES_TO'"
        " and object not like '%生气'",
        "turns": "select id, state from turns where user_id = ?",
        "tasks": "select id, description from tasks where user_id = ?",
        "layers": "select content from layers where target_id = ?",
    }
    connection = sqlite3.connect(next(directory.rglob("memory.db")))
    try:
        return {
            f"{name}/{user}": connection.execute(query, (user,)).fetchall()
            for name, query in queries.items()
            for user in users
        }
    finally:
        connection.close()


async def test_r7_4_a_file_that_can_t_be_written_keeps_nothing_of_a_person(
    app: App, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record beside the backups is written later; what was set aside may be anything; a JSON file that
    can't be replaced is told, and the database is clean all the same."""
    await talk.say(private("10001"), "我养了一只琥珀蜥蜴")
    data = tmp_path / "data"
    await in_thread((data / "backups").write_text, "in the way")
    await in_thread((data / "memory_fs.json.unreadable-dir").mkdir)
    erasure = await in_thread(upkeep_of(app).erase_person, "10001")
    assert erasure.counts["事实"] == 1
    assert await in_thread(found, data, ["琥珀蜥蜴"]) == []
    assert any("erasures.json 没能写出" in text for _, text in app.rooms.store.notices)
    await talk.say(private("10002"), "我养了一只珊瑚刺猬")
    monkeypatch.setattr(app.rooms.store, "push_faces", _full_disk)
    with pytest.raises(OSError, match="full"):
        await in_thread(upkeep_of(app).erase_person, "10002")
    assert await in_thread(found, data, ["珊瑚刺猬"]) == []
    monkeypatch.undo()
    await in_thread((data / "backups").unlink)
    backup = await in_thread(upkeep_of(app).backup)
    assert await in_thread(backup.with_name("erasures.json").exists)


async def test_r7_4_what_was_overheard_is_in_no_turn_meanwhile_or_after(
    app: App, talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing files takes long after the tables are clean, and may fail."""
    await talk.say(private("10001"), "我养了一只琥珀蜥蜴")
    await talk.say(in_group("10001"), "在")
    loop = asyncio.get_running_loop()

    def overhear(source_id: str) -> None:
        app.overhear(in_group("10001"), OverheardLine("小明", "我的琥珀蜥蜴", source_id))

    def meanwhile() -> None:
        asyncio.run_coroutine_threadsafe(talk.say(in_group("10002"), "早"), loop).result(30)
        loop.call_soon_threadsafe(overhear, "2")
        raise OSError("full")

    overhear("1")
    monkeypatch.setattr(app.rooms.store, "push_faces", meanwhile)
    with pytest.raises(OSError, match="full"):
        await app.erase_person("10001")
    monkeypatch.undo()
    await talk.say(in_group("10002"), "晚安")
    await in_thread(app.rooms.store.push_faces)
    assert await in_thread(found, tmp_path / "data", ["琥珀蜥蜴"]) == []


def _full_disk() -> None:
    raise OSError("full")
