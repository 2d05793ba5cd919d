"""R2.16: the seed's seven scenes in which the working memory must be asked, one by one.

What a turn gets by itself is the chain (`task_chain`); what pointing words bring up is `recall_back`.
"""

import pytest

from nonebot_plugin_memoryfs.graph import MemoryGraph

from ..conftest import Clock
from .conftest import fact, group, private

IDIOM = "成语接龙，当前成语：为虎作伥"


@pytest.fixture
def talked(graph: MemoryGraph, clock: Clock) -> MemoryGraph:
    """A game that was interrupted, something told long ago, and ten turns of small talk behind it."""
    graph.task_create(private(), "Task_成语接龙", IDIOM)
    say(graph, clock, "咱来玩成语接龙吧，我先开始，为所欲为", "好的喵！我接：为虎作伥喵！")
    graph.task_set_state(private(), "Task_成语接龙", "已暂停")
    say(graph, clock, "备用钥匙放在花盆下面", "记住了喵")
    for number in range(9):
        say(graph, clock, f"午饭吃了{number}个包子", "真能吃喵")
    graph.memory_commit(private(), [fact("用户", "在学", "吉他")])
    say(graph, clock, "我的吉他断弦了", "换一根喵")
    return graph


def say(graph: MemoryGraph, clock: Clock, text: str, reply: str) -> int:
    clock.advance(minutes=1)
    turn = graph.open_turn(private(), "小明", text)
    graph.complete_turn(turn, reply=reply, speaker="猫娘")
    return turn


def test_r2_16_scene_1_every_turn_begins_with_the_chain(talked: MemoryGraph) -> None:
    chain = talked.task_chain(private())
    assert chain.tasks[0].task_id == "Task_成语接龙"
    assert "Task_成语接龙 已暂停" in chain.text
    assert "我的吉他断弦了" in chain.text
    assert talked.recall_back(private(), "咱们吃什么好呢").text == ""


def test_r2_16_scene_2_just_now(talked: MemoryGraph) -> None:
    text = "刚才我们聊了什么？"
    assert "我的吉他断弦了" in talked.task_chain(private()).text
    assert IDIOM in talked.recall_back(private(), text).text


def test_r2_16_scene_3_before(talked: MemoryGraph) -> None:
    back = talked.recall_back(private(), "继续之前的成语接龙")
    assert [task.task_id for task in back.tasks] == ["Task_成语接龙"]
    assert "为所欲为" in back.text
    assert IDIOM in talked.recall_back(private(), "继续刚才的话题").text


def test_r2_16_scene_4_last_time(talked: MemoryGraph) -> None:
    assert "花盆" not in talked.task_chain(private()).text
    assert "花盆" in talked.recall_back(private(), "上次说的备用钥匙").text


def test_r2_16_scene_5_asked_for_what_was_said(talked: MemoryGraph) -> None:
    back = talked.recall_back(private(), "我们之前说了什么？")
    assert back.tasks
    assert "吉他" in back.named
    assert "花盆" in talked.recall_back(private(), "我们之前说钥匙放哪里了？").text


def test_r2_16_scene_6_back_to_a_task(talked: MemoryGraph) -> None:
    back = talked.recall_back(private(), "我们回到之前的话题吧")
    assert [(task.task_id, task.state) for task in back.tasks] == [("Task_成语接龙", "已暂停")]
    assert talked.task_set_state(private(), "Task_成语接龙", "进行中").ok
    assert talked.task_chain(private()).tasks[0].state == "进行中"


def test_r2_16_scene_7_that_thing(talked: MemoryGraph) -> None:
    back = talked.recall_back(private(), "那个东西")
    assert back.named[0] == "吉他"
    assert "吉他" in back.text


@pytest.mark.parametrize("text", ["刚才我们聊了什么？", "继续之前的成语接龙", "上次说的备用钥匙", "那个东西"])
def test_r2_16_nobody_else_is_told(talked: MemoryGraph, text: str) -> None:
    for scope in (private("2"), group(), private("1", "other")):
        assert talked.recall_back(scope, text).text == ""
