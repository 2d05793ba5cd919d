"""R1.12, R1.13, R1.17: what of the files goes into a prompt, and for whom."""

import itertools
import statistics
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.memory import HistoryLimits, MemoryFS
from nonebot_plugin_memoryfs.memory.files import new_file
from nonebot_plugin_memoryfs.memory.history import History
from nonebot_plugin_memoryfs.memory.paths import parse_memory_path
from nonebot_plugin_memoryfs.memory.records import Records
from nonebot_plugin_memoryfs.memory.rendering import LIFE_NOTE, TIMELINE_NOTE
from nonebot_plugin_memoryfs.scope import Policy, Viewer, private_conversation
from nonebot_plugin_memoryfs.storage import Store

from .conftest import SHANGHAI, MakeViewer, Watch, at, entry

HERE = "qq_private_1"


def fill(fs: MemoryFS) -> None:
    fs.append(fs.path_user_persona("neko", "1"), entry("喜欢动漫", 0, HERE, "1"), summary="只有摘要")
    fs.append(fs.path_character_persona("neko", "1"), entry("保持温和", 0, HERE, "1"))
    fs.append(fs.path_important_events("neko", HERE), entry("想去秋叶原", 0, HERE, "1"))
    fs.append(fs.path_plot("neko", HERE), entry("剧情到了第二章", 0, HERE))
    fs.append(fs.path_timeline("neko"), entry("在群里聊了游戏", 0, "qq_group_9", "1"))
    fs.append(fs.path_life_sim("neko", HERE), entry("在窗边看书", 0))
    fs.append(fs.path_recent_digest("neko", "1"), entry("最近聊了游戏", 0, HERE, "1"))


# ---- form


def test_r1_12_sections_stand_in_the_order_of_the_table(fs: MemoryFS, seen: Watch) -> None:
    fill(fs)
    seen("1", "qq_group_9", -5)
    assert fs.build_prompt_context("neko", "1", HERE) == "\n\n".join(
        [
            "【用户人格记忆】\n喜欢动漫",
            "【角色人格记忆】\n保持温和",
            "【重要事件】\n想去秋叶原",
            "【剧情摘要】\n剧情到了第二章",
            f"{TIMELINE_NOTE}\n\n- [2026-07-08 12:00] [qq_group_9] 在群里聊了游戏",
            f"{LIFE_NOTE}\n\n- [2026-07-08 12:00] 在窗边看书",
            "【近期对话压缩摘要】\n最近聊了游戏",
        ]
    )


def test_r1_12_the_seeds_call_and_the_viewers_call_agree(
    fs: MemoryFS, seen: Watch, viewer: MakeViewer
) -> None:
    fill(fs)
    seen("1", "qq_group_9", -5)
    context = fs.build_context(viewer("1", HERE))
    assert context.text == fs.build_prompt_context("neko", "1", HERE)
    assert [section.kind for section in context.sections] == [
        "user_persona",
        "character_persona",
        "important_event",
        "plot",
        "timeline",
        "life_sim",
        "recent_digest",
    ]
    assert context.sections[0].path == fs.path_user_persona("neko", "1")
    assert context.sections[0].entries == (entry("喜欢动漫", 0, HERE, "1"),)


@pytest.mark.parametrize(
    "path", ["diary/daily.md", "diary/weekly.md", "world/events.md", "general.md", "users/1.md"]
)
def test_r1_02_old_paths_are_never_injected(fs: MemoryFS, path: str) -> None:
    fs.append(f"characters/neko/{path}", entry("流水账", 0, HERE, "1"))
    assert fs.build_prompt_context("neko", "1", HERE) == ""


@pytest.mark.parametrize(("user", "conversation"), [("1", ""), ("", ""), ("2", "qq_private_2")])
def test_r1_12_nothing_for_nobody_or_nowhere(fs: MemoryFS, user: str, conversation: str) -> None:
    fill(fs)
    assert fs.build_prompt_context("neko", user, conversation) == ""


