"""The seed's rules of a turn, row by row: what must be written, what must be asked, the checklist."""

import pytest

from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.search.corrections import CORRECTED
from nonebot_plugin_memoryfs.turn.checklist import check

from .conftest import GROUP, Chat


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我喜欢摇滚", ("用户", "喜欢", "摇滚")),
        ("我在做聊天机器人项目", ("用户", "在做", "聊天机器人项目")),
        ("我打算学吉他", ("用户", "打算", "学吉他")),
        ("我现在在上海", ("用户", "所在地", "上海")),
    ],
)
async def test_r4_05_what_must_be_written_is_whatever_the_model_does(
    chat: Chat, text: str, fact: tuple[str, str, str]
) -> None:
    await chat.say(text)
    assert await chat.facts() == [fact]


@pytest.mark.parametrize("text", ["他喜欢摇滚吗？", "要是我喜欢摇滚就好了", "小红说“我喜欢摇滚”", "今天好累"])
async def test_r4_05_what_nobody_stated_is_not_written(chat: Chat, text: str) -> None:
    await chat.say(text)
    assert await chat.facts() == []


async def test_r2_04_what_the_model_concludes_is_marked(chat: Chat) -> None:
    triplet = {"subject": "用户", "relation": "喜欢", "object": "音乐"}
    chat.model.calls = [("memory_commit", {"triplets": [triplet]})]
    await chat.say("今天又听了一天歌")
    chat.model.calls = []
    await chat.say("我喜欢什么")
    assert "[推测]喜欢 音乐" in chat.model.asked[-1].system


@pytest.mark.parametrize(
    ("text", "looks_back"),
    [
        ("今天吃什么好呢", False),
        ("刚才我们聊了什么？", True),
        ("继续刚才的话题", True),
        ("上次说的X", True),
        ("我们之前说了什么？", True),
        ("我们回到之前的话题吧", True),
        ("那个东西", True),
    ],
)
async def test_r2_16_the_chain_is_asked_in_every_scene(chat: Chat, text: str, looks_back: bool) -> None:
    chat.model.calls = [("task_create", {"task_id": "Task_围棋", "description": "下围棋"})]
    await chat.say("来下围棋")
    chat.model.calls = [("task_set_state", {"task_id": "Task_围棋", "state": "已暂停"})]
    await chat.say("先吃饭")
    chat.model.calls = []
    turn = await chat.say(text)
    assert turn.recalled is not None
    assert (turn.recalled.back is not None) is looks_back
    assert "Task_围棋 已暂停" in chat.model.asked[-1].system
    assert check(turn).complete


async def test_r2_05_a_change_of_mind_is_kept_by_the_host(chat: Chat) -> None:
    await chat.say("我喜欢摇滚")
    await chat.say("我不喜欢摇滚了")
    assert await chat.facts() == [("用户", "不喜欢", "摇滚")]
    await chat.say("我喜欢什么音乐")
    assert "用户 喜欢 摇滚" not in chat.model.asked[-1].system
    assert "用户 不喜欢 摇滚" in chat.model.asked[-1].system


async def test_r1_19_a_correction_by_tool_is_linked_to_its_turn(chat: Chat) -> None:
    first = await chat.say("我喜欢摇滚")
    purge = {"subject": "用户", "relation": "喜欢", "object": "摇滚", "replacement": "爵士"}
    chat.model.calls = [("memory_purge", purge)]
    second = await chat.say("说错了，是爵士")
    chat.model.calls = [("memory_purge", {**purge, "object": "爵士", "replacement": "民谣"})]
    await chat.say("又说错了，是民谣")
    said = {"摇滚": first.turn_id, "爵士": second.turn_id}
    shown = await in_thread(chat.app.rooms.graph.corrected_texts, first.incoming.scope, said)
    assert set(shown.values()) == {CORRECTED}


async def test_r2_16_what_was_said_since_elsewhere_hides_nothing_older(chat: Chat) -> None:
    await chat.say("备用钥匙在花盆下面")
    for number in range(7):
        await chat.say(f"闲话{number}")
    for number in range(30):
        said = f"备用钥匙放在哪里呢 {number}"
        await in_thread(chat.app.rooms.log.add, GROUP, "小红", said, chat.clock())
    await chat.say("我之前说的备用钥匙放在哪里")
    asked = chat.model.asked[-1].system
    assert "花盆下面" in asked
    assert asked.count("备用钥匙放在哪里呢") == 5


async def test_r2_16_no_older_line_stands_twice_in_a_prompt(chat: Chat) -> None:
    await chat.say("备用钥匙在花盆下面")
    for number in range(7):
        await chat.say(f"闲话{number}")
    await chat.say("我之前说的备用钥匙放在哪里")
    assert chat.model.asked[-1].system.count("小明：备用钥匙在花盆下面") == 1
