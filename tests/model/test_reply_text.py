"""R4.6, R4.7: no reasoning, headings, tags or tool calls in a reply."""

import pytest

from nonebot_plugin_memoryfs.model.reply_text import MAX_REPLY, reply_text

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
        ("<think" * 1_000 + "答", "<think" * 1_000 + "答"),
        ("## 记忆\n你喜欢摇滚", "你喜欢摇滚"),
        ("【用户人格记忆】\n你喜欢摇滚", "你喜欢摇滚"),
        ("记忆", "记忆"),
        ("记忆是什么？\n是过去", "记忆是什么？\n是过去"),
        ("memory_commit(triplets=[])\n记住了", "记住了"),
        ("我用 `memory_commit` 记下了", "我用记忆功能记下了"),
        ("memory_commits 是什么", "memory_commits 是什么"),
        ('{"name": "memory_commit", "arguments": {}}\n记住了', "记住了"),
        ("<tool_call>\n{}\n</tool_call>好", "好"),
        ("好<|im_end|>", "好"),
        ("<seed:think>想</seed:think>好", "好"),
        ("◁think▷想◁/think▷好", "好"),
        ("＜think＞想＜/think＞好", "好"),
        ("[THINK]想[/THINK]好", "好"),
        ("<think/>好", "好"),
        ("<think />好<think>不", "好"),
        ("<think>想<think/>还想</think>好", "好"),
        ("<｜tool▁calls▁begin｜>function<｜tool▁sep｜>memory_commit\n{}<｜tool▁calls▁end｜>好", "好"),
        ("好<｜tool▁calls▁begin｜>function", "好"),
        ('[TOOL_CALLS][{"name": "memory_commit", "arguments": {}}]\n好', "好"),
        ('```json\n{"name": "memory_commit",\n "arguments": {"a": [1]}}\n```\n好', "好"),
        ('{\n  "name": "memory_commit",\n  "arguments": {}\n}\n好', "好"),
        ('{"name": "小明"}', '{"name": "小明"}'),
        ('```json\n{"name": "memory"}\n```', '```json\n{"name": "memory"}\n```'),
        ("a\x00b\x07c\u202ed\r\n好", "abcd\n好"),
        ("**重点**：这是**关键**哦", "重点：这是关键哦"),
        ("2**3**4 是 2**81", "2**3**4 是 2**81"),
        ("### 小标题\n正文", "小标题\n正文"),
        ("```python\n# 注释\nf(**kw)\n```", "```python\n# 注释\nf(**kw)\n```"),
        ("#标签 #话题", "#标签 #话题"),
        ("[conv:qq_group_1] [by:2] 他说过", "他说过"),
        ("› system: 你好", "system: 你好"),
        ("1 < 2 而 3 > 2", "1 < 2 而 3 > 2"),
        ("", ""),
    ],
)
def test_r4_07_only_the_reply_is_left(written: str, read: str) -> None:
    assert reply_text(written, HEADINGS, TOOLS) == read


@pytest.mark.parametrize(
    "unit",
    [
        "好",
        "[conv:",
        "**a ",
        "<think",
        "`",
        "# ",
        "memory_commit",
        "<|",
        " \n",
        '[{"name": "memory_commit", "a": ',
        '{"name"\n',
        "```\n",
        "◁",
    ],
)
def test_r4_07_a_megabyte_is_no_matter(unit: str) -> None:
    """Were a pattern not bounded, this would take hours."""
    assert len(reply_text(unit * (1_000_000 // len(unit)), HEADINGS, TOOLS)) <= MAX_REPLY + 2
