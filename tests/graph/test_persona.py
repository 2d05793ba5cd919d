"""R2.7: the persona of a character: what its card says, what was set, what was said in a conversation."""

from collections.abc import Callable

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edges

from ..conftest import Clock
from .conftest import fact, group, private, said

CARD = {"名字": "阿橘", "性格": "懒", "语气": "慢"}
QUERY = "AI,人设,角色,性格,语气,说话风格"


def persona(graph: MemoryGraph, scope: Scope) -> dict[str, str]:
    return {found.relation: found.object for found in graph.persona(scope).facts}


def test_r2_07_the_cards_identity_is_has_persona_edges(graph: MemoryGraph, store: Store) -> None:
    graph.set_card_persona("neko", CARD)
    with store.database.read() as connection:
        kinds = connection.scalars(select(edges.c.kind)).all()
    assert kinds == ["HAS_PERSONA"] * 3
    for scope in (private(), group()):
        answer = graph.memory_recall(scope, QUERY)
        assert answer.text == "- 名字：阿橘\n- 性格：懒\n- 语气：慢"
        assert persona(graph, scope) == CARD
    assert persona(graph, private(character="other")) == {}


def test_r2_07_a_changed_card_supersedes_its_own_facts(
    graph: MemoryGraph, store: Store, clock: Clock
) -> None:
    graph.set_card_persona("neko", CARD)
    clock.advance(days=1)
    graph.set_card_persona("neko", {"名字": "阿橘", "性格": "勤快", "爱好": "鱼"})
    assert persona(graph, private()) == {"名字": "阿橘", "性格": "勤快", "爱好": "鱼"}
    with store.database.read() as connection:
        rows = {row.object: row for row in connection.execute(select(edges))}
    assert (rows["懒"].valid_to, rows["懒"].superseded_by) == (clock(), rows["勤快"].id)
    assert (rows["慢"].valid_to, rows["慢"].superseded_by) == (clock(), None)
    assert rows["阿橘"].valid_to is None


def test_r2_07_a_changed_card_ends_nothing_people_said_or_set(graph: MemoryGraph, clock: Clock) -> None:
    graph.set_card_persona("neko", CARD)
    graph.set_trait("neko", "性格", "热情")
    graph.set_trait("neko", "语气", "正经", group().conversation_id)
    graph.memory_commit(private(), [fact("AI", "性格", "温柔"), fact("用户", "喜欢", "摇滚")])
    for card in ({"名字": "阿橘", "性格": "凶", "语气": "急"}, {"名字": "阿桔"}, {}):
        clock.advance(days=1)
        graph.set_card_persona("neko", card)
        assert persona(graph, private())["性格"] == "温柔"
        assert persona(graph, private("2"))["性格"] == "热情"
        assert persona(graph, group())["语气"] == "正经"
        assert said(graph, private(), "用户") == {("用户", "喜欢", "摇滚")}


def test_r2_07_the_same_card_again_writes_nothing(graph: MemoryGraph, store: Store, clock: Clock) -> None:
    graph.set_card_persona("neko", CARD)
    with store.database.read() as connection:
        before = connection.execute(select(edges)).all()
    clock.advance(days=1)
    graph.set_card_persona("neko", dict(reversed(CARD.items())))
    with store.database.read() as connection:
        assert connection.execute(select(edges)).all() == before


def test_r2_07_what_is_set_by_a_superuser_holds_everywhere(graph: MemoryGraph) -> None:
    graph.set_card_persona("neko", CARD)
    assert graph.set_trait("neko", "性格", "热情") is True
    assert graph.set_trait("neko", "性格", "热情") is False
    for scope in (private(), private("2"), group(), group("8")):
        assert persona(graph, scope) == {**CARD, "性格": "热情"}


def test_r2_07_what_is_set_by_a_groups_admin_holds_in_that_group(graph: MemoryGraph) -> None:
    graph.set_card_persona("neko", CARD)
    graph.set_trait("neko", "性格", "热情")
    graph.set_trait("neko", "性格", "高冷", group("9").conversation_id)
    assert persona(graph, group("9"))["性格"] == "高冷"
    for scope in (group("8"), private(), group("9", character="other")):
        assert persona(graph, scope).get("性格") != "高冷"


