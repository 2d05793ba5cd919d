"""The seed's own tables, row by row: node types, edge types, tools, writing rules (seeds/trulymem.md).

Its scenes stand in `test_scenes.py`, its example in `tests/turn/test_idiom_game.py`.
"""

import dataclasses
import inspect

import pytest
from sqlalchemy import select

from nonebot_plugin_memoryfs.graph import Fact, MemoryGraph, RecallResult
from nonebot_plugin_memoryfs.graph.kinds import EdgeKind, Role
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edge_turns, edges, nodes, places

from ..conftest import Clock
from .conftest import fact, group, private, said

_subject, _object = nodes.alias("subject"), nodes.alias("object")
_ENDS = (
    select(edges.c.kind, edges.c.subject, edges.c.object, _subject.c.roles, _object.c.roles)
    .join(_subject, _subject.c.id == edges.c.subject_id)
    .join(_object, _object.c.id == edges.c.object_id)
)


@pytest.fixture
def ends(graph: MemoryGraph, store: Store) -> dict[str, tuple[str, str, Role, Role]]:
    """One stored edge of each kind: its two names and what they are."""
    graph.memory_commit(private(), [fact("AI", "性格", "傲娇"), fact("长门有希", "喜欢", "书")])
    graph.task_create(private(), "Task_成语接龙", "成语接龙", ["成语接龙_当前成语"])
    with store.database.read() as connection:
        rows = [tuple(row) for row in connection.execute(_ENDS)]
    return {kind: (subject, object, Role(one), Role(other)) for kind, subject, object, one, other in rows}


@pytest.mark.parametrize(
    ("kind", "subject", "object", "roles"),
    [
        (EdgeKind.HAS_PERSONA, "AI", "傲娇", (Role.AI, Role.PERSONA)),
        (EdgeKind.HAS_STATE, "Task_成语接龙", "进行中", (Role.TASK, Role.STATE)),
        (EdgeKind.CONTAINS_INFO, "Task_成语接龙", "成语接龙_当前成语", (Role.TASK, Role.INFO)),
        (EdgeKind.RELATES_TO, "长门有希", "书", (Role.ENTITY, Role.ENTITY)),
    ],
)
def test_r2_01_edges_join_in_the_store_what_the_seed_says(
    ends: dict[str, tuple[str, str, Role, Role]],
    kind: EdgeKind,
    subject: str,
    object: str,
    roles: tuple[Role, Role],
) -> None:
    one, other, subject_roles, object_roles = ends[kind]
    assert (one, other) == (subject, object)
    assert roles[0] & subject_roles
    assert roles[1] & object_roles


def test_r2_01_next_task_is_the_order_of_turns(graph: MemoryGraph) -> None:
    for number in range(3):
        turn = graph.open_turn(private(), "小明", f"第{number}句")
        graph.complete_turn(turn, reply="好", speaker="猫娘")
    ids = [task.task_id for task in graph.task_chain(private()).tasks]
    assert ids == sorted(ids, key=lambda task_id: int(task_id.removeprefix("Task_")), reverse=True)
    assert not graph.memory_commit(private(), [fact(ids[1], "NEXT_TASK", ids[0])]).ok


def test_r2_03_an_edge_keeps_who_when_where_and_what_came_of_it(
    graph: MemoryGraph, store: Store, clock: Clock
) -> None:
    turn = graph.open_turn(private(), "小明", "我住在北京")
    first = clock()
    graph.memory_commit(private(), [fact("用户", "所在地", "北京")], turn_id=turn)
    clock.advance(days=1)
    graph.memory_commit(private(), [fact("用户", "所在地", "上海")])
    with store.database.read() as connection:
        old, new = connection.execute(select(edges).order_by(edges.c.id)).all()
        told = connection.execute(select(edge_turns)).one()
    assert (old.user_id, old.first_seen, old.last_seen, old.valid_from) == ("1", first, first, first)
    assert (old.valid_to, old.superseded_by, old.inferred) == (clock(), new.id, False)
    assert (new.valid_from, new.valid_to, new.superseded_by) == (clock(), None, None)
    assert (told.turn_id, told.edge_id) == (turn, old.id)


def test_r2_06_an_edge_knows_character_conversation_and_people(graph: MemoryGraph, store: Store) -> None:
    graph.memory_commit(group("9", "2", "neko"), [fact("用户", "喜欢", "摇滚")])
    query = (
        select(places.c.character_id, places.c.conversation_id, edges.c.user_id, _subject.c.user_id)
        .join(places, places.c.id == edges.c.place_id)
        .join(_subject, _subject.c.id == edges.c.subject_id)
    )
    with store.database.read() as connection:
        assert tuple(connection.execute(query).one()) == ("neko", "qq_group_9", "2", "2")


