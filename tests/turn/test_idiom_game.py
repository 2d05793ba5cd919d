"""R2.17: the seed's 成语接龙 over its three turns, interrupted, through the real workflow.

Once with a model that calls the tools as the example does, once with one that calls none.
"""

from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.turn import Turn
from nonebot_plugin_memoryfs.turn.checklist import check

from .conftest import PRIVATE, Chat

PERSONA = ("memory_recall", {"query_intent": "AI,人设,角色,性格,语气,说话风格", "depth": 2})
CHAIN = ("memory_recall", {"query_intent": "TaskNode,工作记忆,任务链", "depth": 2})
NODE, GAME = "成语接龙_当前成语", "Task_成语接龙"

FIRST = "咱来玩成语接龙吧，我先开始，为所欲为"
SECOND = "长门有希"
THIRD = "关于刚才的成语接龙，我并不知道应该怎么接你的成语，请帮我接一下"


def results(turn: Turn) -> list[str]:
    """What each tool call of a turn answered."""
    assert turn.answer is not None
    assert all(call.ok for call in turn.answer.calls)
    return [call.result for call in turn.answer.calls]


@pytest.fixture
def catgirl(app: App, chat: Chat) -> Chat:
    app.rooms.graph.set_persona("neko", {"角色": "猫娘", "语气": "句尾带喵"})
    return chat


async def play(chat: Chat, text: str, says: str, *calls: tuple[str, dict[str, Any]]) -> tuple[Turn, str]:
    """A turn of the game, and the system text its model was given."""
    chat.model.calls, chat.model.says = list(calls), says
    turn = await chat.say(text)
    assert chat.sent[-1] == says
    assert check(turn).complete
    return turn, chat.model.asked[-1].system


async def test_r2_17_with_a_model_that_calls_the_tools_as_in_the_example(catgirl: Chat) -> None:
    told = [
        {"subject": NODE, "relation": "内容", "object": "为所欲为"},
        {"subject": NODE, "relation": "游戏", "object": "成语接龙"},
    ]
    game = {"task_id": GAME, "description": "成语接龙游戏，当前成语：为所欲为", "info_nodes": [NODE]}
    turn, system = await play(
        catgirl,
        FIRST,
        "好的喵！我接：为虎作伥喵！",
        PERSONA,
        CHAIN,
        ("memory_commit", {"triplets": told}),
        ("task_create", game),
    )
    assert "猫娘" in system
    assert "Task_成语接龙" not in system
    persona, chain, committed, created = results(turn)
    assert "猫娘" in persona
    assert "进行中" not in chain
    assert "2" in committed
    assert f"{GAME} 进行中" in created

    turn, system = await play(
        catgirl,
        SECOND,
        "她是资讯统合思念体喵",
        PERSONA,
        CHAIN,
        ("task_set_state", {"task_id": GAME, "state": "已暂停"}),
        ("task_create", {"task_id": "Task_长门有希", "description": "讨论长门有希"}),
    )
    assert "猫娘" in system
    assert f"{GAME} 进行中：成语接龙游戏，当前成语：为所欲为" in system
    assert f"{GAME} 进行中" in results(turn)[1]
    assert f"{GAME} 已暂停" in results(turn)[2]

    turn, system = await play(
        catgirl,
        THIRD,
        "好的喵！上一个成语是“为虎作伥”，我帮你接：伥鬼害人喵！",
        PERSONA,
        CHAIN,
        ("task_set_state", {"task_id": GAME, "state": "进行中"}),
        ("memory_recall", {"query_intent": NODE}),
    )
    assert "猫娘" in system
    assert f"{GAME} 已暂停" in system
    assert "Task_长门有希 进行中" in system
    assert "我接：为虎作伥喵" in system
    assert f"{NODE} 内容 为所欲为" in results(turn)[3]
    assert f"{GAME} 进行中" in results(turn)[2]
    assert "已暂停：Task_长门有希" in results(turn)[2]
    chain = await in_thread(catgirl.app.rooms.graph.task_chain, PRIVATE)
    assert [(task.task_id, task.state) for task in chain.tasks[:2]] == [
        (GAME, "进行中"),
        ("Task_长门有希", "已暂停"),
    ]


async def test_r2_17_the_current_idiom_is_the_newest(catgirl: Chat) -> None:
    for idiom in ("为所欲为", "为虎作伥"):
        told = [{"subject": NODE, "relation": "内容", "object": idiom}]
        await play(catgirl, f"我接{idiom}", "好喵", ("memory_commit", {"triplets": told}))
        catgirl.clock.advance(minutes=1)
    turn, _ = await play(catgirl, "继续", "好喵", ("memory_recall", {"query_intent": NODE}))
    assert "为虎作伥" in results(turn)[0].splitlines()[0]


@pytest.mark.parametrize("interruptions", [0, 12])
async def test_r2_17_with_a_model_that_calls_none(catgirl: Chat, interruptions: int) -> None:
    _, system = await play(catgirl, FIRST, "好的喵！我接：为虎作伥喵！")
    assert "猫娘" in system
    _, system = await play(catgirl, SECOND, "她是资讯统合思念体喵")
    assert "为虎作伥" in system
    for number in range(interruptions):
        catgirl.clock.advance(minutes=10)
        await play(catgirl, f"今天第{number}节课好无聊", "摸摸你的头")
    turn, system = await play(catgirl, THIRD, "好的喵！伥鬼害人喵！")
    assert "猫娘" in system
    assert "成语接龙" in system
    assert "为所欲为" in system
    assert "为虎作伥" in system
    assert turn.answer is not None
    assert turn.answer.calls == ()


async def test_r2_17_the_game_of_another_chat_is_not_told(catgirl: Chat) -> None:
    await play(catgirl, FIRST, "好的喵！我接：为虎作伥喵！")
    stranger = type(PRIVATE)("neko", "qq_private_2", "2", private=True)
    await catgirl.say(THIRD, stranger)
    assert "为虎作伥" not in catgirl.model.asked[-1].system
