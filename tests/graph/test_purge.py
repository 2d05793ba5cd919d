"""R2.10: taking facts back."""

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edges

from ..conftest import Clock
from .conftest import corrected_turns, fact, group, private, said


def likes(graph: MemoryGraph, *things: str, user: str = "1") -> None:
    graph.memory_commit(private(user), [fact("用户", "喜欢", thing) for thing in things])


def test_r2_10_exact_names_only(graph: MemoryGraph) -> None:
    graph.memory_commit(
        private(), [fact("OpenAI", "发布", "模型"), fact("AI", "喜欢", "鱼"), fact("人工AI", "发布", "模型")]
    )
    answer = graph.memory_purge(private(), "OpenAI", "发布")
    assert [f.subject for f in answer.purged] == ["OpenAI"]
    assert said(graph, private(), "发布") == {("人工AI", "发布", "模型")}
    assert ("AI", "喜欢", "鱼") in said(graph, private(), "AI")


def test_r2_10_what_is_unknown_removes_nothing_and_says_what_is_near(graph: MemoryGraph) -> None:
    likes(graph, "摇滚乐")
    answer = graph.memory_purge(private(), "用户", object="摇滚")
    assert not answer.ok
    assert answer.purged == ()
    assert "摇滚乐" in answer.text
    assert not graph.memory_purge(private(), "路人甲", relation="喜欢").ok
    assert not graph.memory_purge(private(), "用户", relation="讨厌").ok
    assert not graph.memory_purge(private("2"), "用户", relation="喜欢").ok
    assert said(graph, private(), "喜欢") == {("用户", "喜欢", "摇滚乐")}


@pytest.mark.parametrize(("relation", "object"), [(None, None), ("", ""), (" ", None)])
def test_r2_10_a_subject_alone_is_refused(
    graph: MemoryGraph, relation: str | None, object: str | None
) -> None:
    likes(graph, "摇滚")
    assert not graph.memory_purge(private(), "用户", relation, object).ok


def test_r2_10_at_most_five_at_once(graph: MemoryGraph) -> None:
    likes(graph, *(f"歌{i}" for i in range(6)))
    refused = graph.memory_purge(private(), "用户", "喜欢")
    assert not refused.ok
    assert "5" in refused.text
    assert graph.memory_purge(private(), "用户", "喜欢", "歌0").ok
    assert len(graph.memory_purge(private(), "用户", "喜欢").purged) == 5


def test_r2_10_a_replacement_is_written(graph: MemoryGraph) -> None:
    likes(graph, "摇滚")
    assert graph.memory_purge(private(), "用户", "喜欢", "摇滚", replacement="爵士").ok
    assert said(graph, private(), "用户") == {("用户", "喜欢", "爵士")}
    assert not graph.memory_purge(private(), "用户", "喜欢", "爵士", replacement=" ").ok
    assert not graph.memory_purge(private(), "用户", "喜欢", "爵士", replacement="爵士").ok
    assert not graph.memory_purge(private(), "用户", "喜欢", "爵士", replacement="x" * 501).ok


def test_r2_10_a_replacement_of_a_single_value(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "所在地", "北京")])
    assert graph.memory_purge(private(), "用户", "住在", replacement="上海").ok
    assert said(graph, private(), "用户") == {("用户", "所在地", "上海")}
    assert graph.undo_purge(private()).ok
    assert said(graph, private(), "用户") == {("用户", "所在地", "北京")}


def test_r2_10_undo_for_thirty_days(graph: MemoryGraph, clock: Clock) -> None:
    likes(graph, "摇滚", "爵士")
    graph.memory_purge(private(), "用户", object="摇滚")
    graph.memory_purge(private(), "用户", object="爵士")
    assert not graph.undo_purge(private("2")).ok
    assert [f.object for f in graph.undo_purge(private()).purged] == ["爵士"]
    clock.advance(days=29)
    assert [f.object for f in graph.undo_purge(private()).purged] == ["摇滚"]
    assert not graph.undo_purge(private()).ok
    graph.memory_purge(private(), "用户", object="摇滚")
    clock.advance(days=31)
    assert not graph.undo_purge(private()).ok


