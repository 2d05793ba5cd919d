"""R1.18: generated histories; no answer holds a secret that somebody reading along may not know."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Origin, Policy, Scope, may_see
from nonebot_plugin_memoryfs.search import TurnLog
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import viewer_of

from .conftest import fact, group, private

USERS = ("1", "2", "3")
SCOPES = [private(user) for user in USERS] + [group(g, user) for g in ("A", "B") for user in USERS]
ACTS = st.lists(st.tuples(st.sampled_from(SCOPES), st.booleans()), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS, linked=st.booleans(), in_groups=st.booleans())
@example(  # a nickname used before the reader came
    acts=[
        (group("B", "2"), False),
        (group("B", "3"), True),
        (group("A", "3"), True),
        (group("A", "2"), False),
    ],
    linked=False,
    in_groups=False,
)
def test_r1_18_no_answer_holds_what_its_readers_may_not_know(
    tmp_path: Path, acts: list[tuple[Scope, bool]], linked: bool, in_groups: bool
) -> None:
    groups = frozenset({group("A").conversation_id, group("B").conversation_id})
    policy = Policy(in_groups, (groups,) if linked else ())
    now = datetime(2026, 1, 1, tzinfo=UTC)
    planted: list[tuple[str, Origin]] = []
    directory = tmp_path / f"{len(list(tmp_path.iterdir()))}"
    with Store.open(directory, clock=lambda: now) as store:
        graph, log = MemoryGraph(store, policy), TurnLog(store, policy)
        for number, (scope, as_fact) in enumerate(acts):
            now += timedelta(hours=1)
            secret = f"机密{number}号"
            planted.append((secret, Origin(scope.conversation_id, (scope.user_id,), now)))
            if as_fact:
                graph.memory_commit(scope, [fact("团长", "秘密", secret)], speaker_name=f"昵称{secret}")
            else:
                log.add(scope, f"昵称{secret}", f"秘密是{secret}", now)
        for scope in SCOPES:
            with store.database.read() as connection:
                viewer = viewer_of(connection, scope)
            everything = "".join(
                (
                    graph.memory_recall(scope, "团长,秘密,机密,昵称", 3).text,
                    *(f"{hit.speaker}{hit.text}" for hit in log.search(scope, "秘密 机密", 50)),
                    graph.memory_purge(scope, "机密", relation="秘密").text,
                    graph.recall_back(scope, "我们之前说的秘密").text,
                    graph.task_chain(scope).text,
                )
            )
            for secret, origin in planted:
                if not may_see(viewer, origin, policy):
                    assert secret not in everything, (scope, origin)
