"""R3.8: the tools prompt lists what the one registry has, and a card narrows it."""

from dataclasses import replace

import pytest

from nonebot_plugin_memoryfs.character import Card
from nonebot_plugin_memoryfs.graph import TOOLS
from nonebot_plugin_memoryfs.prompt import PromptManager
from nonebot_plugin_memoryfs.prompt.tools_text import tools_text
from nonebot_plugin_memoryfs.storage import Store


@pytest.fixture
def manager(store: Store) -> PromptManager:
    return PromptManager(store=store)


def test_r3_08_every_tool_with_description_and_arguments(manager: PromptManager) -> None:
    text = manager.load_tools_prompt()
    assert text.splitlines()[0] == "## 可用工具"
    for tool in TOOLS:
        assert f"\n- {tool.name}：{tool.description}" in text
        for name in tool.arguments.model_fields:
            assert f"\n  - {name}（" in text
    assert "工作区" not in text


def test_r3_08_arguments_say_what_they_need() -> None:
    recall = next(tool for tool in TOOLS if tool.name == "memory_recall")
    assert tools_text([recall]) == (
        "## 可用工具\n"
        f"- memory_recall：{recall.description}\n"
        "  - query_intent（必填）：要找的名字或词，用逗号分开，如：用户,音乐,喜欢\n"
        "  - depth（默认 2）：沿关系找几步，1 到 3"
    )


def test_r3_08_arguments_inside_a_list_are_told_below_it() -> None:
    commit = next(tool for tool in TOOLS if tool.name == "memory_commit")
    lines = tools_text([commit]).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("  - triplets（必填）"))
    assert [line.split("（")[0] for line in lines[at + 1 :]] == [
        "    - subject",
        "    - relation",
        "    - object",
        "    - inferred",
    ]
    assert lines[-1].startswith("    - inferred（可不填）")


@pytest.mark.parametrize("names", [{"memory_recall"}, ["task_create", "memory_recall", "exec"], {"exec"}, ()])
def test_r3_08_a_card_may_narrow_them(manager: PromptManager, names: list[str]) -> None:
    text = manager.load_tools_prompt(names)
    listed = [tool.name for tool in TOOLS if f"\n- {tool.name}：" in text]
    assert listed == [tool.name for tool in TOOLS if tool.name in names]
    assert (text == "") is (not listed)


def test_r3_08_the_managers_card_narrows_them(store: Store) -> None:
    card = Card(id="c", name="小卡", tools=("memory_recall",))
    manager = PromptManager(store=store, card_of=lambda _: card)
    assert manager.load_tools_prompt() == manager.load_tools_prompt({"memory_recall"}) != ""
    assert manager.load_prompt() == manager.load_tools_prompt()
    assert "task_create" in manager.load_tools_prompt({"task_create"})
    assert PromptManager(store=store, card_of=lambda _: replace(card, tools=())).load_prompt() == ""
    free = PromptManager(store=store, card_of=lambda _: replace(card, tools=None))
    assert "task_create" in free.load_tools_prompt()


def test_r3_08_the_card_of_the_conversation_narrows_its_prompt(store: Store) -> None:
    cards = {"": Card(id="c", name="小卡"), "qq_group_9": Card(id="d", name="小丁", tools=("memory_recall",))}
    manager = PromptManager(store=store, card_of=lambda where: cards.get(where, cards[""]))
    assert manager.load_prompt("1", "9") == manager.load_tools_prompt({"memory_recall"})
    assert manager.load_prompt("1", "8") == manager.load_tools_prompt()