def test_r2_10_undo_of_a_replacement(graph: MemoryGraph) -> None:
    likes(graph, "摇滚")
    graph.memory_purge(private(), "用户", "喜欢", "摇滚", replacement="爵士")
    graph.undo_purge(private())
    assert said(graph, private(), "用户") == {("用户", "喜欢", "摇滚")}


def test_r2_10_what_was_purged_can_be_said_again(graph: MemoryGraph) -> None:
    likes(graph, "摇滚")
    graph.memory_purge(private(), "用户", object="摇滚")
    assert graph.fact_history(private(), "用户") == ()
    likes(graph, "摇滚")
    assert said(graph, private(), "摇滚") == {("用户", "喜欢", "摇滚")}
    assert graph.undo_purge(private()).ok
    assert graph.memory_recall(private(), "摇滚").facts[0].sightings == 1


def test_r2_10_purged_names_are_not_suggested(graph: MemoryGraph) -> None:
    likes(graph, "摇滚乐")
    graph.memory_purge(private(), "用户", object="摇滚乐")
    assert graph.memory_purge(private(), "用户", object="摇滚").nearest == ()


def test_r2_10_tasks_and_personas_only_through_their_own_ways(graph: MemoryGraph) -> None:
    graph.set_persona("neko", {"性格": "傲娇"})
    graph.memory_commit(private(), [fact("AI", "语气", "平静")])
    graph.task_create(private(), "Task_1", "第一件事", ["成语"])
    assert not graph.memory_purge(private(), "AI", "性格").ok
    assert not graph.memory_purge(private(), "AI", "语气").ok
    assert not graph.memory_purge(private(), "Task_1", "HAS_STATE").ok
    assert graph.task_chain(private()).tasks[0].state == "进行中"


def test_r2_10_in_a_group_people_take_back_their_own(graph: MemoryGraph) -> None:
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name="小明")
    assert not graph.memory_purge(group(user="2"), "小明", "喜欢").ok
    graph.memory_commit(group(user="2"), [fact("小明", "讨厌", "香菜")], speaker_name="小红")
    assert graph.memory_purge(group(user="1"), "用户", "讨厌").ok
    assert graph.memory_purge(group(user="1"), "小明", "喜欢").ok


@pytest.mark.parametrize("name", ["%", "_", "\x00", "😀", "a/b", "x" * 10_000, "\ud800"])
def test_r2_10_odd_names_find_nothing(graph: MemoryGraph, name: str) -> None:
    likes(graph, "摇滚")
    assert not graph.memory_purge(private(), name, relation=name, object=name).ok
    assert said(graph, private(), "摇滚")


