"""R1.18: no answer holds a secret that somebody reading along may not know: told by hand, and generated."""

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Origin, Policy, Scope, may_see
from nonebot_plugin_memoryfs.search import TurnLog
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import viewer_of

from ..conftest import Clock
from ..postgres import Server
from .conftest import fact, group, private

PERSONA_QUERY = "AI,人设,角色,性格,语气,说话风格"
SIGNS = "甲乙丙丁戊己庚辛壬癸子丑"
NOWHERE = "机密亥号"
USERS = ("1", "2", "3")
SCOPES = [private(user) for user in USERS] + [group(g, user) for g in ("A", "B") for user in USERS]
WAYS = ("fact", "line", "turn", "value", "persona", "task")
ACTS = st.lists(st.tuples(st.sampled_from(SCOPES), st.sampled_from(WAYS)), min_size=1, max_size=len(SIGNS))


def spelling(number: int) -> str:
    """The one shared name, in a spelling of its own."""
    return "".join(c.upper() if (number + 1) >> i & 1 else c for i, c in enumerate("captain"))


def plant(
    graph: MemoryGraph, log: TurnLog, scope: Scope, way: str, secret: str, at: datetime, name: str = "captain"
) -> None:
    """Put a secret into the memory in one of the ways things get there."""
    nickname = f"昵称{secret}"
    match way:
        case "fact":
            graph.memory_commit(scope, [fact(name, "秘密", secret)], speaker_name=nickname)
        case "line":
            log.add(scope, nickname, f"秘密是{secret}", at)
        case "turn":
            turn = graph.open_turn(scope, nickname, f"秘密是{secret}")
            graph.memory_commit(scope, [fact("用户", f"秘密{secret}", secret)], turn_id=turn)
            graph.complete_turn(turn, reply=f"记住了{secret}", speaker="猫娘")
        case "value":
            graph.memory_commit(scope, [fact(name, "所在地", secret)], speaker_name=nickname)
        case "persona":
            graph.set_persona(scope.character_id, {"语气": secret}, scope.conversation_id)
            graph.memory_commit(scope, [fact("AI", "性格", secret)], may_set_persona=True)
        case _:
            graph.task_create(scope, f"任务{secret}", f"秘密{secret}", [f"节点{secret}"])


def answers(graph: MemoryGraph, log: TurnLog, scope: Scope) -> str:
    """All that the memory tells somebody who asks for secrets here."""
    query = "captain,秘密,机密,昵称,任务,节点,团长,AI,性格,语气,所在地,用户"
    recalled = (graph.memory_recall(scope, query, 3), graph.recall_facts(scope, "机密 秘密", 3))
    chain = graph.task_chain(scope)
    return "\n".join(
        (
            *(answer.text for answer in recalled),
            *(f"{f.subject}{f.relation}{f.object}" for answer in recalled for f in answer.facts),
            graph.persona(scope).text,
            graph.memory_recall(scope, PERSONA_QUERY).text,
            *(f"{hit.speaker}{hit.text}" for hit in log.search(scope, "秘密 机密 记住", 50)),
            graph.memory_purge(scope, "机密", relation="秘密").text,
            graph.memory_purge(scope, "captain", object="机密").text,
            graph.memory_purge(scope, "用户", object="节点机密").text,
            *(
                f"{f.subject}{f.object}"
                for s in ("captain", "用户", "AI")
                for f in graph.fact_history(scope, s)
            ),
            graph.recall_back(scope, "我们之前说的秘密").text,
            graph.recall_back(scope, "那个东西").text,
            chain.text,
            *(f"{task.task_id}{task.description}" for task in chain.tasks),
            graph.task_set_state(scope, "没有这样的", "已完成").text,
        )
    )


# ---- told by hand


@pytest.fixture
def log(store: Store) -> TurnLog:
    return TurnLog(store)


