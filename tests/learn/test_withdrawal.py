"""R4.11: 撤回 takes back what a message stored: line, turn, facts, index, batch, entries."""

from dataclasses import replace

from sqlalchemy import func, select

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.storage.tables import documents, edges, lines, nodes, postings, traces, turns
from nonebot_plugin_memoryfs.storage.usage import Spent
from nonebot_plugin_memoryfs.turn.values import join

from ..postgres import on_both
from .conftest import KEY, Talk, in_group

FILLER = tuple(f"嗯嗯{n}" for n in range(5))


def holding(app: App, word: str) -> list[str]:
    """Every table that still holds a word."""
    found: list[str] = []
    database = app.rooms.store.database
    with database.read() as c:
        for table in (lines, turns, traces, edges, nodes, documents, postings):
            for row in c.execute(select(table)):
                if any(word in str(value) for value in row):
                    found.append(table.name)
    for file in app.rooms.memory.list_all():
        past = app.rooms.memory.versions(file.path)
        if any(word in one.content + one.title + one.summary for one in (file, *past)):
            found.append(file.path)
    return sorted(set(found))


def turn_count(app: App) -> int:
    with app.rooms.store.database.read() as c:
        return c.scalar(select(func.count()).select_from(turns)) or 0


@on_both
async def test_r4_11_a_message_taken_back_leaves_nothing(talk: Talk) -> None:
    await talk.chat("我喜欢榴莲糖", *FILLER)
    assert await talk.persona() == ["喜欢榴莲糖"]
    assert await talk.facts() == [("喜欢", "榴莲糖")]
    assert await in_thread(holding, talk.app, "榴莲糖") != []
    assert await talk.withdraw(1)
    assert await in_thread(holding, talk.app, "榴莲糖") == []
    assert await talk.facts() == []
    assert await talk.persona() == []
    assert await in_thread(turn_count, talk.app) == 5


async def test_r4_11_others_and_other_messages_stay(talk: Talk) -> None:
    await talk.chat("我喜欢榴莲糖", "我喜欢猫", scope=in_group("1"))
    await talk.chat("我喜欢榴莲糖", "我喜欢狗", *FILLER[:2], scope=in_group("2"), speaker="小红")
    assert await talk.withdraw(1, "qq_group_9")
    assert await talk.persona("1") == ["喜欢猫"]
    assert await talk.persona("2") == ["喜欢榴莲糖", "喜欢狗"]
    assert await talk.facts(in_group("2")) == [("喜欢", "榴莲糖"), ("喜欢", "狗")]
    assert await talk.facts(in_group("1")) == [("喜欢", "猫")]


async def test_r4_11_what_was_said_twice_is_still_said_once(talk: Talk) -> None:
    await talk.chat("我喜欢猫", "我喜欢猫", *FILLER[:4])
    assert await talk.withdraw(2)
    assert await talk.facts() == [("喜欢", "猫")]
    assert await talk.persona() == ["喜欢猫"]
    assert await talk.withdraw(1)
    assert await talk.facts() == []
    assert await talk.persona() == []


async def test_r4_11_a_correction_taken_back_leaves_the_old_fact(talk: Talk) -> None:
    await talk.chat("我住在北京", "我搬到上海了")
    assert await talk.facts() == [("所在地", "上海")]
    assert await talk.withdraw(2)
    assert await talk.facts() == [("所在地", "北京")]


async def test_r4_11_of_joined_messages_only_the_one_goes(talk: Talk) -> None:
    first = (await talk.say("头一句")).incoming
    one = await talk.workflow.hear(replace(first, text="我喜欢猫", source_ids=("a",)))
    two = await talk.workflow.hear(replace(first, text="我喜欢狗", source_ids=("b",)))
    await talk.workflow.answer(join(one, two))
    assert await in_thread(talk.app.rooms.learning.withdraw, *KEY, "a")
    assert await talk.facts() == [("喜欢", "狗")]
    assert await in_thread(holding, talk.app, "喜欢猫") == []
    assert await in_thread(talk.app.rooms.learning.withdraw, *KEY, "b")
    assert await talk.facts() == []


async def test_r4_11_taken_back_while_it_is_answered(talk: Talk) -> None:
    async def answer(ask: object) -> object:
        from nonebot_plugin_memoryfs.model import Answer

        assert await talk.withdraw(1)
        return Answer(text="你喜欢猫呀")

    talk.teacher.answer = answer  # type: ignore[method-assign,assignment]
    turn = await talk.say("我喜欢猫")
    assert turn.errors == ("消息已经撤回",)
    assert await talk.facts() == []
    assert await in_thread(holding, talk.app, "喜欢猫") == []


async def test_r4_11_taken_back_while_it_is_learnt_from(talk: Talk) -> None:
    talk.teacher.fails = True
    await talk.chat("我喜欢榴莲糖", *FILLER)
    talk.teacher.fails = False
    talk.clock.advance(hours=1)
    learning = talk.app.rooms.learning
    prepared = await in_thread(learning.next, KEY)
    assert prepared is not None
    assert prepared.question is not None
    assert await talk.withdraw(1)
    assert await in_thread(learning.file, prepared, prepared.question.by_rules(), Spent()) is None
    assert await talk.persona() == []
    await talk.learner.close()


async def test_r4_11_an_unknown_message_changes_nothing(talk: Talk) -> None:
    await talk.say("我喜欢猫")
    assert not await talk.withdraw(7)
    assert not await talk.withdraw(1, "qq_group_9")
    assert await talk.facts() == [("喜欢", "猫")]
