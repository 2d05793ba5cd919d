"""R7.3: the memory of a group is cleared in every place the product writes, and nothing said elsewhere is."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.character.relationship import Relationship, change_relationship
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.learn.items import Extraction, Item
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.scope import Scope, group_conversation
from nonebot_plugin_memoryfs.storage.life_tables import heartbeats
from nonebot_plugin_memoryfs.storage.presence import viewer_of
from nonebot_plugin_memoryfs.storage.tables import places
from nonebot_plugin_memoryfs.storage.usage import Spent
from nonebot_plugin_memoryfs.turn import OverheardLine
from nonebot_plugin_memoryfs.upkeep.dump import dump, tables
from nonebot_plugin_memoryfs.upkeep.holdings import HOLDINGS
from nonebot_plugin_memoryfs.upkeep.person import Whose

from ..conftest import Clock
from .conftest import GROUP, NAMES, Talk, in_group, private
from .test_backup import bring_back
from .test_erasing import check_planted, found, parts, plant_rows

HERE = {"10001": "琥珀蜥蜴", "10002": "珊瑚刺猬"}
"""What each said in the group that is cleared, and nowhere else."""
PRIVATE = {"10001": "翡翠海马", "10002": "银色水獭"}
ELSEWHERE = {"10001": "紫晶蜗牛", "10002": "墨玉乌鸦"}
OTHER = group_conversation("8")
FOLLOWING = ("traces", "documents", "postings", "shelves")
"""Kept prompts are let go of wherever a member chats; the index follows what a line says now."""
BOTH = "我们家楼下新开了一家豆花店"
"""What was said in private as well as in the group."""


def in_other(user_id: str) -> Scope:
    return Scope("neko", OTHER, user_id, private=False)


def as_tea(user_id: str) -> Scope:
    """The group, talking to another character."""
    return Scope("tea", GROUP, user_id, private=False)


async def plant(app: App, talk: Talk) -> None:
    for user_id in HERE:
        for scope, secrets in ((in_group, HERE), (private, PRIVATE), (in_other, ELSEWHERE)):
            secret = secrets[user_id]
            await talk.say(scope(user_id), f"我养了一只{secret}，名字叫{secret}宝宝")
            for n in range(6):  # enough for a batch to be learnt from
                await talk.say(scope(user_id), f"我打算第{n}天带{secret}去看海")
            await in_thread(plant_stored, app, scope(user_id), secret)
        await talk.say(as_tea(user_id), f"我喜欢{HERE[user_id]}")
        await talk.say(in_group(user_id), BOTH)
        await talk.say(private(user_id), BOTH)
    told = await talk.say(private("10001"), "你还记得我养了什么吗")
    assert HERE["10001"] in told  # what the character says elsewhere may come from the group
    await app.learner.idle()
    await in_thread(plant_untagged, app)
    for conversation in (GROUP, OTHER):
        await in_thread(plant_rows, app, conversation)
    await in_thread(check_planted, app, Whose(conversations=frozenset({GROUP})), "琥珀")


def plant_stored(app: App, scope: Scope, secret: str) -> None:
    """What tools, learning, commands and people at the page write."""
    memory, graph, prompts, now = app.rooms.memory, app.rooms.graph, app.rooms.prompts, app.clock()
    where, user_id = scope.conversation_id, scope.user_id
    for n in range(2):
        entry = Entry(f"养着{secret}{n}", at=now, conversation_id=where, people=(user_id,))
        for path in (
            memory.path_user_persona("neko", user_id),
            memory.path_character_persona("neko", user_id),
            memory.path_recent_digest("neko", user_id),
            memory.path_important_events("neko", where),
            memory.path_life_sim("neko", where),
            memory.path_plot("neko", where),
            memory.path_timeline("neko"),
        ):
            memory.append(path, entry, title=f"{secret}的事", summary=secret)
    for n in range(90):  # more than a timeline keeps: the oldest of them are history
        entry = Entry(f"第{n}次看见{secret}", at=now, conversation_id=where)
        memory.append(memory.path_timeline("neko"), entry)
    graph.task_create(scope, f"找{secret}", f"把{secret}找回来", [f"{secret}照片"])
    graph.memory_commit(scope, [{"subject": "AI", "relation": "性格", "object": f"像{secret}"}])
    fact = {"subject": "用户", "relation": f"梦见{secret}", "object": f"{secret}王国"}
    graph.memory_commit(scope, [fact], speaker_name=f"{NAMES[user_id]}爱{secret}")
    prompts.add_memory(f"{secret}的便签", f"{secret}爱吃葡萄", user_id, conversation_id=where)
    note = prompts.notes.find(f"user_{user_id}")[0]
    prompts.notes.update(note.id, {"content": f"{secret}改吃苹果"})
    with app.rooms.store.database.write() as connection:
        viewer = viewer_of(connection, scope)
        change_relationship(connection, viewer, Relationship(1, 2, 3), now)


def plant_untagged(app: App) -> None:
    memory, prompts = app.rooms.memory, app.rooms.prompts
    for group_id, secret in (("9", HERE["10001"]), ("8", ELSEWHERE["10001"])):
        prompts.add_memory("群里的便签", f"大家看过{secret}", f"group_{group_id}")
        prompts.save_prompt("说话短一点", group_id=group_id)
    for user_id, secret in PRIVATE.items():
        prompts.save_prompt(f"多提{secret}", user_id=user_id)
        memory.write(memory.path_user("neko", user_id), content=f"旧版：{secret}")
    aside = memory.directory
    assert aside is not None
    (aside / "memory_fs.json.unreadable-1").write_text(json.dumps({"x": f"{HERE['10001']}坏了"}))
    (aside / "memory_fs.json.unreadable-2").write_text(json.dumps({"x": f"{PRIVATE['10001']}坏了"}))


def elsewhere(app: App) -> dict[str, list[Any]]:
    """Every row that says where it stands, of all but the group; and all that is a setting."""
    rows: dict[str, list[Any]] = {}
    with app.rooms.store.database.read() as connection:
        here = set(connection.scalars(select(places.c.id).where(places.c.conversation_id == GROUP)))
        for table in tables():
            kept = HOLDINGS[table.name].setting
            for line in dump(connection, table):
                row = dict(zip(table.c.keys(), json.loads(line), strict=True))
                where = row.get("conversation_id"), row.get("place_id")
                if kept or (where != (None, None) and where[0] != GROUP and where[1] not in here):
                    rows.setdefault(table.name, []).append(row)
    return rows


def held_here(app: App) -> dict[str, list[Any]]:
    """Every row that says it stands in the group, but for the settings."""
    rows: dict[str, list[Any]] = {}
    with app.rooms.store.database.read() as connection:
        for name, holding in HOLDINGS.items():
            if not holding.setting and "conversation_id" in (columns := holding.table.c):
                query = select(holding.table).where(columns.conversation_id == GROUP)
                rows |= {name: found} if (found := list(connection.execute(query))) else {}
    return rows


def entries(app: App) -> Mapping[str, list[str]]:
    """The entries of every file that do not come from the group."""
    memory = app.rooms.memory
    return {
        path: [entry.text for entry in kept]
        for path in memory.paths("characters/")
        if (kept := [e for e in memory.entries(path) if e.conversation_id not in (None, GROUP)])
    }


async def test_r7_3_nothing_of_a_group_is_left_in_any_file(app: App, talk: Talk, tmp_path: Path) -> None:
    await plant(app, talk)
    await in_thread(app.rooms.store.push_faces)
    for secret in HERE.values():
        assert len(found(tmp_path, [secret])) >= 3  # tables, and two of the JSON files
    counted = await in_thread(app.keeping.count_conversation, GROUP)

    erasure = await app.clear_conversation(GROUP)

    for secret in HERE.values():
        assert found(tmp_path, parts(secret)) == []
    for name in ("事实", "说过的话和收到的回复", "对话轮次", "记忆文件里的条目", "任务", "便签", "好感"):
        assert erasure.counts[name] >= counted.counts[name] > 0
    assert erasure.counts["搁置的文件"] == 1
    assert await in_thread(held_here, app) == {}
    assert (await in_thread(app.keeping.verify)).problems == []


async def test_r7_3_what_was_said_elsewhere_stays_as_it_was(app: App, talk: Talk, tmp_path: Path) -> None:
    await plant(app, talk)
    before = await in_thread(elsewhere, app), await in_thread(entries, app)
    await app.clear_conversation(GROUP)
    after = await in_thread(elsewhere, app), await in_thread(entries, app)
    assert after[1] == before[1]
    assert after[0].keys() == before[0].keys() >= {"lines", "turns", "edges", "notes", "bindings", "layers"}
    for name, rows in before[0].items():
        lost = [row for row in rows if row not in after[0][name]]
        copies = [row for row in lost if any(secret in str(row) for secret in HERE.values())]
        assert lost == copies or name in FOLLOWING, name
        assert not any(row.get("by_character") is False for row in lost)
    for secrets in (PRIVATE, ELSEWHERE):
        for secret in secrets.values():
            hits = {hit.split(":")[0] for hit in found(tmp_path, [secret])}
            assert {"memory.db", "memory_fs.json", "memories.json"} <= hits
    assert (tmp_path / "data" / "memory_fs.json.unreadable-2").exists()
    assert len(found(tmp_path, [BOTH])) > 0
    assert PRIVATE["10001"] in await talk.say(private("10001"), "你还记得我养了什么吗")
    assert HERE["10001"] not in await talk.say(in_group("10001"), "你还记得我养了什么吗")


async def test_r7_3_a_cleared_group_begins_anew(app: App, talk: Talk) -> None:
    await plant(app, talk)
    await app.clear_conversation(GROUP)
    assert (await in_thread(app.keeping.count_conversation, GROUP)).counts == {}
    assert (await app.clear_conversation(GROUP)).counts == {}
    assert "刺猬" not in await talk.say(in_group("10002"), "你还记得我养了什么吗")
    await talk.say(in_group("10002"), "我养了一只白色鹦鹉")
    assert "鹦鹉" in await talk.say(private("10002"), "你还记得我养了什么吗")


async def test_r7_3_what_waits_does_not_bring_it_back(app: App, talk: Talk, tmp_path: Path) -> None:
    """A line in passing, a turn that waits for its answer, a batch that was asked about."""
    await plant(app, talk)
    learning = app.rooms.learning
    talk.clock.advance(hours=1)
    prepared = await in_thread(learning.next, ("neko", GROUP), 1)
    assert prepared is not None
    secret = HERE["10001"]
    app.overhear(in_group("10001"), OverheardLine("小明", f"{secret}又来了", "m1"))
    heard = await app.workflow.hear(talk.incoming(in_group("10001"), f"我最爱{secret}"))

    await app.clear_conversation(GROUP)
    await app.workflow.answer(heard)
    item = Item(about="10001", category="user_persona", content=f"喜欢{secret}")
    assert await in_thread(learning.file, prepared, Extraction(items=[item]), Spent()) is None
    await app.learner.idle()

    assert found(tmp_path, parts(secret)) == []
    assert (await in_thread(app.keeping.count_conversation, GROUP)).counts == {}


async def test_r7_3_a_fragment_that_is_being_written_comes_to_nothing(app: App, talk: Talk) -> None:
    await talk.say(in_group("10001"), "大家好")
    await in_thread(app.life.switch, "neko", GROUP, True)

    def rows(claim: str | None = None) -> list[Any]:
        with app.rooms.store.database.write() as connection:
            if claim:
                connection.execute(update(heartbeats).values(claim=claim, claimed_until=app.clock()))
            return [(row.chosen, row.claim) for row in connection.execute(select(heartbeats))]

    assert await in_thread(rows, "somebody's") == [(True, "somebody's")]
    await app.clear_conversation(GROUP)
    assert await in_thread(rows) == [(True, None)]


async def test_r6_5_a_restore_clears_again_what_was_cleared_since(
    app: App, talk: Talk, tmp_path: Path, clock: Clock
) -> None:
    await talk.say(in_group("10001"), "我养了一只琥珀蜥蜴")
    await talk.say(private("10001"), "我养了一只翡翠海马")
    old = await in_thread(app.keeping.backup)
    clock.advance(hours=1)
    await app.clear_conversation(GROUP)
    assert "qq_group" not in (old.parent / "erasures.json").read_text()

    restored = await in_thread(bring_back, old, tmp_path / "new", clock)
    assert restored.erased == 1
    assert found(tmp_path / "new", ["琥珀蜥蜴"]) == []
    assert found(tmp_path / "new", ["翡翠海马"])