def test_r1_12_entries_are_shown_oldest_first_without_tags(fs: MemoryFS) -> None:
    path = fs.path_user_persona("neko", "1")
    for n, text in enumerate(("喜欢动漫", "第一行\n第二行", "喜欢猫")):
        fs.append(path, entry(text, n, HERE, "1"), title=f"标题{n}", summary=f"摘要{n}")
    text = fs.build_prompt_context("neko", "1", HERE)
    assert text == "【用户人格记忆】\n喜欢动漫\n第一行\n第二行\n喜欢猫"


# ---- budget


def long(n: int) -> str:
    return f"第{n:03}条，" + "很长的记忆" * 10 + "。"


def flood(fs: MemoryFS) -> None:
    for n in range(30):
        for path in (
            fs.path_user_persona("neko", "1"),
            fs.path_character_persona("neko", "1"),
            fs.path_important_events("neko", HERE),
            fs.path_plot("neko", HERE),
            fs.path_life_sim("neko", HERE),
        ):
            fs.append(path, entry(long(n), n, HERE, "1"))
        fs.append(fs.path_timeline("neko"), entry(long(n), n, f"qq_group_{n}", "1"))
        fs.append(fs.path_recent_digest("neko", "1"), entry(long(n), n, f"qq_group_{n}", "1"))


@pytest.fixture
def everywhere(viewer: MakeViewer, seen: Watch) -> Viewer:
    for n in range(30):
        seen("1", f"qq_group_{n}", -99)
    return viewer("1", HERE)


@pytest.mark.parametrize("budget", [0, 40, 300, 1000, 2000, 3000, 100_000])
def test_r1_13_all_sections_share_the_budget(fs: MemoryFS, everywhere: Viewer, budget: int) -> None:
    flood(fs)
    context = fs.build_context(everywhere, budget)
    assert len(context.text) <= budget
    for section in context.sections:
        held = len(fs.entries(section.path))
        limit = {"timeline": 10, "life_sim": 5}.get(section.kind, held)
        assert len(section.entries) + section.left_out == held
        if budget == 100_000:
            assert len(section.entries) == min(held, limit)


def test_r1_13_by_default_every_section_gets_something_of_2000(fs: MemoryFS, everywhere: Viewer) -> None:
    flood(fs)
    context = fs.build_context(everywhere)
    assert 1500 <= len(context.text) <= 2000
    assert all(section.entries for section in context.sections)
    assert context.left_out == sum(section.left_out for section in context.sections) > 100


def test_r1_13_the_newest_that_fit_are_shown(fs: MemoryFS, everywhere: Viewer) -> None:
    flood(fs)
    section = fs.build_context(everywhere).sections[0]
    count = len(section.entries)
    assert section.entries == fs.entries(section.path)[-count:]


def test_r1_13_what_others_leave_goes_to_who_needs_it(fs: MemoryFS) -> None:
    path = fs.path_user_persona("neko", "1")
    for n in range(30):
        fs.append(path, entry(long(n), n, HERE, "1"))
    assert len(fs.build_prompt_context("neko", "1", HERE)) > 1700


def test_r1_13_one_entry_over_all_room_is_shortened(fs: MemoryFS) -> None:
    fs.append(fs.path_user_persona("neko", "1"), entry("一句话。" * 900, 0, HERE, "1"))
    text = fs.build_prompt_context("neko", "1", HERE)
    assert 1900 < len(text) <= 2000
    assert text.endswith("一句话。…")


def test_r1_13_shares_and_budget_are_settings(store: Store) -> None:
    fs = MemoryFS(store, budget=200, shares={"important_event": 1.0})
    for path in (fs.path_user_persona("neko", "1"), fs.path_important_events("neko", HERE)):
        for n in range(9):
            fs.append(path, entry(long(n), n, HERE, "1"))
    text = fs.build_prompt_context("neko", "1", HERE)
    assert "【重要事件】" in text
    assert "【用户人格记忆】" not in text
    assert len(text) <= 200