def test_r2_08_the_answer_tells_new_seen_again_and_superseded(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚"), fact("用户", "所在地", "北京")])
    clock.advance(days=1)
    answer = graph.memory_commit(
        private(),
        [fact("用户", "喜欢", thing) for thing in ("摇滚", "爵士")] + [fact("用户", "所在地", "上海")],
    )
    assert (answer.added, answer.seen_again, [f.object for f in answer.superseded]) == (2, 1, ["北京"])
    assert "新记下 2 条" in answer.text
    assert "1 条之前记过" in answer.text
    assert "旧值不再有效：用户 所在地 北京" in answer.text


@pytest.mark.parametrize("wish", ["[推测]音乐", "[猜测]音乐"])
def test_r2_04_what_is_concluded_is_marked_as_the_seed_wants(graph: MemoryGraph, wish: str) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", wish), fact("用户", "喜欢", "书")])
    lines = graph.memory_recall(private(), "用户").text.splitlines()
    assert lines[0].startswith("- 用户 喜欢 书")
    assert lines[1].startswith("- 用户 [推测]喜欢 音乐")


@pytest.mark.parametrize("concluded", ["音乐", "出去散心", "性格内向"])
def test_r2_04_nothing_a_person_did_not_say_is_kept_as_said(graph: MemoryGraph, concluded: str) -> None:
    graph.memory_commit(private(), [fact("用户", "可能", concluded)], said="今天又听了一天歌，好累")
    (found,) = graph.memory_recall(private(), "用户").facts
    assert found.inferred


def test_r2_14_a_running_topic_stays_in_progress_through_side_turns(graph: MemoryGraph, clock: Clock) -> None:
    graph.task_create(private(), "Task_成语接龙", "成语接龙")
    for number in range(30):
        clock.advance(minutes=1)
        turn = graph.open_turn(private(), "小明", f"闲话{number}")
        graph.task_create(private(), f"Task_{turn}", f"闲聊{number}", turn_id=turn)
        graph.complete_turn(turn, reply="好", speaker="猫娘")
    first = graph.task_chain(private()).tasks[0]
    assert (first.task_id, first.state) == ("Task_成语接龙", "进行中")


def test_r2_15_two_turns_whole_and_four_in_short(graph: MemoryGraph, clock: Clock) -> None:
    for number in range(8):
        clock.advance(minutes=1)
        turn = graph.open_turn(private(), "小明", f"{number}问" + "长" * 250)
        graph.complete_turn(turn, reply=f"{number}答" + "短" * 30, speaker="猫娘")
    chain = graph.task_chain(private())
    told = {n: block.count("长") for block in chain.turn_blocks for n in range(8) if f"{n}问" in block}
    assert [told.get(n, 0) for n in (7, 6)] == [250, 250]
    assert set(told) == {2, 3, 4, 5, 6, 7}
    assert all(told[n] < 200 for n in (2, 3, 4, 5))
    assert len(chain.text) <= 1_600


def test_r2_20_the_face_is_as_published() -> None:
    def parameters(name: str) -> list[str]:
        found = inspect.signature(getattr(MemoryGraph, name)).parameters.values()
        return [p.name for p in found if p.kind is not inspect.Parameter.KEYWORD_ONLY and p.name != "self"]

    assert parameters("memory_commit") == ["scope", "triplets"]
    assert parameters("memory_recall") == ["scope", "query_intent", "depth"]
    assert parameters("memory_purge") == ["scope", "subject", "relation", "object", "replacement"]
    assert parameters("task_create") == ["scope", "task_id", "description", "info_nodes"]
    assert parameters("task_set_state") == ["scope", "task_id", "state"]
    assert parameters("task_chain") == ["scope"]
    assert [f.name for f in dataclasses.fields(Scope)] == [
        "character_id",
        "conversation_id",
        "user_id",
        "private",
    ]
    needed = {
        "subject",
        "relation",
        "object",
        "inferred",
        "first_seen",
        "last_seen",
        "conversation_id",
        "user_id",
    }
    assert needed <= {f.name for f in dataclasses.fields(Fact)}
    assert {"ok", "text", "facts", "left_out"} <= {f.name for f in dataclasses.fields(RecallResult)}
    with pytest.raises(dataclasses.FrozenInstanceError):
        private().user_id = "2"  # pyright: ignore


def test_r2_20_a_recall_out_of_depth_is_clamped_not_refused(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")])
    for depth in (-1, 0, 4, 10_000):
        assert graph.memory_recall(private(), "用户", depth).ok
    assert said(graph, private(), "用户", 99) == {("用户", "喜欢", "摇滚")}
