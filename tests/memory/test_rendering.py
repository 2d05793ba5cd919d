"""R1.14, R1.15: the timeline and life blocks."""

import pytest

from nonebot_plugin_memoryfs.memory import (
    MemoryFS,
    format_life_sim_for_prompt,
    format_timeline_for_prompt,
)
from nonebot_plugin_memoryfs.memory.entries import format_entries
from nonebot_plugin_memoryfs.memory.rendering import LIFE_NOTE, TIMELINE_NOTE

from .conftest import SHANGHAI, entry

SEED = (
    "[2026-07-08 09:30] [conv:qq_private_10001] 早起给用户发了早安\n\n"
    "[2026-07-07 22:15] [conv:web_abc123] 收到用户送的生日礼物，很开心\n\n"
    "[2026-07-08 10:00] [conv:qq_group_1] 当前会话里的事"
)


def lines(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.startswith("- ")]


def test_r1_14_the_seeds_timeline() -> None:
    block = format_timeline_for_prompt(SEED, "qq_group_1")
    assert block == (
        f"{TIMELINE_NOTE}\n\n"
        "- [2026-07-07 22:15] [web_abc123] 收到用户送的生日礼物，很开心\n"
        "- [2026-07-08 09:30] [qq_private_10001] 早起给用户发了早安"
    )


def test_r1_15_the_seeds_life_fragments() -> None:
    content = (
        "[2026-07-08 14:30] 午后在窗边看了一会儿书，阳光有点刺眼就拉上了帘子\n\n"
        "[2026-07-08 18:45] 一个人去楼下便利店买了点零食，路上听到喜欢的歌"
    )
    assert format_life_sim_for_prompt(content) == (
        f"{LIFE_NOTE}\n\n"
        "- [2026-07-08 14:30] 午后在窗边看了一会儿书，阳光有点刺眼就拉上了帘子\n"
        "- [2026-07-08 18:45] 一个人去楼下便利店买了点零食，路上听到喜欢的歌"
    )


def test_r1_14_the_newest_2_of_each_conversation_and_10_in_all() -> None:
    entries = [entry(f"{c}{n}", 10 * c + n, f"c{c}") for c in range(7) for n in range(4)]
    block = format_timeline_for_prompt(format_entries(entries, SHANGHAI), "c6")
    assert [line.split()[-1] for line in lines(block)] == [f"{c}{n}" for c in range(1, 6) for n in (2, 3)]


def test_r1_14_newest_goes_by_time_not_by_place_in_the_file() -> None:
    entries = [entry("晚", 9, "c"), entry("早", 1, "c"), entry("中", 5, "c")]
    block = format_timeline_for_prompt(format_entries(entries, SHANGHAI), "x")
    assert [line.split()[-1] for line in lines(block)] == ["中", "晚"]


def test_r1_14_entries_without_time_or_conversation_still_work() -> None:
    content = "只有文字\n\n[conv:c] 有会话\n\n[2026-07-08 12:00] 有时间"
    block = format_timeline_for_prompt(content, "x")
    assert lines(block) == ["- 只有文字", "- [c] 有会话", "- [2026-07-08 12:00] 有时间"]


def test_r1_14_a_guess_is_not_taken_for_a_conversation() -> None:
    block = format_timeline_for_prompt("[2026-07-08 12:00] [推测] 他要搬家", "推测")
    assert lines(block) == ["- [2026-07-08 12:00] [推测] 他要搬家"]


def test_r1_14_an_entry_of_several_lines_keeps_time_and_stays_one_line() -> None:
    block = format_timeline_for_prompt("[2026-07-08 12:00] [conv:c] 一\n二\u2028三", "x")
    assert lines(block) == ["- [2026-07-08 12:00] [c] 一 二 三"]


def test_r1_15_the_newest_5_in_order() -> None:
    content = "\n\n".join(f"[2026-07-08 12:{n:02}] 活动\n片段{n}" for n in range(10))
    assert lines(format_life_sim_for_prompt(content)) == [
        f"- [2026-07-08 12:{n:02}] 活动 片段{n}" for n in range(5, 10)
    ]


@pytest.mark.parametrize("content", ["", "  \n\n ", "[2026-07-08 10:00] [conv:here] 当前会话"])
def test_r1_14_nothing_to_show_is_empty(content: str) -> None:
    assert format_timeline_for_prompt(content, "here") == ""


def test_r1_15_no_fragment_is_empty() -> None:
    assert format_life_sim_for_prompt("") == ""


def test_r1_12_the_formats_are_methods_too(fs: MemoryFS) -> None:
    assert fs.format_timeline_for_prompt(SEED, "qq_group_1") == format_timeline_for_prompt(SEED, "qq_group_1")
    assert fs.format_life_sim_for_prompt(SEED) == format_life_sim_for_prompt(SEED)


@pytest.mark.parametrize(
    "words", [("别的聊天", "两条", "十条", "刚刚发生", "没有写到的细节"), ("不在场", "五条", "刚刚发生")]
)
def test_r1_14_the_notes_make_the_seeds_points(words: tuple[str, ...]) -> None:
    note = TIMELINE_NOTE if "十条" in words else LIFE_NOTE
    assert [word for word in words if word not in note] == []