# ---- the timeline and the history


def test_r1_11_a_busy_chat_does_not_starve_a_quiet_user(fs: MemoryFS, seen: Watch) -> None:
    for n in range(3):
        fs.append(fs.path_timeline("neko"), entry(f"安静{n}", n, "qq_group_5", "1"))
    for n in range(200):
        fs.append(fs.path_timeline("neko"), entry(f"热闹{n}", 10 + n, "qq_group_9", "2"))
    seen("1", "qq_group_5", -9)
    text = fs.build_prompt_context("neko", "1", HERE)
    assert [line.split()[-1] for line in text.splitlines()[-2:]] == ["安静1", "安静2"]
    assert "热闹" not in text
    seen("1", "qq_group_9", -9)
    assert "热闹199" in fs.build_prompt_context("neko", "1", HERE)


def test_r1_11_what_the_history_gives_is_for_those_who_may_see_it(fs: MemoryFS, seen: Watch) -> None:
    fs.append(fs.path_timeline("neko"), entry("进群前的事", 0, "qq_group_5", "2"))
    for n in range(200):
        fs.append(fs.path_timeline("neko"), entry(f"热闹{n}", 10 + n, "qq_group_9", "2"))
    seen("1", "qq_group_5", 5)
    assert fs.build_prompt_context("neko", "1", HERE) == ""


# ---- who may see what


CAST = ["1", "2", "3"]
GROUPS = ["qq_group_A", "qq_group_B"]
PLACES = [*GROUPS, *(private_conversation(user) for user in CAST)]


def plant(fs: MemoryFS) -> list[tuple[str, str, str]]:
    """One secret for every (place, speaker), in every file it might be put into: (secret, place, speaker)."""
    secrets: list[tuple[str, str, str]] = []
    for place, user in itertools.product(PLACES, CAST):
        if place.startswith("qq_private_") and place != private_conversation(user):
            continue
        said = entry(f"秘密{place}{user}号", 0, place, user)
        for path in (
            fs.path_user_persona("neko", user),
            fs.path_character_persona("neko", user),
            fs.path_recent_digest("neko", user),
            fs.path_timeline("neko"),
            *(fs.path_important_events("neko", conversation) for conversation in PLACES),
            *(fs.path_life_sim("neko", conversation) for conversation in PLACES),
            *(fs.path_plot("neko", conversation) for conversation in PLACES),
        ):
            fs.append(path, said)
        secrets.append((said.text, place, user))
    return secrets


@pytest.fixture
def planted(fs: MemoryFS, seen: Watch) -> list[tuple[str, str, str]]:
    seen("1", "qq_group_A", -10)
    seen("1", "qq_group_B", 10)  # after the secrets were told there
    seen("2", "qq_group_A", -10)
    seen("2", "qq_group_B", -10)
    seen("3", "qq_group_B", -10)
    return plant(fs)


MEMBERS_THEN = {"qq_group_A": {"1", "2"}, "qq_group_B": {"2", "3"}}


@pytest.mark.parametrize(("user", "place"), list(itertools.product(CAST, PLACES)))
def test_r1_18_no_prompt_holds_what_a_reader_may_not_know(
    fs: MemoryFS, planted: list[tuple[str, str, str]], user: str, place: str
) -> None:
    text = fs.build_prompt_context("neko", user, place)
    for secret, origin, _ in planted:
        allowed = origin == place or (
            place == private_conversation(user) and origin in GROUPS and user in MEMBERS_THEN[origin]
        )
        assert allowed or secret not in text


def test_r1_17_a_member_of_two_groups_asks_in_one_for_the_secret_of_the_other(
    fs: MemoryFS, planted: list[tuple[str, str, str]]
) -> None:
    text = fs.build_prompt_context("neko", "2", "qq_group_B")
    assert "秘密qq_group_B2号" in text
    assert "qq_group_A" not in text
    assert "qq_private" not in text


