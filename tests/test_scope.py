"""R1.17, R2.20: the audience rule, as a table of its clauses and as properties."""

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.scope import (
    Origin,
    Policy,
    Scope,
    Viewer,
    group_conversation,
    kind_of,
    may_see,
    private_conversation,
    reachable,
)

T0 = datetime(2026, 7, 1, tzinfo=UTC)
BEFORE, AFTER = T0 - timedelta(seconds=1), T0 + timedelta(seconds=1)
A, B = "qq_group_A", "qq_group_B"
LINKED = Policy(linked_groups=(frozenset({A, B}),))
OPEN = Policy(private_in_groups=True)


def private(user: str) -> str:
    return private_conversation(user)


def viewer(user: str, conversation: str, **seen_in: datetime) -> Viewer:
    return Viewer("neko", user, conversation, {group_conversation(g): t for g, t in seen_in.items()})


@pytest.mark.parametrize(
    ("case", "who", "origin", "policy", "allowed"),
    [
        ("a: same group", viewer("u", A), Origin(A, ("v",), BEFORE), Policy(), True),
        ("a: same private chat", viewer("u", private("u")), Origin(private("u")), Policy(), True),
        ("a: same unknown", viewer("u", "x"), Origin("x"), Policy(), True),
        ("b: own private chat on the web", viewer("u", "web_1"), Origin(private("u")), Policy(), True),
        ("b: own group later", viewer("u", private("u"), A=T0), Origin(A, ("v",), AFTER), Policy(), True),
        ("b: own group at once", viewer("u", private("u"), A=T0), Origin(A, ("v",), T0), Policy(), True),
        ("b: before they came", viewer("u", private("u"), A=T0), Origin(A, ("v",), BEFORE), Policy(), False),
        (
            "b: group they never spoke in",
            viewer("u", private("u")),
            Origin(A, ("u",), AFTER),
            Policy(),
            False,
        ),
        ("b: group, unknown time", viewer("u", private("u"), A=T0), Origin(A, ("u",)), Policy(), False),
        (
            "b: group, naive time",
            viewer("u", private("u"), A=T0),
            Origin(A, ("u",), datetime(2027, 1, 1)),
            Policy(),
            False,
        ),
        ("b: another's private chat", viewer("u", private("u")), Origin(private("v"), ("u",)), OPEN, False),
        ("b: a chat that is not the viewer's", viewer("u", private("v")), Origin(private("u")), OPEN, False),
        ("b: own web chat", viewer("u", private("u")), Origin("web_1", ("u",)), Policy(), True),
        ("b: web chat about two", viewer("u", private("u")), Origin("web_1", ("u", "v")), Policy(), False),
        ("c: another group", viewer("u", A, A=T0, B=T0), Origin(B, ("u",), AFTER), OPEN, False),
        ("c: linked group", viewer("u", A), Origin(B, ("v",), BEFORE), LINKED, True),
        ("c: linked elsewhere", viewer("u", "qq_group_C"), Origin(B, ("u",), AFTER), LINKED, False),
        ("c: own private chat, closed", viewer("u", A), Origin(private("u"), ("u",)), Policy(), False),
        ("c: own private chat, open", viewer("u", A), Origin(private("u"), ("u",)), OPEN, True),
        ("c: another's private chat, open", viewer("u", A), Origin(private("v"), ("v",)), OPEN, False),
        ("c: private chat of two, open", viewer("u", A), Origin("x", ("u", "v")), OPEN, False),
        ("d: unknown, own", viewer("u", private("u")), Origin("x", ("u",)), Policy(), True),
        ("d: unknown, another's", viewer("u", private("u")), Origin("x", ("v",)), Policy(), False),
        ("d: unknown, nobody's", viewer("u", private("u")), Origin("x"), Policy(), False),
        ("d: no conversation", viewer("u", private("u")), Origin(None), Policy(), False),
        ("d: unknown is private", viewer("u", "x", A=T0), Origin(A, ("v",), AFTER), Policy(), True),
        ("no conversation to show it in", viewer("u", ""), Origin("", ("u",)), OPEN, False),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_r1_17_each_clause(case: str, who: Viewer, origin: Origin, policy: Policy, allowed: bool) -> None:
    assert may_see(who, origin, policy) is allowed


@pytest.mark.parametrize(
    ("conversation", "kind"),
    [
        ("qq_private_1", "private"),
        ("qq_group_1", "group"),
        ("web_abc", "web"),
        ("qq_group_", "unknown"),
        ("conv-26", "unknown"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_r7_01_kinds_of_conversations(conversation: str | None, kind: str) -> None:
    assert kind_of(conversation) == kind


def test_r2_20_scope_is_frozen() -> None:
    scope = Scope("neko", A, "u", private=False)
    with pytest.raises(FrozenInstanceError):
        scope.user_id = "v"  # pyright: ignore[reportAttributeAccessIssue]


users = st.sampled_from(["u", "v", "w"])
groups = st.sampled_from([A, B, "qq_group_C"])
conversations = st.one_of(groups, users.map(private), st.sampled_from(["web_1", "web_2", "x", "y"]))
times = st.integers(-3, 3).map(lambda hours: T0 + timedelta(hours=hours))
policies = st.builds(
    Policy,
    private_in_groups=st.booleans(),
    linked_groups=st.lists(st.frozensets(groups, max_size=3), max_size=2).map(tuple),
)
viewers = st.builds(
    Viewer, st.just("neko"), users, conversations, st.dictionaries(conversations, times, max_size=4)
)
origins = st.builds(
    Origin,
    st.one_of(st.none(), conversations),
    st.lists(users, max_size=2).map(tuple),
    st.one_of(st.none(), times),
)


@given(viewers, origins, policies)
def test_r1_17_another_persons_private_chat_is_never_told(v: Viewer, o: Origin, p: Policy) -> None:
    owner = (o.conversation_id or "").removeprefix("qq_private_")
    if kind_of(o.conversation_id) == "private" and v.conversation_id != o.conversation_id:
        assert not may_see(v, o, p) or owner == v.user_id


@given(viewers, origins, policies)
def test_r1_17_by_default_groups_hear_only_themselves(v: Viewer, o: Origin, p: Policy) -> None:
    if kind_of(v.conversation_id) == "group" and may_see(v, o, Policy()):
        assert o.conversation_id == v.conversation_id


@given(viewers, origins, policies)
def test_r1_17_a_policy_only_opens_groups(v: Viewer, o: Origin, p: Policy) -> None:
    assert not may_see(v, o, Policy()) or may_see(v, o, p)
    if kind_of(v.conversation_id) != "group":
        assert may_see(v, o, p) == may_see(v, o, Policy())


@given(viewers, origins, policies)
def test_r1_17_the_query_filter_is_never_narrower_than_the_rule(v: Viewer, o: Origin, p: Policy) -> None:
    where = o.conversation_id
    spoke_there = where is not None and (where in v.seen_in or kind_of(where) in ("group", "private"))
    if where is not None and spoke_there and may_see(v, o, p):
        assert where in reachable(v, p)


@given(viewers, origins, policies, groups, times)
def test_r1_17_speaking_somewhere_never_hides_anything(
    v: Viewer, o: Origin, p: Policy, group: str, at: datetime
) -> None:
    if group not in v.seen_in and may_see(v, o, p):
        assert may_see(replace(v, seen_in={**v.seen_in, group: at}), o, p)
