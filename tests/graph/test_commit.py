"""R2.1–R2.5, R2.8: what is written, and how it meets what is there."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.graph.edges import Sighting, see
from nonebot_plugin_memoryfs.graph.kinds import END_POINTS, EdgeKind, Role, ends_fit
from nonebot_plugin_memoryfs.graph.nodes import Node, ensure, thing
from nonebot_plugin_memoryfs.search.places import place_of
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edges, nodes

from ..conftest import Clock
from .conftest import fact, group, private, said


def count(store: Store) -> int:
    with store.database.read() as connection:
        return connection.execute(select(func.count()).select_from(edges)).scalar_one()


def test_r2_01_end_points_are_those_of_the_seed() -> None:
    assert set(END_POINTS) == set(EdgeKind)
    assert ends_fit(EdgeKind.HAS_PERSONA, Role.AI, Role.PERSONA)
    assert not ends_fit(EdgeKind.HAS_PERSONA, Role.ENTITY, Role.PERSONA)
    assert ends_fit(EdgeKind.NEXT_TASK, Role.TASK, Role.TASK)
    assert not ends_fit(EdgeKind.HAS_STATE, Role.TASK, Role.ENTITY)
    assert ends_fit(EdgeKind.CONTAINS_INFO, Role.TASK, Role.INFO | Role.ENTITY)
    assert not ends_fit(EdgeKind.RELATES_TO, Role.TASK, Role.ENTITY)


@pytest.mark.parametrize("relation", ["HAS_STATE", "contains_info", "NEXT_TASK", "HAS_PERSONA"])
def test_r2_01_reserved_edges_are_refused_as_relations(graph: MemoryGraph, relation: str) -> None:
    answer = graph.memory_commit(private(), [fact("Task_1", relation, "已完成")])
    assert not answer.ok
    assert relation in answer.text


def test_r2_01_a_persona_is_told_how_to_be_set(graph: MemoryGraph) -> None:
    answer = graph.memory_commit(private(), [fact("AI", "has_persona", "傲娇")])
    assert "性格" in answer.text
    assert "task_create" not in answer.text
    assert "task_create" in graph.memory_commit(private(), [fact("Task_1", "HAS_STATE", "已完成")]).text


@pytest.mark.parametrize(
    ("kind", "subject", "object"),
    [
        (EdgeKind.HAS_STATE, thing("成语"), Node("state:已完成", "已完成", Role.STATE)),
        (EdgeKind.HAS_PERSONA, thing("成语"), thing("傲娇", Role.PERSONA)),
        (EdgeKind.RELATES_TO, Node("task:1:x", "x", Role.TASK), thing("成语")),
        (EdgeKind.NEXT_TASK, Node("task:1:x", "x", Role.TASK), thing("成语")),
    ],
)
def test_r2_01_wrong_end_points_are_refused(
    store: Store, kind: EdgeKind, subject: Node, object: Node
) -> None:
    def write() -> None:
        with store.database.write() as connection:
            place_id = place_of(connection, "neko", "x")
            ends = ensure(connection, "neko", [subject, object])
            good = ensure(connection, "neko", [thing("甲"), thing("乙")])
            at = store.clock()
            see(
                connection,
                place_id,
                [
                    Sighting(
                        good["name:甲"], EdgeKind.RELATES_TO, 1, "认识", good["name:乙"], False, "1", at
                    ),
                    Sighting(ends[subject.key], kind, 2, kind.value, ends[object.key], False, "1", at),
                ],
            )

    with pytest.raises(InvalidInput, match=kind.value):
        write()
    assert count(store) == 0


def test_r2_01_an_info_node_is_an_entity_too(graph: MemoryGraph, store: Store) -> None:
    graph.memory_commit(private(), [fact("成语", "内容", "为所欲为")])
    graph.task_create(private(), "Task_成语接龙", "成语接龙", ["成语"])
    with store.database.read() as connection:
        roles = connection.execute(select(nodes.c.roles).where(nodes.c.key == "name:成语")).scalar_one()
    assert Role(roles) == Role.ENTITY | Role.INFO


def test_r2_02_spellings_of_a_name_are_one_node(graph: MemoryGraph) -> None:
    for name in ("Python", "ｐｙｔｈｏｎ", " PYTHON "):
        graph.memory_commit(private(), [fact("用户", "喜欢", name)])
    (found,) = graph.memory_recall(private(), "python").facts
    assert (found.object, found.sightings) == ("PYTHON", 3)


@pytest.mark.parametrize("name", ["用户", "我", "user", "USER"])
def test_r2_02_the_speaker_is_the_person(graph: MemoryGraph, name: str) -> None:
    graph.memory_commit(private(), [fact(name, "喜欢", "摇滚")])
    assert said(graph, private(), "用户") == {("用户", "喜欢", "摇滚")}


def test_r2_02_two_speakers_are_two_people(graph: MemoryGraph) -> None:
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name="小明")
    graph.memory_commit(group(user="2"), [fact("用户", "喜欢", "爵士")], speaker_name="小红")
    assert said(graph, group(user="1"), "喜欢") == {("用户", "喜欢", "摇滚"), ("小红", "喜欢", "爵士")}
    assert said(graph, group(user="2"), "小明") == {("小明", "喜欢", "摇滚")}


def test_r2_02_a_renamed_person_stays_one(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name="小明")
    clock.advance(hours=1)
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "爵士")], speaker_name="大明")
    graph.memory_commit(group(user="2"), [fact("小明", "讨厌", "香菜")], speaker_name="小红")
    seen = said(graph, group(user="2"), "小明")
    assert seen == {("大明", "喜欢", "摇滚"), ("大明", "喜欢", "爵士"), ("大明", "讨厌", "香菜")}


def test_r2_02_equal_nicknames_do_not_merge_people(graph: MemoryGraph) -> None:
    for user, music in (("1", "摇滚"), ("2", "爵士")):
        graph.memory_commit(group(user=user), [fact("用户", "喜欢", music)], speaker_name="小明")
    assert said(graph, group(user="1"), "用户") == {("用户", "喜欢", "摇滚")}
    graph.memory_commit(group(user="3"), [fact("小明", "讨厌", "香菜")])
    assert ("用户", "讨厌", "香菜") not in said(graph, group(user="1"), "用户")


@pytest.mark.parametrize("name", ["AI", "用户", "用户2", "我"])
def test_r2_02_nobody_can_be_called_what_means_another(graph: MemoryGraph, name: str) -> None:
    graph.memory_commit(group(user="2"), [fact("用户", "喜欢", "爵士")])
    graph.memory_commit(group(user="1"), [fact("用户", "喜欢", "摇滚")], speaker_name=name)
    graph.memory_commit(group(user="2"), [fact("用户", "讨厌", "香菜")])
    assert ("用户", "讨厌", "香菜") not in said(graph, group(user="1"), "用户")
    assert ("用户2", "讨厌", "香菜") in said(graph, group(user="1"), "香菜")


def test_r2_03_the_same_said_three_times_is_one_edge(graph: MemoryGraph, store: Store, clock: Clock) -> None:
    first = clock()
    for _ in range(2):
        graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")])
        clock.advance(days=1)
    answer = graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")])
    assert (answer.added, answer.seen_again) == (0, 1)
    (found,) = graph.memory_recall(private(), "摇滚").facts
    assert (found.sightings, found.first_seen) == (3, first)
    assert found.last_seen > first
    assert found.user_id == "1"
    assert count(store) == 1


def test_r2_03_twice_in_one_commit_is_one_edge(graph: MemoryGraph, store: Store) -> None:
    answer = graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")] * 2)
    assert len(set(answer.fact_ids)) == 1
    assert count(store) == 1


def test_r2_03_recall_merges_what_several_conversations_say(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")])
    graph.memory_commit(group(), [fact("用户", "喜欢", "摇滚")])
    (found,) = graph.memory_recall(private(), "摇滚").facts
    assert found.sightings == 2


@pytest.mark.parametrize(
    "triplet",
    [
        fact("用户", "喜欢", "[推测]音乐"),
        fact("用户", "[猜测]喜欢", "音乐"),
        fact("用户[推测]", "喜欢", "音乐"),
        fact("用户", "喜欢", "音乐【推测】"),
        fact("用户", "喜欢", "音乐", inferred=True),
    ],
)
def test_r2_04_marks_are_taken_off_and_shown(graph: MemoryGraph, triplet: dict[str, object]) -> None:
    graph.memory_commit(private(), [triplet])
    answer = graph.memory_recall(private(), "音乐")
    (found,) = answer.facts
    assert (found.subject, found.relation, found.object, found.inferred) == ("用户", "喜欢", "音乐", True)
    assert "[推测]" in answer.text


def test_r2_04_the_host_marks_what_was_not_said(graph: MemoryGraph) -> None:
    graph.memory_commit(
        private(),
        [fact("用户", "喜欢", "摇滚"), fact("用户", "喜欢", "Ｒock N roll"), fact("用户", "性别", "男")],
        said="我最喜欢摇滚，rock n roll！",
    )
    facts = {f.object: f.inferred for f in graph.memory_recall(private(), "用户").facts}
    assert facts == {"摇滚": False, "Ｒock N roll": False, "男": True}


def test_r2_04_a_library_commit_is_stated(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "喜欢", "摇滚")])
    assert not graph.memory_recall(private(), "摇滚").facts[0].inferred


def test_r2_04_a_statement_makes_an_inference_stated_and_never_back(graph: MemoryGraph) -> None:
    for mark, inferred in (("[推测]", True), ("", False), ("[推测]", False)):
        graph.memory_commit(private(), [fact("用户", "喜欢", f"{mark}摇滚")])
        assert graph.memory_recall(private(), "摇滚").facts[0].inferred is inferred


def test_r2_04_an_inference_neither_ends_nor_outranks_a_statement(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(private(), [fact("用户", "所在地", "北京"), fact("用户", "喜欢", "摇滚")])
    clock.advance(days=1)
    graph.memory_commit(private(), [fact("用户", "所在地", "[推测]上海"), fact("用户", "喜欢", "[推测]爵士")])
    facts = graph.memory_recall(private(), "用户").facts
    assert ("所在地", "北京") in {(f.relation, f.object) for f in facts}
    assert "上海" not in {f.object for f in facts}
    assert [f.inferred for f in facts] == sorted(f.inferred for f in facts)


def test_r2_05_a_new_value_supersedes_in_one_transaction(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(private(), [fact("用户", "住在", "北京")])
    clock.advance(days=1)
    answer = graph.memory_commit(private(), [fact("用户", "现在在", "上海")])
    assert [f.object for f in answer.superseded] == ["北京"]
    assert "北京" in answer.text
    assert said(graph, private(), "所在地") == {("用户", "所在地", "上海")}
    assert said(graph, private(), "北京") == set()
    assert [f.object for f in graph.fact_history(private(), "用户", "所在地")] == ["北京"]


def test_r2_05_a_former_value_can_come_back(graph: MemoryGraph, clock: Clock) -> None:
    for city in ("北京", "上海", "北京"):
        graph.memory_commit(private(), [fact("用户", "所在地", city)])
        clock.advance(days=1)
    assert said(graph, private(), "用户") == {("用户", "所在地", "北京")}
    assert [f.object for f in graph.fact_history(private(), "用户")] == ["上海", "北京"]


def test_r2_05_a_private_correction_does_not_change_the_group(graph: MemoryGraph, clock: Clock) -> None:
    graph.memory_commit(group(), [fact("用户", "所在地", "北京")])
    clock.advance(days=1)
    graph.memory_commit(private(), [fact("用户", "所在地", "上海")])
    assert said(graph, private(), "北京,上海,用户") == {("用户", "所在地", "上海")}
    assert said(graph, group(), "用户") == {("用户", "所在地", "北京")}


def test_r2_05_the_list_is_a_setting(store: Store) -> None:
    graph = MemoryGraph(store, single_valued={"最爱"})
    graph.memory_commit(private(), [fact("用户", "最爱", "摇滚"), fact("用户", "所在地", "北京")])
    graph.memory_commit(private(), [fact("用户", "最爱", "爵士"), fact("用户", "所在地", "上海")])
    objects = {object for _, _, object in said(graph, private(), "用户")}
    assert objects == {"爵士", "北京", "上海"}


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (fact("", "喜欢", "摇滚"), "空"),
        (fact("用户", " ", "摇滚"), "空"),
        (fact("用户", "喜欢", "[推测]"), "空"),
        (fact("用" * 65, "喜欢", "摇滚"), "64"),
        (fact("用户", "喜" * 65, "摇滚"), "64"),
        (fact("用户", "喜欢", "摇" * 501), "500"),
        (fact("用户", "喜欢", "摇" * 10_000), "500"),
        ({"subject": "用户", "object": "摇滚"}, "relation"),
        ("摇滚", "subject"),
        (None, "subject"),
        (fact("用户", "喜欢", "摇滚", inferred="yes"), "inferred"),
    ],
)
def test_r2_08_one_bad_triplet_refuses_all(graph: MemoryGraph, store: Store, bad: object, told: str) -> None:
    answer = graph.memory_commit(private(), [fact("用户", "喜欢", "爵士"), bad])
    assert not answer.ok
    assert "第 2 条" in answer.text
    assert told in answer.text
    assert count(store) == 0


@pytest.mark.parametrize(
    "name",
    ["%", "_", "→", "...", "C++", "a/b\\c", "😀", "x\x00\x07y\nz", "a\ud800b", "' OR 1=1 --", "【系统】"],
)
def test_r2_08_odd_names_are_kept_as_names(graph: MemoryGraph, name: str) -> None:
    graph.memory_commit(private(), [fact("普通", "喜欢", "摇滚")])
    assert graph.memory_commit(private(), [fact(name, "喜欢", name)]).ok
    answer = graph.memory_recall(private(), name)
    assert answer.facts
    assert all(f.subject != "普通" for f in answer.facts)
    assert all(len(line.splitlines()) == 1 for line in answer.text.split("\n"))


def test_r2_08_nothing_and_too_much_are_refused(graph: MemoryGraph) -> None:
    assert not graph.memory_commit(private(), []).ok
    assert not graph.memory_commit(private(), [fact("用户", "喜欢", str(i)) for i in range(51)]).ok


def test_r2_18_eight_threads_lose_nothing(graph: MemoryGraph, store: Store) -> None:
    def work(worker: int) -> None:
        for number in range(50):
            answer = graph.memory_commit(
                private(str(worker)),
                [fact("用户", "喜欢", f"歌{worker}-{number}"), fact("大家", "喜欢", "歌")],
            )
            assert answer.ok

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert count(store) == 8 * 51


def test_r2_20_opens_over_a_directory_and_bulk_imports(tmp_path: Path, database_url: str | None) -> None:
    with MemoryGraph.open(tmp_path, database_url) as graph:
        rows = [(private(), fact("用户", "喜欢", f"歌{i}")) for i in range(900)]
        rows += [(group(), ("小红", "所在地", "北京")), (private(), fact("", "", ""))]
        result = graph.import_triplets(rows)
        assert (result.written, result.refused_count) == (901, 1)
        assert result.refused
        graph.import_triplets(rows)
        assert graph.memory_recall(private(), "歌899").facts[0].sightings == 2
    with MemoryGraph.open(tmp_path, database_url) as graph:
        assert said(graph, group(), "小红") == {("小红", "所在地", "北京")}


def test_r2_20_imported_times_are_kept(graph: MemoryGraph, clock: Clock) -> None:
    then = clock()
    clock.advance(days=100)
    graph.import_triplets([(private(), fact("用户", "所在地", "北京"))])
    graph.import_triplets([(private(), fact("用户", "所在地", "上海", at=then))])
    assert said(graph, private(), "用户") == {("用户", "所在地", "北京")}
    naive = then.replace(tzinfo=None)
    assert graph.import_triplets([(private(), fact("用户", "喜欢", "书", at=naive))]).refused_count == 1


@pytest.mark.parametrize("relation", ["名字", "昵称", "喜欢的称呼"])
def test_r2_02_ones_own_name_is_a_text_and_not_oneself(graph: MemoryGraph, relation: str) -> None:
    said_so = [fact("用户", relation, "小明")]
    assert graph.memory_commit(private(), said_so, speaker_name="小明").ok
    assert said(graph, private(), relation) == {("用户", relation, "小明")}


@pytest.mark.parametrize("relation", ["住在", "我住在", "现在在", "我现在在", "居住在", "所在地"])
def test_r2_05_where_somebody_is_has_one_label(graph: MemoryGraph, relation: str) -> None:
    graph.memory_commit(private(), [fact("用户", "所在地", "北京")])
    answer = graph.memory_commit(private(), [fact("用户", relation, "上海")])
    assert [f.object for f in answer.superseded] == ["北京"]
    assert said(graph, private(), "用户") == {("用户", "所在地", "上海")}


def test_r2_04_a_mark_is_shown_in_every_answer(graph: MemoryGraph) -> None:
    graph.memory_commit(private(), [fact("用户", "年龄", "[推测]20"), fact("AI", "性格", "[推测]傲娇")])
    assert "[推测]性格" in graph.persona(private()).text
    assert "用户 [推测]年龄 20" in graph.memory_commit(private(), [fact("用户", "年龄", "21")]).text
    graph.memory_commit(private(), [fact("用户", "喜欢", "[猜测]茶")])
    assert "用户 [推测]喜欢 茶" in graph.memory_purge(private(), "用户", "喜欢", "茶").text
    assert "用户 [推测]喜欢 茶" in graph.undo_purge(private()).text


@pytest.mark.parametrize(
    ("object", "words", "inferred"),
    [("2", "我12岁", True), ("12", "我12岁", False), ("1", "楼层是1.5", True), ("20 岁", "我 20 岁", False)],
)
def test_r2_04_a_part_of_a_number_was_not_said(
    graph: MemoryGraph, object: str, words: str, inferred: bool
) -> None:
    graph.memory_commit(private(), [fact("用户", "数字", object)], said=words)
    assert [f.inferred for f in graph.own_facts(private())] == [inferred]
