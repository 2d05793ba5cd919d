"""R1.19: what a turn said and no longer holds shows as corrected."""

from sqlalchemy import select

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.search import TurnLog
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edge_turns

from ..conftest import Clock
from .conftest import corrected_turns, fact, group, private

CORRECTED = "（已更正）"
STATED = "杭州，上海，我喜欢摇滚乐"
"""Everything that is corrected below."""


def tell(
    graph: MemoryGraph,
    clock: Clock,
    text: str,
    *objects: str,
    scope: Scope | None = None,
    reply: str = "记住了喵",
    gist: str = "",
) -> int:
    scope = scope or private()
    clock.advance(minutes=1)
    turn = graph.open_turn(scope, "小明", text)
    graph.memory_commit(
        scope, [fact("用户", "住在", o) for o in objects] or [fact("用户", "聊", text)], turn_id=turn
    )
    graph.complete_turn(turn, reply=reply, speaker="猫娘", gist=gist)
    return turn


def shown(graph: MemoryGraph, log: TurnLog, scope: Scope, query: str = "杭州 上海 住在") -> str:
    """All that a later prompt is made of."""
    chain = graph.task_chain(scope)
    hits = graph.with_corrections(scope, log.search(scope, query, 50))
    return "\n".join(
        (
            chain.text,
            *(task.description for task in chain.tasks),
            *(hit.text for hit in hits),
            graph.recall_facts(scope, query).text,
            graph.recall_back(scope, f"我们之前说的{query}").text,
        )
    )


def test_r1_19_what_was_corrected_is_never_live_again(graph: MemoryGraph, store: Store, clock: Clock) -> None:
    log = TurnLog(store)
    old = tell(graph, clock, "我住在杭州", "杭州", reply="杭州是个好地方喵")
    said_twice = tell(graph, clock, "我说过我住杭州的", "杭州", gist="用户住在杭州")
    assert "杭州" in shown(graph, log, private())
    assert corrected_turns(graph, private(), [old, said_twice], STATED) == frozenset()
    new = tell(graph, clock, "我搬家了，我住在上海", "上海")
    assert corrected_turns(graph, private(), [old, said_twice, new], STATED) == {old, said_twice}
    for later in range(12):
        text = shown(graph, log, private())
        assert "杭州" not in text
        assert "上海" in text
        if later < 3:
            assert CORRECTED in graph.task_chain(private()).text
        tell(graph, clock, f"第{later}句闲话")


def test_r1_19_only_the_side_that_states_it_is_hidden(graph: MemoryGraph, clock: Clock) -> None:
    tell(graph, clock, "我住在杭州", "杭州", reply="记住了喵")
    tell(graph, clock, "我住在上海", "上海")
    text = graph.task_chain(private()).text
    assert f"小明：{CORRECTED}" in text
    assert "记住了喵" in text


def test_r1_19_spelling_and_blanks_hide_nothing(graph: MemoryGraph, clock: Clock) -> None:
    tell(graph, clock, "我住在 Ｎｅｗ york!", "New York")
    tell(graph, clock, "我住在上海", "上海")
    assert "york" not in graph.task_chain(private()).text


def test_r1_19_what_holds_again_is_shown_again(graph: MemoryGraph, clock: Clock) -> None:
    first = tell(graph, clock, "我住在杭州", "杭州")
    away = tell(graph, clock, "我住在上海", "上海")
    tell(graph, clock, "我又回杭州住了", "杭州")
    assert corrected_turns(graph, private(), [first, away], STATED) == {away}
    assert "我住在杭州" in graph.task_chain(private()).text


def test_r1_19_a_turn_that_states_both_is_not_corrected(graph: MemoryGraph, clock: Clock) -> None:
    turn = graph.open_turn(private(), "小明", "我以前住杭州，现在住上海")
    for city in ("杭州", "上海"):
        graph.memory_commit(private(), [fact("用户", "住在", city)], turn_id=turn)
        clock.advance(seconds=1)
    graph.complete_turn(turn, reply="好", speaker="猫娘")
    assert corrected_turns(graph, private(), [turn], STATED) == frozenset()


def test_r1_19_a_replacement_corrects_and_its_undo_takes_that_back(graph: MemoryGraph, clock: Clock) -> None:
    turn = tell(graph, clock, "我喜欢摇滚乐")
    graph.memory_purge(private(), "用户", "聊", "我喜欢摇滚乐", replacement="爵士")
    assert corrected_turns(graph, private(), [turn], STATED) == {turn}
    graph.undo_purge(private())
    assert corrected_turns(graph, private(), [turn], STATED) == frozenset()


def test_r1_19_a_private_correction_does_not_tell_the_group(graph: MemoryGraph, clock: Clock) -> None:
    here = tell(graph, clock, "我住在杭州", "杭州", scope=group())
    tell(graph, clock, "我住在上海", "上海")
    assert corrected_turns(graph, group(), [here], STATED) == frozenset()
    assert "杭州" in graph.task_chain(group()).text
    tell(graph, clock, "我住在上海", "上海", scope=group())
    assert corrected_turns(graph, group(), [here], STATED) == {here}
    assert corrected_turns(graph, group("B"), [here], STATED) == frozenset()


def test_r1_19_hits_of_corrected_turns_say_so(graph: MemoryGraph, store: Store, clock: Clock) -> None:
    log = TurnLog(store)
    log.add(private(), "小明", "杭州下雨了", clock())
    old = tell(graph, clock, "我住在杭州", "杭州")
    tell(graph, clock, "我住在上海", "上海")
    hits = {hit.text: hit.turn_id for hit in log.search(private(), "杭州")}
    assert hits["杭州下雨了"] is None
    assert hits["我住在杭州"] == old
    shown = [hit.text for hit in graph.with_corrections(private(), log.search(private(), "杭州"))]
    assert CORRECTED in shown
    assert "杭州下雨了" in shown
    assert "我住在杭州" not in shown


def test_r2_03_an_edge_knows_its_turns(graph: MemoryGraph, store: Store, clock: Clock) -> None:
    told = [tell(graph, clock, "我住在杭州", "杭州") for _ in range(2)]
    graph.memory_commit(private(), [fact("用户", "住在", "杭州")], turn_id=told[1])
    with store.database.read() as connection:
        assert list(connection.scalars(select(edge_turns.c.turn_id).order_by(edge_turns.c.turn_id))) == told
