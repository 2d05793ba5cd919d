"""R1.2, R1.3, R1.10: the table of categories and its aliases, row by row as the seed prints them."""

import pytest

from nonebot_plugin_memoryfs.memory import Category, describe_memory_path, normalize_memory_category
from nonebot_plugin_memoryfs.memory.categories import INJECTED, KINDS

CATEGORIES = [
    ("user_persona", "用户人格", True, 10),
    ("character_persona", "角色人格", True, 20),
    ("important_event", "重要事件", True, 30),
    ("timeline", "跨会话时间线", True, 35),
    ("life_sim", "角色生活片段", True, 38),
    ("recent_digest", "近期对话摘要", True, 40),
    ("legacy", "旧版记忆", False, 90),
]

ALIASES = {
    "user_persona": "user user_profile user_preference user_preferences persona_user",
    "character_persona": ("character character_profile character_attitude persona_character relationship"),
    "important_event": "event events important_events plot plot_summary world_event",
    "timeline": "timeline_event timeline_event_other",
    "life_sim": "life_event life_sim_event heartbeat_life",
    "recent_digest": "digest summary recent_summary dialogue_digest diary",
}
ROWS = [(alias, category) for category, aliases in ALIASES.items() for alias in aliases.split()]


@pytest.mark.parametrize(("name", "label", "injects", "order"), CATEGORIES)
def test_r1_02_categories_have_label_order_and_injection(
    name: str, label: str, injects: bool, order: int
) -> None:
    category = Category(name)
    assert (category.label, category.injects, category.order) == (label, injects, order)
    assert category == name


def test_r1_02_there_are_no_other_categories() -> None:
    assert [c.value for c in Category] == [row[0] for row in CATEGORIES]


def test_r1_02_every_category_has_a_path_form_and_the_forms_differ() -> None:
    assert {kind.category for kind in KINDS} == set(Category)
    assert len({kind.form for kind in KINDS}) == len({kind.name for kind in KINDS}) == len(KINDS)


def test_r1_13_the_shares_are_shares_of_one_budget() -> None:
    assert sum(kind.share for kind in INJECTED) == pytest.approx(1.0)


def test_r1_03_there_are_26_aliases() -> None:
    assert len(ROWS) == 26


@pytest.mark.parametrize(("alias", "category"), ROWS + [(c, c) for c in ALIASES])
def test_r1_03_aliases_and_canonical_names(alias: str, category: str) -> None:
    assert normalize_memory_category(alias) == category


@pytest.mark.parametrize(
    ("value", "category"),
    [
        ("User Persona", "user_persona"),
        ("  USER-PROFILE\n", "user_persona"),
        ("timeline-event", "timeline"),
        ("Life Sim  Event", "life_sim"),
        ("recent - digest", "recent_digest"),
    ],
)
def test_r1_03_case_blanks_and_hyphens_are_folded(value: str, category: str) -> None:
    assert normalize_memory_category(value) == category


@pytest.mark.parametrize(
    "value", ["something-else", "", "  ", "legacy", "用户", None, 3, 1.5, ["user"], b"user"]
)
def test_r1_03_what_is_none_of_ours_is_empty(value: object) -> None:
    assert normalize_memory_category(value) == ""


def test_r1_03_the_result_is_plain_text() -> None:
    assert type(normalize_memory_category("user")) is str
    described = describe_memory_path("characters/a/timeline.md")
    assert type(described["category"]) is str