def test_r2_10_ones_own_fact_is_found_behind_those_of_others(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(group(user="1"), [fact("团长", "喜欢", "摇滚")])
    for number in range(8):
        clock.advance(minutes=1)
        graph.memory_commit(group(user="2"), [fact("团长", "喜欢", f"歌{number}")])
    answer = graph.memory_purge(group(user="1"), "团长", "喜欢")
    assert [f.object for f in answer.purged] == ["摇滚"]
    refused = graph.memory_purge(group(user="1"), "团长", "喜欢")
    assert "别人" in refused.text
    assert len(said(graph, group(), "团长")) == 8


@pytest.mark.parametrize("scope", [private("2"), group(user="1"), group(user="2")])
def test_r1_17_a_name_of_another_conversation_is_an_unknown_name(graph: MemoryGraph, scope: Scope) -> None:
    graph.memory_commit(private("1"), [fact("蓝鲸计划", "代号", "海豚"), fact("用户", "喜欢", "蓝鲸计划")])
    graph.memory_commit(scope, [fact("用户", "喜欢", "摇滚")])
    for subject, object in (("用户", "NAME"), ("NAME", "摇滚"), ("NAME", "NAME")):
        answers: set[str] = set()
        for name in ("蓝鲸计划", "白鸽计划"):
            told = graph.memory_purge(
                scope, subject.replace("NAME", name), object=object.replace("NAME", name)
            )
            assert not told.ok
            answers.add(told.text.replace(name, "NAME"))
        assert len(answers) == 1, answers


def test_r2_10_a_name_seen_from_elsewhere_is_known(graph: MemoryGraph) -> None:
    graph.memory_commit(group(), [fact("团长", "喜欢", "摇滚")])
    graph.memory_commit(private(), [fact("用户", "喜欢", "爵士")])
    assert "没有这样的事实" in graph.memory_purge(private(), "用户", object="摇滚").text


@pytest.mark.parametrize(("days", "seconds", "undone"), [(29, 86_399, True), (30, 0, True), (30, 1, False)])
def test_r2_10_the_undo_window_is_thirty_days_to_the_second(
    graph: MemoryGraph, store: Store, clock: Clock, days: int, seconds: int, undone: bool
) -> None:
    likes(graph, "摇滚")
    graph.memory_purge(private(), "用户", object="摇滚", replacement="爵士")
    clock.advance(days=days, seconds=seconds)
    answer = graph.undo_purge(private())
    assert answer.ok is undone
    assert ("30 天" in answer.text) is not undone
    assert said(graph, private(), "喜欢") == {("用户", "喜欢", "摇滚" if undone else "爵士")}
    with store.database.read() as connection:  # to delete rows is the work of upkeep
        assert connection.scalar(select(func.count()).select_from(edges)) == 2


def test_r2_10_what_can_no_longer_be_undone_does_not_hide_what_can(graph: MemoryGraph, clock: Clock) -> None:
    likes(graph, "摇滚", "爵士")
    graph.memory_purge(private(), "用户", object="摇滚")
    clock.advance(days=20)
    graph.memory_purge(private(), "用户", object="爵士")
    clock.advance(days=20)
    assert [f.object for f in graph.undo_purge(private()).purged] == ["爵士"]
    assert not graph.undo_purge(private()).ok
    assert said(graph, private(), "喜欢") == {("用户", "喜欢", "爵士")}


def test_r1_19_a_replacement_is_linked_to_its_turn(graph: MemoryGraph, clock: Clock) -> None:
    first = graph.open_turn(private(), "小明", "我喜欢摇滚")
    graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")], turn_id=first)
    graph.complete_turn(first, reply="记住了", speaker="猫娘")
    clock.advance(minutes=1)
    second = graph.open_turn(private(), "小明", "不对，是爵士")
    assert graph.memory_purge(private(), "用户", "喜欢", "摇滚", replacement="爵士", turn_id=second).ok
    graph.complete_turn(second, reply="改好了", speaker="猫娘")
    assert corrected_turns(graph, private(), [first, second], "摇滚 爵士") == {first}
    clock.advance(minutes=1)
    graph.memory_purge(private(), "用户", "喜欢", "爵士", replacement="民谣")
    assert corrected_turns(graph, private(), [first, second], "摇滚 爵士") == {first, second}
    text = graph.task_chain(private()).text
    assert "摇滚" not in text
    assert "爵士" not in text


def test_r2_10_a_name_is_found_whoever_goes_by_it_now(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "昵称", "小明")], speaker_name="小明")
    assert graph.memory_purge(private(), "用户", "昵称", "小明").ok
    before = [fact("用户", "喜欢", "小红"), fact("小红", "爱吃", "鱼"), fact("小红", "养了", "猫")]
    graph.memory_commit(group(user="1"), before)
    graph.memory_commit(group(user="2"), [fact("用户", "喜欢", "虾")], speaker_name="小红")
    assert graph.memory_purge(group(user="1"), "用户", "喜欢", "小红").ok
    assert graph.memory_purge(group(user="1"), "小红", "养了", replacement="狗").ok
    assert graph.memory_purge(group(user="1"), "小红", "爱吃", "鱼").ok
    assert said(graph, group(user="1"), "小红") == {("小红", "喜欢", "虾"), ("小红", "养了", "狗")}
    assert [f.object for f in graph.own_facts(group(user="2"))] == ["虾"]  # 养了 is told of a name


