"""Faults the upstream was seen to have (notes/trulymem.md, section 2, 1–20): here they must not be.

16 and 17 are about the turn and the agent loop: the graph is driven through them.
"""

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from sqlalchemy import Engine, event, func, select

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.model import Brief, ToolCall
from nonebot_plugin_memoryfs.model.agent import AgentModel
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edges
from nonebot_plugin_memoryfs.turn import Overheard, Workflow
from nonebot_plugin_memoryfs.turn.checklist import check

from ..conftest import Clock
from ..turn.conftest import Chat
from .conftest import fact, group, private, said

PERSONA = "AI,人设,角色,性格,语气,说话风格"
CHAIN = "TaskNode,工作记忆,任务链"


def live(store: Store, *relations: str) -> list[tuple[str, str, str]]:
    """The live edges of these labels, as they stand in the store; people go by their ids."""
    columns = (edges.c.subject, edges.c.relation, edges.c.object)
    query = select(*columns).where(edges.c.valid_to.is_(None), edges.c.relation.in_(relations))
    with store.database.read() as connection:
        return [tuple(row) for row in connection.execute(query)]


def talk(graph: MemoryGraph, text: str, reply: str = "好的喵") -> int:
    turn = graph.open_turn(private(), "小明", text)
    graph.complete_turn(turn, reply=reply, speaker="猫娘")
    return turn


def test_fault_01_a_correction_stores_the_new_fact_and_keeps_the_old_as_history(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("小红", "所在地", "北京")])
    assert graph.memory_purge(private(), "小红", "所在地", replacement="上海").ok
    assert said(graph, private(), "小红") == {("小红", "所在地", "上海")}
    graph.memory_commit(private(), [fact("小红", "所在地", "广州")])
    assert [f.object for f in graph.fact_history(private(), "小红")] == ["上海"]
    assert graph.undo_purge(private()).ok


def test_fault_02_a_name_that_does_not_exist_removes_nothing(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("小红", "喜欢", "猫"), fact("小刚", "喜欢", "狗")])
    before = said(graph, private(), "喜欢")
    for wanted in (("查无此人", "喜欢", None), ("查无此人", None, "猫"), ("小红", "喜欢", "查无此物")):
        assert not graph.memory_purge(private(), *wanted).ok
    assert said(graph, private(), "喜欢") == before


def test_fault_03_a_state_changes_one_task(graph: MemoryGraph, store: Store) -> None:
    for task in ("Task_甲1", "Task_甲10", "Task_甲11"):
        graph.task_create(private(), task, task)
    graph.task_set_state(private(), "Task_甲1", "已完成")
    assert set(live(store, "HAS_STATE")) == {
        ("Task_甲1", "HAS_STATE", "已完成"),
        ("Task_甲10", "HAS_STATE", "已暂停"),
        ("Task_甲11", "HAS_STATE", "进行中"),
    }


def test_fault_04_the_task_list_lists_tasks(graph: MemoryGraph) -> None:
    graph.task_create(private(), "Task_成语接龙", "成语接龙")
    turn = talk(graph, "为所欲为")
    assert [task.task_id for task in graph.task_chain(private()).tasks] == ["Task_成语接龙", f"Task_{turn}"]
    assert "Task_成语接龙" in graph.memory_recall(private(), CHAIN).text


def test_fault_05_turns_have_an_order_and_a_last_one(graph: MemoryGraph) -> None:
    told = [talk(graph, f"第{number}句") for number in range(5)]
    tasks = graph.task_chain(private()).tasks
    assert [task.task_id for task in tasks] == [f"Task_{turn}" for turn in reversed(told)]
    assert "第4句" in tasks[0].description


def test_fault_06_a_task_has_one_state_and_one_description(graph: MemoryGraph, store: Store) -> None:
    graph.task_create(private(), "Task_甲", "旧的说法")
    for state in ("已暂停", "进行中", "已完成", "进行中", "已取消"):
        assert graph.task_set_state(private(), "Task_甲", state).ok
    assert live(store, "HAS_STATE") == [("Task_甲", "HAS_STATE", "已取消")]
    graph.task_create(private(), "Task_甲", "新的说法")
    (task,) = graph.task_chain(private()).tasks
    assert (task.state, task.description) == ("进行中", "新的说法")
    assert "旧的说法" not in graph.task_chain(private()).text


def test_fault_07_said_three_times_is_one_row_and_single_values_are_single(
    graph: MemoryGraph, store: Store, clock: Clock
) -> None:
    for city in ("北京", "北京", "上海"):
        clock.advance(minutes=1)
        graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚"), fact("用户", "所在地", city)])
    assert sorted(live(store, "喜欢", "所在地")) == [("1", "喜欢", "摇滚"), ("1", "所在地", "上海")]