def test_r2_07_what_was_set_can_be_taken_back(graph: MemoryGraph, clock: Clock) -> None:
    here = group().conversation_id
    graph.set_card_persona("neko", CARD)
    graph.set_trait("neko", "性格", "热情")
    graph.set_trait("neko", " 性格\n", "高冷", here)
    clock.advance(days=1)
    assert graph.set_trait("neko", "性格", " ", here) is True
    assert persona(graph, group())["性格"] == "热情"
    assert graph.set_trait("neko", "性格", "") is True
    assert graph.set_trait("neko", "性格", "") is False
    assert persona(graph, group()) == CARD


@pytest.mark.parametrize("relation", ["性格", "名字", "爱好"])
def test_r2_07_what_is_committed_holds_in_that_conversation_only(graph: MemoryGraph, relation: str) -> None:
    """`名字` and `爱好` are no persona words, but traits of this character."""
    graph.set_card_persona("neko", {**CARD, "爱好": "睡觉"})
    graph.memory_commit(private(), [fact("AI", relation, "小黑")])
    graph.memory_commit(group(), [fact("AI", relation, "小白")], may_set_persona=True)
    assert persona(graph, private())[relation] == "小黑"
    assert persona(graph, group())[relation] == "小白"
    for scope in (private("2"), group("8"), group("8", "2")):
        assert persona(graph, scope)[relation] not in ("小黑", "小白")
        assert said(graph, scope, "AI,小黑,小白") == set()


@pytest.mark.parametrize("relation", ["性格", "名字", " 名字\n", "住在", "所在地"])
def test_r2_07_in_a_group_only_admins_commit_the_persona(graph: MemoryGraph, relation: str) -> None:
    graph.set_card_persona("neko", {**CARD, "所在地": "窗台"})
    before = persona(graph, group())
    answer = graph.memory_commit(
        group(), [fact("用户", "喜欢", "摇滚"), fact("AI", relation, "小黑")], may_set_persona=False
    )
    assert not answer.ok
    assert "只有管理员" in answer.text
    assert persona(graph, group()) == before
    assert said(graph, group(), "用户") == set()
    assert graph.memory_commit(group(), [fact("AI", "欠", "小明一顿饭")], may_set_persona=False).ok


def test_r2_07_the_card_is_no_fact_to_be_found_or_purged(graph: MemoryGraph) -> None:
    graph.set_card_persona("neko", CARD)
    assert said(graph, private(), "阿橘,懒", 3) == set()
    assert not graph.memory_purge(private(), "AI", "性格").ok
    assert persona(graph, private()) == CARD


def test_r2_07_nobody_speaks_in_the_place_of_the_card(graph: MemoryGraph) -> None:
    with pytest.raises(InvalidInput):
        graph.memory_commit(Scope("neko", " ", "1", True), [fact("AI", "性格", "坏")])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda g: g.set_card_persona("neko", {"": "x"}),
        lambda g: g.set_card_persona("neko", {"性格": " "}),
        lambda g: g.set_card_persona("neko", {"长" * 65: "x"}),
        lambda g: g.set_card_persona("neko", {"性格": 5}),
        lambda g: g.set_card_persona(None, CARD),
        lambda g: g.set_trait("neko", "\x01", "x"),
        lambda g: g.set_trait("neko", "长" * 65, "x"),
        lambda g: g.set_trait("neko", "性格", None),
        lambda g: g.set_trait("neko", "性格", "x", 9),
    ],
)
def test_r2_07_a_wrong_trait_is_refused_and_nothing_lost(
    graph: MemoryGraph, store: Store, wrong: Callable[[MemoryGraph], object]
) -> None:
    graph.set_card_persona("neko", CARD)
    with pytest.raises(InvalidInput):
        wrong(graph)
    with store.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(edges)) == 3
    assert persona(graph, private()) == CARD