def test_r2_10_what_was_closed_about_somebody_they_can_bring_back(graph: MemoryGraph) -> None:
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name="小明")
    graph.memory_commit(group(user="2"), [fact("小明", "怕", "蛇")], speaker_name="小红")
    assert graph.memory_purge(group(user="1"), "用户", "怕").ok
    assert not graph.undo_purge(group(user="3")).ok
    assert [f.object for f in graph.undo_purge(group(user="1")).purged] == ["蛇"]
    assert said(graph, group(user="3"), "蛇") == {("小明", "怕", "蛇")}


def test_r2_10_what_has_a_newer_value_comes_back_as_history(graph: MemoryGraph, clock: Clock) -> None:
    for job in ("医生", "作家"):
        clock.advance(minutes=1)
        graph.memory_commit(private(), [fact("用户", "职业", job)])
        if job == "医生":
            graph.memory_purge(private(), "用户", "职业", "医生")
    answer = graph.undo_purge(private())
    assert answer.ok
    assert "历史" in answer.text
    assert [f.object for f in graph.own_facts(private())] == ["作家"]
    assert [f.object for f in graph.fact_history(private(), "用户")] == ["医生"]
    assert not graph.undo_purge(private()).ok


def test_r2_10_what_was_said_again_is_not_brought_back_twice(graph: MemoryGraph, clock: Clock) -> None:
    likes(graph, "爵士", "摇滚")
    graph.memory_purge(private(), "用户", object="爵士")
    clock.advance(minutes=1)
    graph.memory_purge(private(), "用户", object="摇滚")
    likes(graph, "摇滚")
    assert [f.object for f in graph.undo_purge(private()).purged] == ["摇滚"]
    assert [f.object for f in graph.undo_purge(private()).purged] == ["爵士"]
    assert not graph.undo_purge(private()).ok


def test_r2_04_a_purge_understands_marks(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", "[推测]茶"), fact("用户", "喜欢", "[推测]酒")])
    assert graph.memory_purge(private(), "用户", "[推测]喜欢", "茶").ok
    assert graph.memory_purge(private(), "用户", "喜欢", "[推测] 酒", "[推测]咖啡").ok
    assert [(f.object, f.inferred) for f in graph.own_facts(private())] == [("咖啡", True)]
    graph.memory_commit(private(), [fact("用户", "喜欢", "咖啡")])
    assert not graph.memory_purge(private(), "用户", "喜欢", "咖啡", "[推测]茶").ok
    for object in ("[推测]", "\u200b"):  # no name at all is no filter that fits everything
        assert not graph.memory_purge(private(), "用户", "喜欢", object).ok
    assert said(graph, private(), "喜欢") == {("用户", "喜欢", "咖啡")}


def test_r2_10_a_refusal_says_the_way(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("AI", "语气", "平静")])
    assert "memory_commit" in graph.memory_purge(private(), "AI", "语气").text
    graph.memory_commit(group(user="1"), [fact("用户", "怕", "蛇")])
    assert graph.memory_recall(private("1"), "蛇").facts
    assert "别的会话" in graph.memory_purge(private("1"), "用户", "怕", "蛇").text
    assert "别的会话" not in graph.memory_purge(private("2"), "用户1", "怕", "蛇").text


def test_r2_10_what_was_taken_back_in_words_comes_back_as_history(graph: MemoryGraph, clock: Clock) -> None:
    likes(graph, "茶")
    graph.memory_purge(private(), "用户", object="茶")
    clock.advance(minutes=1)
    graph.memory_commit(private(), [fact("用户", "不喜欢", "茶")])
    assert "历史" in graph.undo_purge(private()).text
    assert [(f.relation, f.object) for f in graph.own_facts(private())] == [("不喜欢", "茶")]


def test_r2_10_what_a_replacement_had_ended_holds_again(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "讨厌", "咖啡"), fact("用户", "喜欢", "可可")])
    assert graph.memory_purge(private(), "用户", "喜欢", "可可", replacement="咖啡").ok
    assert said(graph, private(), "用户") == {("用户", "喜欢", "咖啡")}
    assert graph.undo_purge(private()).ok
    assert said(graph, private(), "用户") == {("用户", "讨厌", "咖啡"), ("用户", "喜欢", "可可")}
