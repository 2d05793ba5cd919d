"""R2.3, R2.5: when facts were said and held, whatever order they come in and whatever the clock says."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edges

from ..conftest import Clock
from .conftest import fact, private, said


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def held(store: Store) -> dict[str, tuple[int, int | None]]:
    with store.database.read() as connection:
        rows = connection.execute(select(edges.c.object, edges.c.valid_from, edges.c.valid_to))
        return {row.object: (row.valid_from.year, row.valid_to and row.valid_to.year) for row in rows}


@pytest.mark.parametrize("at_once", [True, False])
def test_r2_03_an_edge_keeps_its_first_and_its_last_time(
    graph: MemoryGraph, store: Store, at_once: bool
) -> None:
    rows = [(private(), fact("用户", "喜欢", "摇滚", at=year(y))) for y in (2020, 2018, 2022)]
    for some in [rows] if at_once else [[row] for row in rows]:
        graph.import_triplets(some)
    [seen] = graph.own_facts(private())
    assert (seen.first_seen, seen.last_seen, seen.sightings) == (year(2018), year(2022), 3)
    assert held(store) == {"摇滚": (2018, None)}


def test_r2_03_a_value_held_until_the_next_was_said(graph: MemoryGraph, store: Store) -> None:
    for object, at in (("学生", 2018), ("作家", 2024), ("编辑", 2021)):
        graph.import_triplets([(private(), fact("用户", "职业", object, at=year(at)))])
    assert held(store) == {"学生": (2018, 2024), "作家": (2024, None), "编辑": (2021, 2024)}
    assert said(graph, private(), "用户") == {("用户", "职业", "作家")}


def test_r2_05_nothing_was_said_in_the_future(graph: MemoryGraph, clock: Clock) -> None:
    graph.import_triplets([(private(), fact("用户", "年龄", "99", at=year(2090)))])
    [seen] = graph.own_facts(private())
    assert seen.last_seen == clock()
    clock.advance(minutes=1)
    assert graph.memory_commit(private(), [fact("用户", "年龄", "30")]).superseded
    assert said(graph, private(), "用户") == {("用户", "年龄", "30")}


def test_r2_05_what_is_said_now_holds_though_the_clock_was_set_back(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(private(), [fact("用户", "年龄", "29"), fact("用户", "喜欢", "茶")])
    clock.advance(days=-1)
    graph.memory_commit(private(), [fact("用户", "年龄", "30"), fact("用户", "不喜欢", "茶")])
    assert said(graph, private(), "用户") == {("用户", "年龄", "30"), ("用户", "不喜欢", "茶")}


def test_r2_05_of_one_commit_the_last_holds(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "年龄", "20")])
    graph.memory_commit(private(), [fact("用户", "年龄", "21"), fact("用户", "年龄", "20")])
    assert said(graph, private(), "用户") == {("用户", "年龄", "20")}


def test_r2_05_a_newer_inference_ends_an_older_one(graph: MemoryGraph, clock: Clock) -> None:
    for age in ("[推测]20", "[推测]21"):
        clock.advance(minutes=1)
        answer = graph.memory_commit(private(), [fact("用户", "年龄", age)])
    assert [f.object for f in answer.superseded] == ["20"]
    for age in ("25", "[推测]26", "[推测]27"):
        clock.advance(minutes=1)
        graph.memory_commit(private(), [fact("用户", "年龄", age)])
    assert said(graph, private(), "用户") == {("用户", "年龄", "25")}
    assert {f.object for f in graph.own_facts(private())} == {"25", "27"}


def test_r2_05_what_no_longer_holds_is_told_as_it_was_said(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", "诗人")])  # known before the other
    for job in ("作家", "[推测]诗人", "编辑"):
        clock.advance(minutes=1)
        answer = graph.memory_commit(private(), [fact("用户", "职业", job)])
    assert [f.object for f in answer.superseded] == ["作家", "诗人"]
