"""R2.12: what a summary must hold before it may replace what the tools answered."""

import pytest

from nonebot_plugin_memoryfs.model.rewriting import refusal

CALLED = ["memory_recall", "memory_recall", "memory_commit"]
MORE = "查到用户以前喜欢摇滚和爵士，这次又记下了喜欢民谣这件事"


@pytest.mark.parametrize("count", ["共 3 次", "共三次", "调用3次", "三 次", "3 calls"])
def test_r2_12_names_number_and_more_are_taken(count: str) -> None:
    assert refusal(f"memory_recall 和 memory_commit，{count}：{MORE}", CALLED) == ""


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (f"memory_recall 共 3 次：{MORE}", "memory_commit"),
        (f"memory_recall、memory_commit：{MORE}", "3 次"),
        (f"memory_recall、memory_commit 共 13 次：{MORE}", "3 次"),
        (f"memory_recall、memory_commit 共十三次：{MORE}", "3 次"),
        (f"memory_recall、memory_commit 三番两次：{MORE}", "3 次"),
        ("memory_recall、memory_commit 共 3 次。", "20 个字"),
        ("memory_recall、memory_commit 共 3 次" + "。" * 50, "20 个字"),
        ("memory_recall、memory_commit 共 3 次，" + "memory_recall" * 5, "20 个字"),
        ("", "memory_recall、memory_commit"),
    ],
)
def test_r2_12_what_is_missing_is_told(summary: str, told: str) -> None:
    assert told in refusal(summary, CALLED)


@pytest.mark.parametrize(
    ("number", "word"),
    [(1, "一"), (2, "两"), (10, "十"), (12, "十二"), (20, "二十"), (24, "二十四")],
)
def test_r2_12_chinese_numerals_count(number: int, word: str) -> None:
    assert refusal(f"memory_recall 调用了{word}次，{MORE}", ["memory_recall"] * number) == ""
    assert refusal(f"memory_recall 调用了{word}次，{MORE}", ["memory_recall"] * (number + 1))


def test_r2_12_nothing_to_rewrite_before_a_tool_ran() -> None:
    assert "还没有调用" in refusal(MORE, [])