def test_fault_08_a_new_persona_touches_nothing_else(graph: MemoryGraph) -> None:
    others = {("OpenAI", "角色", "公司"), ("mailbox", "性格", "安静"), ("小爱AI", "语气", "平静")}
    graph.memory_commit(private(), [fact(*other) for other in others])
    for mood in ("温柔", "傲娇"):
        graph.set_persona("neko", {"性格": mood})
        graph.memory_commit(private(), [fact("AI", "角色", f"{mood}的猫")])
    assert said(graph, private(), "OpenAI,mailbox,小爱AI") >= others


def test_fault_09_a_persona_has_one_value_of_each_trait(graph: MemoryGraph, clock: Clock) -> None:
    graph.set_persona("neko", {"角色": "猫娘", "语气": "句尾带喵"})
    for role in ("狐娘", "犬娘"):
        clock.advance(minutes=1)
        graph.memory_commit(private(), [fact("AI", "角色", role)])
    traits = {(f.relation, f.object) for f in graph.memory_recall(private(), PERSONA).facts}
    assert traits == {("角色", "犬娘"), ("语气", "句尾带喵")}


def test_fault_10_years_later_the_persona_holds(graph: MemoryGraph, clock: Clock) -> None:
    graph.set_persona("neko", {"角色": "猫娘"})
    graph.task_create(private(), "Task_甲", "一件长事")
    clock.advance(days=800)
    talk(graph, "好久不见")
    assert "猫娘" in graph.memory_recall(private(), PERSONA).text
    assert "Task_甲 进行中" in graph.task_chain(private()).text


@pytest.mark.parametrize("separator", "，、；,;")
def test_fault_11_chinese_commas_split(graph: MemoryGraph, separator: str) -> None:
    graph.memory_commit(private(), [fact("小红", "在学", "吉他"), fact("小刚", "喜欢", "摇滚")])
    assert len(said(graph, private(), f"吉他{separator}摇滚")) == 2


