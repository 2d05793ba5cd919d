"""R2.2, R1.17: what people are called, and how names are spelled before whom."""

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.search.index import Kind
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import aliases, postings

from ..conftest import Clock
from .conftest import fact, group, private, said


def renamed(graph: MemoryGraph, clock: Clock, times: int) -> None:
    for number in range(times):
        clock.advance(minutes=1)
        graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name=f"外号{number:02}")


def test_r2_02_the_newest_ten_aliases_are_kept(graph: MemoryGraph, store: Store, clock: Clock) -> None:
    renamed(graph, clock, 14)
    with store.database.read() as connection:
        kept = set(connection.scalars(select(aliases.c.name)))
        indexed = connection.scalars(
            select(postings.c.gram).where(
                postings.c.gram.in_(["03", "13"]), postings.c.kind == int(Kind.NODE)
            )
        )
        assert set(indexed) == {"13"}
    assert kept == {f"外号{number:02}" for number in range(4, 14)}
    reader = group(user="2")
    assert said(graph, reader, "外号04") == {("外号13", "喜欢", "摇滚")}
    graph.memory_commit(reader, [fact("外号03", "讨厌", "香菜")])
    assert ("外号13", "讨厌", "香菜") not in said(graph, reader, "香菜")


def test_r2_02_an_alias_in_use_is_not_dropped(graph: MemoryGraph, clock: Clock) -> None:
    renamed(graph, clock, 10)
    clock.advance(minutes=1)
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name="外号00")
    clock.advance(minutes=1)
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name="新外号")
    assert said(graph, group(user="2"), "外号00") == {("新外号", "喜欢", "摇滚")}


def test_r2_02_an_alias_older_than_those_kept_is_passed_over(
    graph: MemoryGraph, store: Store, clock: Clock
) -> None:
    long_ago = clock()
    clock.advance(days=1)
    renamed(graph, clock, 10)
    graph.open_turn(group(user="1"), "旧外号", "早", at=long_ago)
    with store.database.read() as connection:
        assert connection.execute(select(func.count()).select_from(aliases)).scalar_one() == 10
        assert "旧外号" not in set(connection.scalars(select(aliases.c.name)))


def test_r1_17_a_name_is_spelled_as_it_was_where_one_may_look(graph: MemoryGraph) -> None:
    graph.memory_commit(private("2"), [fact("SOS团", "KiNd", "Python")])
    graph.memory_commit(private("1"), [fact("sos团", "kind", "python")])
    assert said(graph, private("1"), "python") == {("sos团", "kind", "python")}
    assert said(graph, private("2"), "python") == {("SOS团", "KiNd", "Python")}


def test_r1_17_suggested_and_named_as_spelled_here(graph: MemoryGraph) -> None:
    graph.memory_commit(private("2"), [fact("用户", "LIKES", "ＰＹＴＨＯＮ入门")])
    graph.memory_commit(private("1"), [fact("用户", "likes", "python入门")])
    assert graph.memory_purge(private("1"), "用户", object="python").nearest == ("python入门",)
    turn = graph.open_turn(private("1"), "小明", "我在看python入门")
    graph.complete_turn(turn, reply="好的", speaker="猫娘")
    assert graph.recall_back(private("1"), "那个东西").named == ("python入门",)


def test_r2_02_a_name_is_spelled_as_it_was_said_last(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(group("A", "1"), [fact("团长", "用", "python")])
    clock.advance(days=1)
    graph.memory_commit(group("A", "2"), [fact("团长", "用", "Python")])
    assert said(graph, private("2"), "python") == {("团长", "用", "Python")}


def test_r2_05_what_is_single_valued_is_no_matter_of_spelling(store: Store, clock: Clock) -> None:
    graph = MemoryGraph(store, single_valued={"home"})
    graph.memory_commit(private("2"), [fact("团长", "HOME", "东京")])
    for city in ("北京", "上海"):
        clock.advance(days=1)
        graph.memory_commit(private("1"), [fact("团长", "Home", city)])
    assert {object for _, _, object in said(graph, private("1"), "团长")} == {"上海"}


@pytest.mark.parametrize("name", ["小\u200b明", "\u202e小明", "小明\ufeff", "\u2067小明\u2069", "小\u00ad明"])
def test_r2_02_what_cannot_be_seen_makes_no_other_name(graph: MemoryGraph, name: str) -> None:
    graph.memory_commit(private(), [fact("小明", "喜欢", "摇滚"), fact(name, "喜欢", "摇滚")])
    answer = graph.memory_recall(private(), name)
    assert [(f.object, f.sightings) for f in answer.facts] == [("摇滚", 2)]
    assert not set(answer.text) & set("\u202e\u2067\u2069")


@pytest.mark.parametrize("name", ["\u200b", "\u202e", "\u3164", "\u2800 \u200d", "\x7f", "\ufeff"])
def test_r2_08_what_shows_nothing_is_no_name(graph: MemoryGraph, name: str) -> None:
    for triplet in (fact(name, "喜欢", "x"), fact("x", name, "x"), fact("x", "喜欢", name)):
        assert "是空的" in graph.memory_commit(private(), [triplet]).text
    assert not graph.task_create(private(), name, "成语接龙").ok
    assert not graph.task_create(private(), "成语接龙", name).ok


def test_r2_02_people_of_one_nickname_are_told_apart(graph: MemoryGraph) -> None:
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "香菜")], speaker_name="小明")
    one = graph.memory_recall(group(user="3"), "香菜")
    assert "小明 喜欢 香菜" in one.text
    graph.memory_commit(group(user="2"), [fact("用户", "讨厌", "香菜")], speaker_name=" 小明 ")
    answer = graph.memory_recall(group(user="3"), "香菜")
    assert {(f.subject, f.relation) for f in answer.facts} == {("用户1", "喜欢"), ("用户2", "讨厌")}
    assert "小明" not in answer.text
    assert "用户1 喜欢 香菜" in graph.memory_recall(group(user="2"), "喜欢").text
    assert "用户1说" in answer.text


def test_r2_02_a_namesake_elsewhere_is_none_of_the_viewers(graph: MemoryGraph) -> None:
    graph.memory_commit(group("9", "1"), [fact("用户", "喜欢", "香菜")], speaker_name="小明")
    graph.memory_commit(group("8", "2"), [fact("用户", "讨厌", "香菜")], speaker_name="小明")
    graph.memory_commit(private("4"), [fact("用户", "讨厌", "香菜")], speaker_name="小明")
    assert said(graph, group("9", "3"), "香菜") == {("小明", "喜欢", "香菜")}


def test_r2_02_a_nickname_may_begin_like_an_id(graph: MemoryGraph) -> None:
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "香菜")], speaker_name="用户体验师")
    graph.memory_commit(group(user="2"), [fact("用户", "喜欢", "葱")], speaker_name="用户1")
    assert said(graph, group(user="3"), "用户体验师") == {("用户体验师", "喜欢", "香菜")}
    assert said(graph, group(user="3"), "葱") == {("用户2", "喜欢", "葱")}
