"""R7.4: after 停记 nothing of a person is stored or learnt."""

from nonebot_plugin_memoryfs.concurrency import in_thread

from .conftest import Talk, in_group
from .test_withdrawal import FILLER, holding, turn_count


async def test_r7_04_nothing_is_kept_and_it_is_answered_all_the_same(talk: Talk) -> None:
    await in_thread(talk.app.pause, "1")
    turn = await talk.say("我喜欢榴莲糖")
    assert talk.sent == ["好的"]
    assert not turn.kept
    assert await in_thread(holding, talk.app, "榴莲糖") == []
    assert await in_thread(turn_count, talk.app) == 0


async def test_r7_04_what_was_said_before_is_not_learnt_later(talk: Talk) -> None:
    await talk.chat("我喜欢榴莲糖", "嗯", scope=in_group("1"))
    await in_thread(talk.app.pause, "1")
    await talk.chat("我喜欢猫", *FILLER, scope=in_group("2"), speaker="小红")
    assert "榴莲糖" not in talk.teacher.asked[0].user
    assert await talk.persona("1") == []
    assert await talk.persona("2") == ["喜欢猫"]


async def test_r7_04_resumed_is_kept_again(talk: Talk) -> None:
    await in_thread(talk.app.pause, "1")
    await in_thread(talk.app.pause, "1")
    await talk.say("我喜欢猫")
    assert await in_thread(talk.app.resume, "1")
    assert not await in_thread(talk.app.resume, "1")
    await talk.say("我喜欢狗")
    assert await talk.facts() == [("喜欢", "狗")]
