"""R2.20: refusals are answers, not exceptions: whatever a library hands in, the answer names the argument."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.graph import Answer, MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edges, turns

from .conftest import fact, private

GOOD = [fact("用户", "喜欢", "摇滚")]
Call = Callable[[Any, Any], Answer]

REFUSED: list[tuple[str, Call]] = [
    ("triplets", lambda g, s: g.memory_commit(s, None)),
    ("triplets", lambda g, s: g.memory_commit(s, 5)),
    ("triplets", lambda g, s: g.memory_commit(s, "用户喜欢摇滚")),
    ("triplets", lambda g, s: g.memory_commit(s, GOOD[0])),
    ("turn_id", lambda g, s: g.memory_commit(s, GOOD, turn_id="7")),
    ("turn_id", lambda g, s: g.memory_commit(s, GOOD, turn_id=10**30)),
    ("speaker_name", lambda g, s: g.memory_commit(s, GOOD, speaker_name=5)),
    ("said", lambda g, s: g.memory_commit(s, GOOD, said=["我喜欢摇滚"])),
    ("第 1 条", lambda g, s: g.memory_commit(s, [object()])),
    ("第 1 条", lambda g, s: g.memory_commit(s, [fact("用户", "喜欢", None)])),
    ("query_intent", lambda g, s: g.memory_recall(s, None)),
    ("query_intent", lambda g, s: g.memory_recall(s, ["用户"])),
    ("depth", lambda g, s: g.memory_recall(s, "用户", depth="2")),
    ("depth", lambda g, s: g.memory_recall(s, "用户", depth=None)),
    ("depth", lambda g, s: g.memory_recall(s, "用户", depth=1.5)),
    ("text", lambda g, s: g.recall_facts(s, None)),
    ("subject", lambda g, s: g.memory_purge(s, None, "喜欢")),
    ("relation", lambda g, s: g.memory_purge(s, "用户", 3)),
    ("object", lambda g, s: g.memory_purge(s, "用户", object=["摇滚"])),
    ("replacement", lambda g, s: g.memory_purge(s, "用户", "喜欢", replacement=5)),
    ("turn_id", lambda g, s: g.memory_purge(s, "用户", "喜欢", turn_id="x")),
    ("task_id", lambda g, s: g.task_create(s, None, "成语接龙")),
    ("description", lambda g, s: g.task_create(s, "Task_成语接龙", 5)),
    ("info_nodes", lambda g, s: g.task_create(s, "Task_成语接龙", "成语接龙", None)),
    ("info_nodes", lambda g, s: g.task_create(s, "Task_成语接龙", "成语接龙", "成语")),
    ("info_nodes", lambda g, s: g.task_create(s, "Task_成语接龙", "成语接龙", [None])),
    ("turn_id", lambda g, s: g.task_create(s, "Task_成语接龙", "成语接龙", turn_id="x")),
    ("task_id", lambda g, s: g.task_set_state(s, None, "进行中")),
    ("state", lambda g, s: g.task_set_state(s, "Task_成语接龙", None)),
    ("text", lambda g, s: g.recall_back(s, None)),
]


@pytest.mark.parametrize(("named", "call"), REFUSED)
def test_r2_20_a_bad_argument_is_refused_by_name(
    graph: MemoryGraph, store: Store, named: str, call: Call
) -> None:
    answer = call(graph, private())
    assert not answer.ok
    assert named in answer.text
    with store.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(edges)) == 0
    assert graph.memory_commit(private(), GOOD).ok


BAD_SCOPES: list[tuple[str, Any]] = [
    ("character_id", Scope("", "qq_private_1", "1", True)),
    ("conversation_id", Scope("neko", " ", "1", True)),
    ("user_id", Scope("neko", "qq_private_1", "", True)),
    ("user_id", Scope("neko", "qq_private_1", 1, True)),  # pyright: ignore
    ("character_id", Scope(None, "qq_private_1", "1", True)),  # pyright: ignore
    ("conversation_id", Scope("neko", 123456, "1", True)),  # pyright: ignore
    ("user_id", Scope("neko", "qq_private_1", "a\x00b", True)),
    ("user_id", Scope("neko", "qq_private_1", "\ud800", True)),
    ("private", Scope("neko", "qq_private_1", "1", None)),  # pyright: ignore
    ("scope", None),
    ("scope", ("neko", "qq_private_1", "1", True)),
]
DOORS: list[Callable[[MemoryGraph, Any], object]] = [
    lambda g, s: g.memory_commit(s, GOOD),
    lambda g, s: g.memory_recall(s, "用户"),
    lambda g, s: g.recall_facts(s, "用户"),
    lambda g, s: g.memory_purge(s, "用户", "喜欢"),
    lambda g, s: g.undo_purge(s),
    lambda g, s: g.fact_history(s, "用户"),
    lambda g, s: g.persona(s),
    lambda g, s: g.task_create(s, "Task_成语接龙", "成语接龙"),
    lambda g, s: g.task_set_state(s, "Task_成语接龙", "进行中"),
    lambda g, s: g.task_chain(s),
    lambda g, s: g.open_turn(s, "小明", "你好"),
    lambda g, s: g.recall_back(s, "刚才说了什么"),
]


@pytest.mark.parametrize(("field", "scope"), BAD_SCOPES)
def test_r2_20_a_scope_nothing_can_be_kept_under_is_refused_at_the_door(
    graph: MemoryGraph, store: Store, field: str, scope: Any
) -> None:
    for door in DOORS:
        with pytest.raises(InvalidInput, match=field):
            door(graph, scope)
    refused = graph.import_triplets([(scope, GOOD[0])])
    assert refused.refused_count == 1
    assert field in refused.refused[0]
    with store.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(edges)) == 0
        assert connection.scalar(select(func.count()).select_from(turns)) == 0


def test_r2_20_methods_without_an_answer_raise_what_names_the_argument(graph: MemoryGraph) -> None:
    loose: Any = graph
    turn = graph.open_turn(private(), "小明", "你好")
    calls: list[tuple[str, Callable[[], object]]] = [
        ("subject", lambda: loose.fact_history(private(), None)),
        ("limit", lambda: loose.fact_history(private(), "用户", limit="3")),
        ("text", lambda: loose.open_turn(private(), "小明", None)),
        ("source_ids", lambda: loose.open_turn(private(), "小明", "你好", "abc")),
        ("source_ids", lambda: loose.open_turn(private(), "小明", "你好", [5])),
        ("reply", lambda: loose.complete_turn(turn, reply=None, speaker="猫娘")),
        ("turn_id", lambda: loose.complete_turn("x", reply="好", speaker="猫娘")),
        ("性格", lambda: loose.set_persona("neko", {"性格": 5})),
        ("character_id", lambda: loose.set_persona(None, {"性格": "傲娇"})),
        ("triplets", lambda: loose.import_triplets(None)),
    ]
    for named, call in calls:
        with pytest.raises(InvalidInput, match=named):
            call()
    graph.complete_turn(turn, reply="好", speaker="猫娘")


@pytest.mark.parametrize("pair", [None, 5, "ab", (), (private(),), (private(), GOOD[0], 3)])
def test_r2_20_an_import_passes_over_what_is_no_pair(graph: MemoryGraph, pair: Any) -> None:
    result = graph.import_triplets([pair, (private(), GOOD[0])])
    assert (result.written, result.refused_count) == (1, 1)
    assert "Scope" in result.refused[0]