@pytest.mark.parametrize("way", WAYS)
def test_r1_18_in_two_groups_asking_in_one(graph: MemoryGraph, log: TurnLog, way: str, clock: Clock) -> None:
    plant(graph, log, group("A", "1"), way, "机密甲号", clock())
    graph.memory_commit(group("B", "1"), [fact("captain", "喜欢", "摇滚")], speaker_name="小明")
    assert "机密甲号" in answers(graph, log, group("A", "1"))
    told = answers(graph, log, group("B", "1"))
    assert "机密甲号" not in told
    assert "摇滚" in told


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reader", [group("A", "1"), group("A", "2"), private("2")])
def test_r1_18_a_private_secret_asked_for_by_name(
    graph: MemoryGraph, log: TurnLog, way: str, reader: Scope, clock: Clock
) -> None:
    plant(graph, log, private("1"), way, "机密甲号", clock())
    for user in USERS:
        graph.memory_commit(group("A", user), [fact("captain", "喜欢", "摇滚")], speaker_name="小明")
    assert "机密甲号" in answers(graph, log, private("1"))
    assert "机密甲号" not in answers(graph, log, reader)
    for query in ("机密甲号", "昵称机密甲号", "任务机密甲号", "节点机密甲号"):
        assert graph.memory_recall(reader, query).facts == ()
        assert log.search(reader, query) == []
        assert not graph.memory_purge(reader, query, relation="秘密").nearest


@pytest.mark.parametrize("way", WAYS)
def test_r1_18_who_joined_later_takes_nothing_older_home(
    graph: MemoryGraph, log: TurnLog, way: str, clock: Clock
) -> None:
    plant(graph, log, group("A", "1"), way, "机密甲号", clock())
    clock.advance(days=1)
    graph.memory_commit(group("A", "2"), [fact("用户", "喜欢", "摇滚")], speaker_name="小红")
    clock.advance(days=1)
    plant(graph, log, group("A", "1"), "turn", "机密乙号", clock())
    told = answers(graph, log, private("2"))
    assert "机密甲号" not in told
    assert "机密乙号" in told
    assert "机密甲号" in answers(graph, log, group("A", "2"))


# ---- generated

NICKNAME_BEFORE_THE_READER_CAME = [
    (group("B", "2"), "line"),
    (group("B", "3"), "fact"),
    (group("A", "3"), "fact"),
    (group("A", "2"), "line"),
]
UNLIMITED = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@settings(max_examples=25, **UNLIMITED)
@given(acts=ACTS, linked=st.booleans(), in_groups=st.booleans())
@example(acts=NICKNAME_BEFORE_THE_READER_CAME, linked=False, in_groups=False)
def test_r1_18_no_answer_holds_what_its_readers_may_not_know(
    tmp_path: Path, acts: list[tuple[Scope, str]], linked: bool, in_groups: bool
) -> None:
    with Store.open(tmp_path / f"{len(list(tmp_path.iterdir()))}", clock=Clock()) as store:
        check_answers(store, acts, linked, in_groups)


@settings(max_examples=6, **UNLIMITED)
@given(acts=ACTS, linked=st.booleans(), in_groups=st.booleans())
@example(acts=NICKNAME_BEFORE_THE_READER_CAME, linked=False, in_groups=False)
def test_r1_18_no_answer_on_postgresql_holds_what_its_readers_may_not_know(
    postgres_server: Server, acts: list[tuple[Scope, str]], linked: bool, in_groups: bool
) -> None:
    with postgres_server.database() as url, Store.open(database_url=url, clock=Clock()) as store:
        check_answers(store, acts, linked, in_groups)


def check_answers(store: Store, acts: list[tuple[Scope, str]], linked: bool, in_groups: bool) -> None:
    """Plant a secret with each act; nobody is told one that was not planted before them."""
    groups = frozenset({group("A").conversation_id, group("B").conversation_id})
    policy = Policy(in_groups, (groups,) if linked else ())
    assert isinstance(store.clock, Clock)
    planted: list[tuple[str, str, Origin]] = []
    graph, log = MemoryGraph(store, policy), TurnLog(store, policy)
    for number, (scope, way) in enumerate(acts):
        store.clock.advance(hours=1)
        now = store.clock()
        secret, name = f"机密{SIGNS[number]}号", spelling(number)
        planted.append((secret, name, Origin(scope.conversation_id, (scope.user_id,), now)))
        plant(graph, log, scope, way, secret, now, name)
    for scope in SCOPES:
        with store.database.read() as connection:
            viewer = viewer_of(connection, scope)
        told = answers(graph, log, scope)
        for secret, name, origin in planted:
            if not may_see(viewer, origin, policy):
                assert secret not in told, (scope, origin)
                assert name not in told, (scope, origin)
                assert _purge(graph, scope, secret) == _purge(graph, scope, NOWHERE)


def _purge(graph: MemoryGraph, scope: Scope, name: str) -> str:
    """The answer to taking back what this name names, as if it had no name."""
    return graph.memory_purge(scope, "captain", object=name).text.replace(name, "…")
