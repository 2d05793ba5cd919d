"""R4.12: any code's output is filed by the same router; the default one is rules."""

from itertools import pairwise

import pytest

from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.learn import ReviewOutput

from .conftest import PRIVATE, Talk, in_group


async def test_r4_12_the_relationship_grows_and_is_told_in_words_that_seldom_change(talk: Talk) -> None:
    said = [(await talk.say("谢谢你，你真好")).recalled for _ in range(30)]
    told = [recalled.relationship for recalled in said if recalled]
    assert told[0] == "你和现在说话的人：刚认识。"
    assert "有好感" in told[-1]
    changes = sum(one != other for one, other in pairwise(told))
    assert 1 <= changes <= 4


async def test_r4_12_a_threshold_crossed_is_one_entry(talk: Talk) -> None:
    await talk.chat(*(["谢谢你"] * 30))
    path = talk.app.rooms.memory.path_character_persona("neko", "1")
    (text,) = await talk.texts(path)
    assert text == "现在的关系：认识一阵子了，很亲近"


async def test_r1_17_a_group_does_not_feel_what_grew_in_private(talk: Talk) -> None:
    await talk.chat(*(["谢谢你"] * 12))
    turn = await talk.say("你好", in_group("1"))
    assert turn.recalled is not None
    assert turn.recalled.relationship == "你和现在说话的人：刚认识。"
    path = talk.app.rooms.memory.path_character_persona("neko", "1")
    assert all(e.conversation_id == "qq_private_1" for e in await talk.entries(path))


async def test_r4_12_any_code_may_hand_one_in(talk: Talk) -> None:
    turn = await talk.say("我考上研究生了")
    output = ReviewOutput.model_validate(
        {
            "items": [{"category": "event", "content": "小明考上研究生了"}],
            "relationship": {"affection": 20, "trust": 20},
        }
    )
    filed = await in_thread(
        talk.app.rooms.learning.submit,
        PRIVATE,
        turn.turn_id,
        output,
        said="我考上研究生了",
        name="小明",
        at=talk.clock(),
    )
    assert filed.entries == 1
    events = talk.app.rooms.memory.path_important_events("neko", PRIVATE.conversation_id)
    assert await talk.texts(events) == ["小明考上研究生了"]
    assert await talk.texts(talk.app.rooms.memory.path_timeline("neko")) == ["小明考上研究生了"]
    again = await talk.say("嗯")
    assert again.recalled is not None
    assert "有好感，信得过对方" in again.recalled.relationship
    assert await talk.withdraw(1)
    assert await talk.texts(events) == []


@pytest.mark.parametrize("said", ["讨厌你，闭嘴", "你骗我，不相信你了"])
async def test_r4_12_it_cools_down_too(talk: Talk, said: str) -> None:
    await talk.chat(*([said] * 12))
    turn = await talk.say("嗯")
    assert turn.recalled is not None
    assert any(word in turn.recalled.relationship for word in ("不愉快", "别扭", "不太敢相信"))
