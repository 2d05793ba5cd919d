"""R1.17 (d): where an entry comes from, and that what can't be told is hidden."""

import pytest

from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.memory.audience import origin_of, visible
from nonebot_plugin_memoryfs.memory.entries import Entry
from nonebot_plugin_memoryfs.memory.paths import parse_memory_path
from nonebot_plugin_memoryfs.scope import Policy, Viewer

from .conftest import at, entry

USER = "characters/neko/users/u1/user_persona.md"
EVENTS = "characters/neko/events/qq_group_1.md"
TIMELINE = "characters/neko/timeline.md"


@pytest.mark.parametrize(
    ("path", "stored", "conversation", "people"),
    [
        (USER, entry("a", 0, "qq_group_1", "u2"), "qq_group_1", ("u2",)),
        (USER, entry("a", 0), "qq_private_u1", ("u1",)),
        (USER, entry("a", 0, None, "u2"), "qq_private_u1", ("u1",)),
        (USER, entry("a", 0, "conv_abc"), "conv_abc", ("u1",)),
        (USER, entry("a", 0, "conv_abc", "u2"), "conv_abc", ("u2",)),
        (USER, entry("a", 0, "qq_group_1"), "qq_group_1", ()),
        ("characters/neko/users/u1.md", entry("a", 0), "qq_private_u1", ("u1",)),
        ("characters/neko/users/u1/notes.md", entry("a", 0), "qq_private_u1", ("u1",)),
        (EVENTS, entry("a", 0), "qq_group_1", ()),
        (EVENTS, entry("a", 0, None, "u1"), "qq_group_1", ("u1",)),
        (EVENTS, entry("a", 0, "qq_private_u1", "u1"), "qq_private_u1", ("u1",)),
        ("characters/neko/plot/c.md", entry("a", 0), "c", ()),
        ("characters/neko/life_sim/c.md", entry("a", 0), "c", ()),
        (TIMELINE, entry("a", 0), None, ()),
        (TIMELINE, entry("a", 0, None, "u1"), None, ("u1",)),
        ("characters/neko/general.md", entry("a", 0), None, ()),
        ("characters/neko/diary/daily.md", entry("a", 0), None, ()),
    ],
)
def test_r1_17_the_origin_of_an_entry(
    path: str, stored: Entry, conversation: str | None, people: tuple[str, ...]
) -> None:
    origin = origin_of(parse_memory_path(path), stored)
    assert (origin.conversation_id, origin.people, origin.at) == (conversation, people, at())


def test_r1_17_visible_entries_keep_their_numbers_in_the_file() -> None:
    entries = [entry("一", 0, "qq_group_1"), entry("二", 0, "qq_private_u1"), entry("三", 0, "qq_group_1")]
    viewer = Viewer("neko", "u2", "qq_group_1")
    shown = visible(parse_memory_path(EVENTS), entries, viewer, Policy())
    assert [(number, e.text) for number, e in shown] == [(1, "一"), (3, "三")]


@pytest.mark.parametrize("path", [TIMELINE, "characters/neko/general.md", "characters/neko/diary/daily.md"])
@pytest.mark.parametrize("here", ["qq_private_u1", "qq_group_1", "web_1", "conv_abc", ""])
def test_r1_17_an_untagged_entry_of_no_known_place_is_hidden(path: str, here: str) -> None:
    viewer = Viewer("neko", "u1", here, {"qq_group_1": at(-99)})
    assert visible(parse_memory_path(path), [entry("秘密")], viewer, Policy(private_in_groups=True)) == []


@pytest.mark.parametrize(
    "head",
    [
        "[2026-07-08 9:30] [conv:qq_private_5]",
        "[2026-07-08 09:30:00] [conv:qq_private_5]",
        "[2026-02-30 09:30] [conv:qq_private_5]",
        "[conv: qq_private_5]",
        "[CONV:qq_private_5]",
        "[by:5] [conv:qq_private_5]",
        "[conv:qq_private_5%FF]",
        "[ conv:qq_private_5 ]",
    ],
)
def test_r1_17_a_tag_that_can_not_be_read_hides_its_entry(fs: MemoryFS, head: str) -> None:
    path = fs.path_important_events("c", "qq_group_1")
    fs.write(path, content=f"{head} 机密\n\n公开的事")
    shown = fs.build_prompt_context("c", "9", "qq_group_1")
    assert "机密" not in shown
    assert "公开的事" in shown
    content = fs.read(path)
    assert content is not None
    fs.write(path, content=content.content)
    assert "机密" not in fs.build_prompt_context("c", "9", "qq_group_1")
