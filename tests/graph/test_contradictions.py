"""R2.5: a statement and its negation about the same object; the newer holds, and nothing else ends."""

from itertools import permutations

import pytest

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.text.opposites import contraries
from nonebot_plugin_memoryfs.text.statements import recognise

from ..conftest import Clock
from .conftest import fact, group, private, said


def tell(graph: MemoryGraph, clock: Clock, text: str, scope: Scope | None = None) -> tuple[str, ...]:
    """A turn whose statements are committed as the host does; the objects that ended by it."""
    scope = scope or private()
    clock.advance(minutes=1)
    turn = graph.open_turn(scope, "小明", text)
    stated = [fact("用户", s.relation, s.object) for s in recognise(text)]
    assert stated, text
    answer = graph.memory_commit(scope, stated, turn_id=turn, said=text)
    graph.complete_turn(turn, reply="记住了喵", speaker="猫娘")
    return tuple(f"{f.relation} {f.object}" for f in answer.superseded)


def test_r2_05_not_any_more_ends_the_liking(graph: MemoryGraph, clock: Clock) -> None:
    tell(graph, clock, "我喜欢摇滚")
    tell(graph, clock, "我喜欢爵士")
    assert tell(graph, clock, "我不喜欢摇滚了") == ("喜欢 摇滚",)
    assert said(graph, private(), "用户") == {("用户", "不喜欢", "摇滚"), ("用户", "喜欢", "爵士")}
    assert [f.relation for f in graph.fact_history(private(), "用户")] == ["喜欢"]


def test_r2_05_and_back_again(graph: MemoryGraph, clock: Clock) -> None:
    for text in ("我喜欢摇滚", "我讨厌摇滚", "我喜欢摇滚"):
        tell(graph, clock, text)
    assert said(graph, private(), "摇滚") == {("用户", "喜欢", "摇滚")}
    assert [f.relation for f in graph.fact_history(private(), "用户")] == ["讨厌", "喜欢"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("我打算去北京旅游", "我不打算去北京旅游了"),
        ("我不喜欢香菜", "我喜欢香菜"),
        ("I like rock", "I don't like rock anymore"),
    ],
)
def test_r2_05_plans_and_dislikes_turn_as_well(
    graph: MemoryGraph, clock: Clock, before: str, after: str
) -> None:
    tell(graph, clock, before)
    assert len(tell(graph, clock, after)) == 1
    assert len(said(graph, private(), "用户")) == 1


@pytest.mark.parametrize(
    ("before", "after"), [("摇滚", "摇滚乐"), ("摇滚乐", "摇滚"), ("猫", "狗"), ("猫", "黑猫")]
)
def test_r2_05_another_object_is_another_matter(graph: MemoryGraph, before: str, after: str) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", before)])
    assert graph.memory_commit(private(), [fact("用户", "不喜欢", after)]).superseded == ()
    assert len(said(graph, private(), "用户")) == 2


def test_r2_05_nothing_else_is_retired(graph: MemoryGraph) -> None:
    kept = [
        ("用户", "打算", "摇滚"),
        ("用户", "在学", "摇滚"),
        ("小红", "喜欢", "摇滚"),
        ("用户", "讨厌", "摇滚"),
    ]
    graph.memory_commit(private(), [fact(*triplet) for triplet in kept])
    assert graph.memory_commit(private(), [fact("用户", "不喜欢", "摇滚")]).superseded == ()
    assert said(graph, private(), "摇滚,用户") >= set(kept)


def test_r2_05_labels_of_one_side_never_contradict() -> None:
    sides = [("喜欢", "爱"), ("不喜欢", "讨厌"), ("打算", "计划")]
    for one, other in (pair for side in sides for pair in permutations(side)):
        assert one not in contraries(other)
        assert contraries(one) == contraries(other)
    assert "喜欢" in contraries("讨厌")
    assert contraries("在学") == frozenset()


def test_r2_05_another_speaker_ends_nothing_of_mine(graph: MemoryGraph, clock: Clock) -> None:
    me, other = group(user="1"), group(user="2")
    graph.memory_commit(me, [fact("用户", "喜欢", "摇滚")], speaker_name="小明")
    clock.advance(minutes=1)
    graph.memory_commit(other, [fact("小明", "讨厌", "摇滚")], speaker_name="小红")
    assert len(said(graph, me, "摇滚")) == 2
    clock.advance(minutes=1)
    graph.memory_commit(me, [fact("用户", "喜欢", "摇滚")])
    assert said(graph, me, "摇滚") == {("用户", "喜欢", "摇滚")}


def test_r2_05_two_people_may_differ(graph: MemoryGraph) -> None:
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")])
    graph.memory_commit(group(user="2"), [fact("用户", "讨厌", "摇滚")])
    assert len(said(graph, group(user="1"), "摇滚")) == 2


def test_r2_05_an_inference_ends_nothing_and_does_not_outrank(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")])
    clock.advance(days=1)
    assert graph.memory_commit(private(), [fact("用户", "讨厌", "[推测]摇滚")]).superseded == ()
    assert said(graph, private(), "摇滚") == {("用户", "喜欢", "摇滚")}
    clock.advance(days=1)
    graph.memory_commit(private(), [fact("用户", "不喜欢", "摇滚")])
    assert said(graph, private(), "摇滚") == {("用户", "不喜欢", "摇滚"), ("用户", "讨厌", "摇滚")}


def test_r2_05_a_private_change_of_mind_is_read_there_only(graph: MemoryGraph, clock: Clock) -> None:
    tell(graph, clock, "我喜欢摇滚", group())
    assert tell(graph, clock, "我不喜欢摇滚了") == ()
    assert said(graph, private(), "摇滚") == {("用户", "不喜欢", "摇滚")}
    assert said(graph, group(), "摇滚") == {("用户", "喜欢", "摇滚")}
    tell(graph, clock, "我喜欢摇滚", group())
    assert said(graph, private(), "摇滚") == {("用户", "喜欢", "摇滚")}


def test_r2_05_an_older_statement_imported_later_ends_nothing(graph: MemoryGraph, clock: Clock) -> None:
    then = clock()
    clock.advance(days=100)
    graph.memory_commit(private(), [fact("用户", "不喜欢", "摇滚")])
    graph.import_triplets([(private(), fact("用户", "喜欢", "摇滚", at=then))])
    assert said(graph, private(), "摇滚") == {("用户", "不喜欢", "摇滚")}


def test_r1_19_the_turn_that_said_the_contrary_shows_as_corrected(graph: MemoryGraph, clock: Clock) -> None:
    tell(graph, clock, "我喜欢摇滚")
    tell(graph, clock, "我不喜欢摇滚了")
    text = graph.task_chain(private()).text
    assert "我喜欢摇滚" not in text
    assert "我不喜欢摇滚了" in text
    assert "（已更正）" in text
