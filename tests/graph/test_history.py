"""R2.5: what held before, and who may know it."""

from nonebot_plugin_memoryfs.graph import MemoryGraph

from ..conftest import Clock
from .conftest import fact, group, private


def test_r2_05_corrections_elsewhere_do_not_starve_mine(graph: MemoryGraph, clock: Clock) -> None:
    for city in ("北京", "上海"):
        graph.memory_commit(private(), [fact("团长", "所在地", city)])
    rows = [
        (private("2"), fact("团长", "所在地", f"城市{n}", at=clock.now.replace(second=0, microsecond=n + 1)))
        for n in range(210)
    ]
    clock.advance(days=1)
    for row in rows:
        graph.memory_commit(row[0], [row[1]])
    assert [f.object for f in graph.fact_history(private(), "团长", "所在地")] == ["北京"]


def test_r2_05_other_relations_do_not_starve_the_one_asked_for(graph: MemoryGraph, clock: Clock) -> None:
    for city in ("北京", "上海"):
        graph.memory_commit(private(), [fact("团长", "所在地", city)])
    for number in range(210):
        clock.advance(minutes=1)
        graph.memory_commit(private(), [fact("团长", "年龄", str(number))])
    assert [f.object for f in graph.fact_history(private(), "团长", "住在")] == ["北京"]
    assert len(graph.fact_history(private(), "团长", limit=7)) == 7


def test_r1_17_history_is_that_of_what_may_be_seen(graph: MemoryGraph, clock: Clock) -> None:
    for city in ("北京", "上海"):
        graph.memory_commit(group("A", "1"), [fact("团长", "所在地", city)])
    clock.advance(days=1)
    graph.memory_commit(group("A", "2"), [fact("用户", "喜欢", "摇滚")])
    assert [f.object for f in graph.fact_history(group("A", "2"), "团长")] == ["北京"]
    assert graph.fact_history(private("2"), "团长") == ()
    assert graph.fact_history(group("B", "1"), "团长") == ()
