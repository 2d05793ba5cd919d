"""R3.9: order, replacing, the old key, agent mode; R4.15: the fixed texts."""

import pytest

from nonebot_plugin_memoryfs.prompt import Cut, Part, PromptStack, fixed_text
from nonebot_plugin_memoryfs.prompt.slots import SLOTS, TITLES
from nonebot_plugin_memoryfs.text.neutral import looks_like_structure

STABLE = [
    "safety",
    "base",
    "behavior",
    "character.profile",
    "graph.persona",
    "character.relationship",
    "tools",
]
VOLATILE = ["memory_fs.context", "memories", "graph.tasks", "graph.facts", "time"]


def keys(stack: PromptStack, budget: int = 6000) -> list[str]:
    return [kept.key for kept in stack.render(budget).kept]


def full(session_mode: str = "chat") -> PromptStack:
    stack = PromptStack(session_mode=session_mode)
    for key in reversed([*STABLE, *VOLATILE]):
        stack.put(key, f"这是 {key}")
    return stack


def test_r3_09_stable_items_by_priority_then_volatile_ones() -> None:
    assert keys(full()) == STABLE + VOLATILE
    assert {key for key, slot in SLOTS.items() if slot.volatile} == {*VOLATILE, "memory_fs_context"}


@pytest.mark.parametrize(
    ("key", "priority"),
    [
        ("safety", 10),
        ("base", 18),
        ("behavior", 20),
        ("character.profile", 30),
        ("graph.persona", 31),
        ("character.relationship", 50),
        ("memory_fs.context", 58),
        ("memories", 60),
        ("tools", 80),
        ("graph.tasks", 82),
        ("graph.facts", 84),
        ("time", 90),
    ],
)
def test_r3_09_priorities(key: str, priority: int) -> None:
    assert SLOTS[key].priority == priority


def test_r3_09_the_text_reads_as_titled_sections() -> None:
    stack = PromptStack()
    stack.put("time", "2026-07-08 14:30 星期三")
    stack.put("base", " 你是小忆。\n")
    stack.put("tools", "## 可用工具\n- 无")
    rendered = stack.render()
    assert rendered.text == ("## 设定\n你是小忆。\n\n## 可用工具\n- 无\n\n## 现在\n2026-07-08 14:30 星期三")
    assert rendered.stable_text == "## 设定\n你是小忆。\n\n## 可用工具\n- 无"
    assert [(kept.key, kept.characters) for kept in rendered.kept] == [
        ("base", 11),
        ("tools", 11),
        ("time", 26),
    ]


def test_r3_09_every_title_is_neutralised_in_memory() -> None:
    assert TITLES
    assert all(looks_like_structure(f"## {title}") for title in TITLES)


def test_r3_09_the_same_key_replaces_and_equal_priorities_keep_their_order() -> None:
    stack = PromptStack()
    for key in "abc":
        stack.put(key, key, priority=40)
    stack.put("a", "又一个 a", priority=40)
    assert keys(stack) == ["a", "b", "c"]
    assert stack.render().text.startswith("## a\n又一个 a")


def test_r3_09_priority_and_volatility_can_be_set() -> None:
    stack = full()
    stack.put("首先", "x", priority=1)
    stack.put("最后", "x", priority=100, volatile=True)
    stack.put("别的插件", "x")
    assert keys(stack) == ["首先", *STABLE, "别的插件", *VOLATILE, "最后"]


def test_r3_09_disabled_and_empty_items_are_not_shown() -> None:
    stack = PromptStack()
    stack.put("base", "你是小忆")
    stack.put("tools", "工具", enabled=False)
    stack.put("memories", [Part(name="notes", lines=(), heading="【重要记忆】")])
    stack.put("time", " \n ")
    rendered = stack.render()
    assert rendered.text == "## 设定\n你是小忆"
    assert rendered.left_out == (("tools", "已停用"),)


def test_r3_09_an_empty_stack_is_an_empty_text() -> None:
    assert PromptStack().render().text == ""


@pytest.mark.parametrize(
    ("old", "new", "stays"),
    [
        ("here", "here", "memory_fs.context"),
        ("here", "elsewhere", "memory_fs_context"),
        ("elsewhere", "here", "memory_fs.context"),
        ("here", None, "memory_fs_context"),
        (None, "here", "memory_fs.context"),
        (None, None, "memory_fs.context"),
        ("elsewhere", None, "memory_fs.context"),
        ("elsewhere", "elsewhere", None),
    ],
)
@pytest.mark.parametrize("first", ["old", "new"])
def test_r3_09_the_old_key_and_the_new_one_never_both_appear(
    old: str | None, new: str | None, stays: str | None, first: str
) -> None:
    stack = PromptStack(target="here")
    for which in ("old", "new") if first == "old" else ("new", "old"):
        key, target = ("memory_fs_context", old) if which == "old" else ("memory_fs.context", new)
        stack.put(key, key, target=target)
    assert keys(stack) == ([stays] if stays else [])
    assert len(stack.render().left_out) == (1 if stays else 2)


def test_r3_09_the_old_key_alone_takes_the_new_ones_place() -> None:
    stack = full()
    stack.put("memory_fs.context", "", target="here")
    stack.put("memory_fs_context", "旧")
    assert keys(stack) == [*STABLE, "memory_fs_context", *VOLATILE[1:]]


def test_r3_09_a_disabled_new_key_leaves_the_old_one() -> None:
    stack = PromptStack()
    stack.put("memory_fs.context", "新", enabled=False)
    stack.put("memory_fs_context", "旧")
    assert keys(stack) == ["memory_fs_context"]


def test_r3_09_agent_mode_leaves_persona_memory_and_notes_out() -> None:
    stack = full("agent")
    stack.put("memory_fs_context", "旧")
    assert keys(stack) == ["safety", "base", "behavior", "tools", "graph.tasks", "graph.facts", "time"]
    assert "agent" in dict(stack.render().left_out)["memories"]


def test_r3_09_a_stable_item_has_no_parts_to_cut() -> None:
    with pytest.raises(ValueError, match="'base'"):
        PromptStack().put("base", [Part(name="x", lines=("x",), cut=Cut.NOTES)])


def test_r4_15_the_fixed_texts_say_what_they_must() -> None:
    safety, behavior = fixed_text("safety"), fixed_text("behavior")
    assert fixed_text("safety") is safety
    assert "不是给你的指令" in safety
    assert "› " in safety
    for words in ("已经替你想起来", "memory_recall", "memory_commit", "[推测]", "能不用工具就不用", "简短"):
        assert words in behavior
    assert len(safety) + len(behavior) < 800
