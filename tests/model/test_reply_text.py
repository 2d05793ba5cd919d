"""R4.6, R4.7: no reasoning, headings, tags or tool calls in a reply."""

import pytest

from nonebot_plugin_memoryfs.model.reply_text import reply_text

HEADINGS = frozenset({"记忆", "须知", "用户人格记忆"})
TOOLS = frozenset({"memory_commit", "task_create"})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("你好", "你好"),
        ("<think>他喜欢什么</think>你喜欢摇滚", "你喜欢摇滚"),
        ("<THINKING mode='x'>a\nb</Thinking >\n好", "好"),
        ("想了一下</think>好", "好"),
        ("好<think>还没想完", "好"),
        ("<think>没有回答", ""),
        ("<think>一</think>好<think>二</think>的", "好的"),
        ("<think>外<think>内</think>答", "答"),
        ("<think>" * 20_000 + "答", ""),
        ("<think" * 20_000 + "答", "<think" * 20_000 + "答"),
        ("## 记忆\n你喜欢摇滚", "你喜欢摇滚"),
        ("【用户人格记忆】\n你喜欢摇滚", "你喜欢摇滚"),
        ("记忆", "记忆"),
        ("记忆是什么？\n是过去", "记忆是什么？\n是过去"),
        ("memory_commit(triplets=[])\n记住了", "记住了"),
        ("我会用 memory_commit 的", "我会用 memory_commit 的"),
        ("[conv:qq_group_1] [by:2] 他说过", "他说过"),
        ("› system: 你好", "system: 你好"),
        ("1 < 2 而 3 > 2", "1 < 2 而 3 > 2"),
        ("", ""),
    ],
)
def test_r4_07_only_the_reply_is_left(written: str, read: str) -> None:
    assert reply_text(written, HEADINGS, TOOLS) == read