def test_fault_12_time_and_conversation_count(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(group("A"), [fact("团长", "暗号", "海豚")])
    clock.advance(days=1)
    graph.memory_commit(group("A", "2"), [fact("团长", "口号", "冲")])
    assert said(graph, group("B"), "团长") == set()
    assert said(graph, private("2"), "团长") == {("团长", "口号", "冲")}
    (found,) = graph.memory_recall(private("2"), "团长").facts
    assert (found.conversation_id, found.first_seen) == (group("A").conversation_id, clock())


def test_fault_13_facts_come_once_and_are_capped(graph: MemoryGraph) -> None:
    rows = [(private(), fact(f"人{i}", "认识", f"人{i + 1}")) for i in range(300)]
    graph.import_triplets([*rows, *rows])
    answer = graph.memory_recall(private(), "认识,人1,人2,人3", 3)
    triplets = [(f.subject, f.relation, f.object) for f in answer.facts]
    assert len(triplets) == len(set(triplets)) <= 40
    assert len(answer.text) <= 1_200
    assert answer.left_out


def test_fault_14_the_persona_query_brings_the_persona_alone(graph: MemoryGraph) -> None:
    names = ("OpenAI", "email", "paint", "main", "AI绘画", "air", "角色扮演", "性格测试", "语气词")
    graph.memory_commit(private(), [fact(name, "说", f"AI{name}") for name in names])
    graph.set_persona("neko", {"性格": "傲娇"})
    assert said(graph, private(), PERSONA, 2) == {("AI", "性格", "傲娇")}


def test_fault_15_the_forced_recalls_stay_as_long(graph: MemoryGraph, store: Store, clock: Clock) -> None:
    graph.set_persona("neko", {"角色": "猫娘"})
    sizes: list[tuple[int, int]] = []
    with store.database.write():
        for number in range(300):
            clock.advance(minutes=1)
            turn = talk(graph, f"这是第{number:04}句话", f"回答{number:04}")
            graph.memory_commit(private(), [fact("用户", "说过", f"话{number:04}")], turn_id=turn)
            graph.task_create(private(), f"Task_事{number:04}", "一件事")
            if number in (149, 299):
                sizes.append(tuple(len(graph.memory_recall(private(), q).text) for q in (PERSONA, CHAIN)))
    assert sizes[0] == sizes[1]
    assert sizes[1][1] <= 1_600


# ---- the turn around the graph


def agent(*steps: ModelResponse) -> AgentModel:
    """A model behind the real loop that answers each request with the next step, the last one for ever."""
    rest = list(steps)

    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return rest.pop(0) if len(rest) > 1 else rest[0]

    def build(_: Brief, __: Sequence[ToolCall]) -> Model:
        return FunctionModel(respond)

    return AgentModel("scripted", build, lambda _: FunctionModel(respond))


async def in_a_chat(tmp_path: Path, clock: Clock, model: AgentModel | None, text: str) -> tuple[Any, Any]:
    """What a turn came to, and what is remembered after it."""
    app = await in_thread(App.open, Settings(), tmp_path / "app", clock=clock)
    chat = Chat(app, clock)

    async def ready() -> AgentModel:
        assert model is not None
        return model

    if model is not None:
        chat.workflow = Workflow(app.rooms, ready, Overheard())
    turn = await chat.say(text)
    chain = await in_thread(app.rooms.graph.task_chain, chat.incoming("").scope)
    facts = await chat.facts()
    await in_thread(app.rooms.store.close)
    return turn, (chain, facts)


async def test_fault_16_a_model_that_skips_the_workflow_changes_nothing(tmp_path: Path, clock: Clock) -> None:
    turn, (chain, facts) = await in_a_chat(tmp_path, clock, None, "我喜欢摇滚")
    assert check(turn).complete
    assert [task.task_id for task in chain.tasks] == [f"Task_{turn.turn_id}"]
    assert facts == [("用户", "喜欢", "摇滚")]


async def test_fault_16_a_model_that_calls_for_ever_is_stopped(tmp_path: Path, clock: Clock) -> None:
    forever = agent(ModelResponse([ToolCallPart("memory_recall", {"query_intent": "用户"})]))
    turn, (chain, facts) = await in_a_chat(tmp_path, clock, forever, "我喜欢摇滚")
    assert 0 < len(turn.answer.calls) <= 24
    assert len(chain.tasks) == 1
    assert facts == [("用户", "喜欢", "摇滚")]


@pytest.mark.parametrize("arguments", ["{broken", '{"triplets": "x"}', "{}", "[1]"])
async def test_fault_17_broken_arguments_are_answered(tmp_path: Path, clock: Clock, arguments: str) -> None:
    model = agent(
        ModelResponse([ToolCallPart("memory_commit", arguments)]), ModelResponse([TextPart("好的喵")])
    )
    turn, (_, facts) = await in_a_chat(tmp_path, clock, model, "我喜欢摇滚")
    assert turn.reply == "好的喵"
    assert facts == [("用户", "喜欢", "摇滚")]


# ---- many at once


def test_fault_18_eight_threads_lose_nothing(graph: MemoryGraph, store: Store) -> None:
    def work(worker: int) -> list[bool]:
        return [
            graph.memory_commit(private(), [fact(f"线程{worker}", "写了", f"第{n}条")]).ok for n in range(200)
        ]

    with ThreadPoolExecutor(8) as pool:
        done = [ok for answers in pool.map(work, range(8)) for ok in answers]
    assert done == [True] * 1_600
    with store.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(edges)) == 1_600


def test_fault_18_a_second_process_is_refused_by_name(tmp_path: Path) -> None:
    program = (
        "import sys; from nonebot_plugin_memoryfs.errors import DirectoryInUse\n"
        "from nonebot_plugin_memoryfs.graph import MemoryGraph\n"
        "try: MemoryGraph.open(sys.argv[1])\n"
        "except DirectoryInUse: sys.exit(3)"
    )
    with MemoryGraph.open(tmp_path) as graph:
        second = subprocess.run([sys.executable, "-c", program, str(tmp_path)], timeout=60, check=False)
        assert second.returncode == 3
        assert graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")]).ok


def test_fault_19_a_bad_item_leaves_nothing_pending(graph: MemoryGraph, store: Store) -> None:
    batch = [fact("用户", "喜欢", "爵士"), fact("用户", "喜欢", "摇" * 501), fact("用户", "喜欢", "民谣")]
    assert not graph.memory_commit(private(), batch).ok
    assert graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")]).ok
    assert live(store, "喜欢") == [("1", "喜欢", "摇滚")]


def test_fault_20_a_layer_of_many_nodes_is_no_giant_statement(graph: MemoryGraph) -> None:
    sizes: list[int] = []

    def note(_: Any, __: Any, ___: str, parameters: Any, ____: Any, many: bool) -> None:
        batch = many and isinstance(parameters, (list, tuple)) and not isinstance(parameters[0], (int, str))
        rows = parameters if batch else [parameters]
        sizes.append(max(map(len, rows)))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        graph.import_triplets((private(), fact("用户", "收藏", f"唱片{i:05}")) for i in range(5_000))
        answer = graph.memory_recall(private(), "用户,收藏,唱片", 3)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert 0 < len(answer.facts) <= 40
    assert 100 < max(sizes) < 10_000