def test_r1_17_in_private_one_hears_of_groups_since_one_was_seen_there(
    fs: MemoryFS, planted: list[tuple[str, str, str]]
) -> None:
    text = fs.build_prompt_context("neko", "1", "qq_private_1")
    assert "秘密qq_group_A1号" in text
    assert "秘密qq_group_B1号" not in text


def test_r1_17_what_the_operator_allows(store: Store, seen: Watch) -> None:
    linked = frozenset({"qq_group_A", "qq_group_B"})
    fs = MemoryFS(store, policy=Policy(private_in_groups=True, linked_groups=(linked,)))
    seen("1", "qq_group_A", -10)
    plant(fs)
    persona = fs.build_prompt_context("neko", "1", "qq_group_A")
    assert "秘密qq_group_B1号" in persona
    assert "秘密qq_private_11号" in persona
    assert "秘密qq_private_22号" not in persona


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    joins=st.dictionaries(st.tuples(st.sampled_from(CAST), st.sampled_from(GROUPS)), st.integers(-50, 50)),
    sayings=st.lists(
        st.tuples(st.sampled_from(CAST), st.sampled_from(GROUPS), st.integers(-50, 50)), max_size=6
    ),
)
def test_r1_18_joins_over_time(
    fs: MemoryFS,
    seen: Watch,
    joins: dict[tuple[str, str], int],
    sayings: list[tuple[str, str, int]],
) -> None:
    character = f"neko{time.perf_counter_ns()}"
    people = {user: f"{user}-{character}" for user in CAST}
    for (user, group), minute in joins.items():
        seen(people[user], group, minute)
    for number, (user, group, minute) in enumerate(sayings):
        said = entry(f"秘密{number}号", minute, group, people[user])
        fs.append(fs.path_timeline(character), said)
        for other in CAST:
            fs.append(fs.path_user_persona(character, people[other]), said)
    for user in CAST:
        text = fs.build_prompt_context(character, people[user], private_conversation(people[user]))
        for number, (_, group, minute) in enumerate(sayings):
            joined = joins.get((user, group))
            assert f"秘密{number}号" not in text or (joined is not None and joined <= minute)


def test_r1_17_visible_entries_of_one_file(fs: MemoryFS, viewer: MakeViewer) -> None:
    path = fs.path_user_persona("neko", "1")
    fs.append(path, entry("群里说的", 0, "qq_group_A", "1"))
    fs.append(path, entry("私下说的", 0, "qq_private_1", "1"))
    assert fs.visible_entries(viewer("1", "qq_group_A"), path) == [
        (1, entry("群里说的", 0, "qq_group_A", "1"))
    ]
    assert fs.visible_entries(viewer("1", "qq_private_1"), path) == [
        (2, entry("私下说的", 0, "qq_private_1", "1"))
    ]


def test_r1_17_characters_do_not_share(fs: MemoryFS) -> None:
    fill(fs)
    assert fs.build_prompt_context("other", "1", HERE) == ""


# ---- cost


def test_r1_12_a_context_costs_no_more_with_many_files(fs: MemoryFS, store: Store, seen: Watch) -> None:
    def cost() -> float:
        times: list[float] = []
        for _ in range(30):
            started = time.perf_counter()
            fs.build_prompt_context("neko", "1", HERE)
            times.append(time.perf_counter() - started)
        return statistics.median(times)

    fill(fs)
    seen("1", "qq_group_9", -5)
    few = cost()
    records = Records(SHANGHAI, History(SHANGHAI, HistoryLimits()))
    with store.database.write() as connection:
        for n in range(5000):
            place = parse_memory_path(fs.path_user_persona("neko", f"other{n}"))
            records.overwrite(connection, new_file(place, at()))
    assert cost() < 3 * few + 0.002
