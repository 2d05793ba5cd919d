"""R1.19, R7.3: what was forgotten is never recalled again, what was corrected never told as it was."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.own import Item, Kind
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.turn import Incoming

from .everywhere import in_files, in_tables

HOME = Scope("neko", "qq_private_1", "1", True)
GROUP = Scope("neko", "qq_group_9", "1", False)
OTHER = Scope("neko", "qq_group_9", "2", False)
ELSEWHERE = Scope("other", "qq_private_1", "1", True)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 7, 8, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@asynccontextmanager
async def opened(directory: Path) -> AsyncIterator[App]:
    app = await in_thread(App.open, Settings(), directory, clock=Clock())
    app.start()
    yield app
    await app.close()


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with opened(tmp_path) as app:
        yield app


async def say(app: App, text: str, scope: Scope = HOME) -> str:
    sent: list[str] = []

    async def send(reply: str, _name: str) -> None:
        sent.append(reply)

    incoming = Incoming(scope=scope, speaker=f"某{scope.user_id}", text=text, at=app.clock(), send=send)
    await app.conversations.submit(await app.workflow.hear(incoming))
    await app.conversations.idle()
    return "".join(sent)


async def find(app: App, word: str, scope: Scope = HOME, kind: Kind | None = None) -> Item:
    items = await in_thread(app.own.search, scope, word, 20)
    return next(item for item in items if kind in (None, item.kind))


async def test_r7_3_a_fact_goes_with_every_copy(app: App) -> None:
    memory = app.rooms.memory
    for scope in (HOME, GROUP):
        await say(app, "我喜欢摇滚，我在做一个插件", scope)
    await say(app, "我喜欢什么？")
    await say(app, "我也喜欢摇滚", OTHER)
    persona = memory.path_user_persona("neko", "1")
    for path in (persona, memory.path_timeline("neko"), memory.path_important_events("neko", "qq_group_9")):
        entry = Entry("用户喜欢摇滚乐", at=app.clock(), conversation_id="qq_group_9", people=("1",))
        await in_thread(memory.append, path, entry)
    await in_thread(memory.append, persona, Entry("爱吃苹果", at=app.clock(), people=("1",)))
    await in_thread(app.own.remember, HOME, "我最喜欢的是摇滚")

    await in_thread(app.own.forget, HOME, await find(app, "摇滚", kind=Kind.FACT))

    assert await in_thread(app.own.search, HOME, "摇滚", 20) == []
    told = await say(app, "我喜欢什么？")
    assert "摇滚" not in told
    assert [e.text for e in await in_thread(memory.entries, persona)] == ["爱吃苹果"]
    assert "插件" in "".join(item.text for item in await in_thread(app.own.everything, HOME))
    others = await in_thread(app.own.search, OTHER, "摇滚", 20)
    assert others, "what another said of themselves is theirs"


async def test_r7_3_nothing_of_a_forgotten_thing_is_left(tmp_path: Path) -> None:
    """In no table and in no file: lines, gists, traces, prompts, index, history, notes."""
    async with opened(tmp_path) as app:
        memory = app.rooms.memory
        await say(app, "我住在敦煌莫高窟旁边")
        await say(app, "我住在敦煌莫高窟旁边", GROUP)
        await say(app, "我住在哪儿？")
        await say(app, "刚才我们聊了什么？")
        events = memory.path_important_events("neko", "qq_private_1")
        entry = Entry("用户说自己住在敦煌莫高窟旁边", at=app.clock(), people=("1",))
        await in_thread(memory.append, events, entry)
        await in_thread(memory.edit_entry, events, 1, "用户住在敦煌莫高窟旁边，很远")
        await in_thread(app.own.remember, HOME, "我住在敦煌莫高窟旁边")
        assert len(await in_thread(in_tables, app.rooms.store, "莫高窟")) > 10
        await in_thread(app.own.forget, HOME, await find(app, "莫高窟", kind=Kind.FACT))
        assert await in_thread(in_tables, app.rooms.store, "莫高窟") == []
    assert await in_thread(in_files, tmp_path, "莫高窟") == []


async def test_r7_3_forgetting_a_value_does_not_bring_back_the_one_before(app: App) -> None:
    await say(app, "我住在杭州")
    await say(app, "我搬家了，我住在宁波")
    await in_thread(app.own.forget, HOME, await find(app, "宁波", kind=Kind.FACT))
    told = await say(app, "我住在哪儿？")
    assert "杭州" not in told
    assert "宁波" not in told


@pytest.mark.parametrize("kind", [Kind.ENTRY, Kind.NOTE, Kind.LINE])
async def test_r7_3_a_copy_takes_the_others_along(app: App, kind: Kind) -> None:
    """Whichever of them is forgotten: entry, note or line."""
    await say(app, "我在学大提琴协奏曲")
    entry = Entry("在学大提琴协奏曲", at=app.clock(), people=("1",))
    path = app.rooms.memory.path_user_persona("neko", "1")
    await in_thread(app.rooms.memory.learnt.file, path, [(entry, [1])])
    await in_thread(app.rooms.prompts.add_memory, "学琴", "在学大提琴协奏曲", "1", source_event_id="1")
    await in_thread(app.own.forget, HOME, await find(app, "大提琴", kind=kind))
    assert await in_thread(app.own.search, HOME, "大提琴", 20) == []
    assert "大提琴" not in await say(app, "我在学什么？")


async def test_r7_3_a_correction_is_never_told_in_its_old_form(app: App) -> None:
    await say(app, "我在学法语语法")
    await in_thread(app.own.correct, HOME, await find(app, "法语", kind=Kind.FACT), "我在学德语语法")
    assert await in_thread(app.own.search, HOME, "法语", 20) == []
    assert "德语" in await say(app, "我在学什么？")
    await in_thread(app.own.correct, HOME, await find(app, "德语", kind=Kind.FACT), "俄语语法")
    told = await say(app, "我在学什么？")
    assert "俄语" in told
    assert "德语" not in told
    assert "法语" not in told


async def test_r1_17_what_is_corrected_in_private_stays_private(app: App) -> None:
    await say(app, "我住在苏州工业园", GROUP)
    await in_thread(app.own.correct, HOME, await find(app, "苏州", kind=Kind.FACT), "我住在无锡太湖边")
    told = await say(app, "我住在哪儿？", GROUP)
    assert "苏州" not in told
    assert "无锡" not in told
    assert "无锡" in await say(app, "我住在哪儿？")


async def test_r7_3_entries_and_notes_are_corrected(app: App) -> None:
    path = app.rooms.memory.path_user_persona("neko", "1")
    await in_thread(app.rooms.memory.append, path, Entry("对芒果过敏", at=app.clock(), people=("1",)))
    await in_thread(app.own.correct, HOME, await find(app, "芒果"), "对虾过敏")
    [entry] = await in_thread(app.rooms.memory.entries, path)
    assert (entry.text, entry.conversation_id, entry.people) == ("对虾过敏", "qq_private_1", ("1",))
    await in_thread(app.own.remember, HOME, "生日在三月")
    await in_thread(app.own.correct, HOME, await find(app, "生日"), "生日在五月")
    [note] = await in_thread(app.rooms.prompts.notes.find, "1")
    assert note.content == "生日在五月"
    short = {"mem_type": "short", "expire_days": 3}
    await in_thread(partial(app.rooms.prompts.add_memory, "约定", "周五看球", "1", **short))
    await in_thread(app.own.correct, HOME, await find(app, "看球"), "周六打球")
    note = next(n for n in await in_thread(app.rooms.prompts.notes.find, "1") if "打球" in n.content)
    assert (note.type, note.expire_days, note.character_name) == ("short", 3, "")


async def test_r7_3_what_changed_since_it_was_shown_is_not_touched(app: App) -> None:
    path = app.rooms.memory.path_user_persona("neko", "1")
    await in_thread(app.rooms.memory.append, path, Entry("喜欢猫", at=app.clock(), people=("1",)))
    item = await find(app, "喜欢猫")
    await in_thread(app.rooms.memory.edit_entry, path, 1, "喜欢狗")
    for change in (app.own.forget, lambda scope, old: app.own.correct(scope, old, "喜欢鸟")):
        with pytest.raises(InvalidInput, match="变了"):
            await in_thread(change, HOME, item)
    assert [entry.text for entry in await in_thread(app.rooms.memory.entries, path)] == ["喜欢狗"]
    await say(app, "今天看了极光")
    line = await find(app, "极光", kind=Kind.LINE)
    with pytest.raises(InvalidInput, match="原话改不了"):
        await in_thread(app.own.correct, HOME, line, "今天看了日出")


async def test_r7_3_an_item_is_of_no_use_to_another(app: App) -> None:
    """Even with the thing itself in hand: it is not theirs, so it is not there."""
    await say(app, "我喜欢帆船", GROUP)
    items = await in_thread(app.own.search, GROUP, "帆船", 20)
    assert {item.kind for item in items} >= {Kind.FACT, Kind.LINE}
    for item in items:
        for scope in (
            OTHER,
            Scope("neko", "qq_private_2", "2", True),
            Scope("other", "qq_private_1", "1", True),
        ):
            with pytest.raises(InvalidInput):
                await in_thread(app.own.forget, scope, item)
    assert len(await in_thread(app.own.search, GROUP, "帆船", 20)) == len(items)


async def test_r7_3_what_is_others_too_is_not_for_one_to_take(app: App) -> None:
    path = app.rooms.memory.path_important_events("neko", "qq_group_9")
    shared = Entry("一起去看了日出", at=app.clock(), conversation_id="qq_group_9", people=("1", "2"))
    await in_thread(app.rooms.memory.append, path, shared)
    item = await find(app, "日出", GROUP)
    for change in (app.own.forget, lambda scope, old: app.own.correct(scope, old, "去看了日落")):
        with pytest.raises(InvalidInput, match="别人"):
            await in_thread(change, GROUP, item)
    await say(app, "我一起去看了日出", GROUP)
    await in_thread(app.own.forget, GROUP, await find(app, "日出", GROUP, Kind.LINE))
    assert [entry.text for entry in await in_thread(app.rooms.memory.entries, path)] == [shared.text]


@pytest.mark.parametrize("kind", [Kind.FACT, Kind.ENTRY, Kind.LINE])
async def test_r1_19_what_was_learnt_goes_too_and_the_rest_hangs_together(tmp_path: Path, kind: Kind) -> None:
    async with opened(tmp_path) as app:
        await say(app, "我养了一只琥珀蜥蜴")
        for number in range(5):
            await say(app, f"我喜欢第{number}种茶")
        await app.learner.idle()
        entries = await in_thread(app.rooms.memory.entries, app.rooms.memory.path_user_persona("neko", "1"))
        assert any("琥珀蜥蜴" in entry.text for entry in entries)
        await in_thread(app.own.forget, HOME, await find(app, "琥珀蜥蜴", kind=kind))
        assert await in_thread(in_tables, app.rooms.store, "琥珀蜥蜴") == []
        assert await in_thread(in_tables, app.rooms.store, "种茶")
        assert (await in_thread(app.keeping.verify)).problems == []
    assert await in_thread(in_files, tmp_path, "琥珀蜥蜴") == []


async def test_r1_19_what_only_holds_the_word_is_another_thing(app: App) -> None:
    """抹茶 is no 茶, 熊猫 is no 猫: forgetting one leaves what was kept and said of the other."""
    memory = app.rooms.memory
    persona = memory.path_user_persona("neko", "1")
    for thing in ("茶", "抹茶蛋糕", "猫", "熊猫"):
        await say(app, f"我喜欢{thing}")
        await in_thread(memory.append, persona, Entry(f"喜欢{thing}", at=app.clock(), people=("1",)))
    await say(app, "我喜欢猫，也喜欢猫头鹰")
    await in_thread(app.own.remember, HOME, "喜欢抹茶冰淇淋")
    fact = next(i for i in await in_thread(app.own.everything, HOME) if i.text == "你 喜欢 茶")
    await in_thread(app.own.forget, HOME, fact)
    left = [item.text for item in await in_thread(app.own.search, HOME, "茶", 20)]
    assert sorted(left) == sorted(
        ["喜欢抹茶冰淇淋", "你 喜欢 抹茶蛋糕", "喜欢抹茶蛋糕", "我喜欢抹茶蛋糕", "记住了：你喜欢抹茶蛋糕。"]
    )
    fact = next(i for i in await in_thread(app.own.everything, HOME) if i.text == "你 喜欢 猫")
    await in_thread(app.own.correct, HOME, fact, "我喜欢狗")
    assert [e.text for e in await in_thread(memory.entries, persona)] == ["喜欢抹茶蛋糕", "喜欢熊猫"]
    left = [item.text for item in await in_thread(app.own.search, HOME, "猫", 20)]
    assert {"你 喜欢 熊猫", "你 喜欢 猫头鹰", "我喜欢熊猫"} <= set(left)
    assert not [text for text in left if "喜欢猫，" in text or text.endswith("喜欢猫")]
    assert "猫" not in (await say(app, "我喜欢什么？")).replace("熊猫", "").replace("猫头鹰", "")


async def test_r7_3_what_a_prompt_holds_cut_short_goes_too(app: App) -> None:
    told = "我的秘密菜谱是先放盐再放糖，" + "然后慢慢搅拌，" * 60
    await in_thread(app.own.remember, HOME, told)
    await say(app, "秘密菜谱是什么？")
    assert any("先放盐再放糖" in row for row in await in_thread(in_tables, app.rooms.store, "先放盐再放糖"))
    note = await find(app, "菜谱", kind=Kind.NOTE)
    await in_thread(app.own.forget, HOME, note)
    assert await in_thread(in_tables, app.rooms.store, "先放盐再放糖") == []
