"""R2.7, R3.8, R3.11 in real turns: what stands under 人设 is the graph's, and each character has its own."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.graph import TOOLS
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.turn.values import join

from ..conftest import Clock
from .conftest import GROUP, PRIVATE, Chat

ORANGE = replace(PRIVATE, character_id="orange")
CARD = {
    "name": "阿橘",
    "systemPrompt": "你是{{char}}。",
    "identity": {"名字": "{{char}}", "性格": "懒，{{user}}的猫"},
}
SET_MOOD = [("memory_commit", {"triplets": [{"subject": "AI", "relation": "性格", "object": "凶"}]})]


class Cards:
    """The card files of an app."""

    def __init__(self, app: App) -> None:
        directory = app.rooms.store.directory
        assert directory is not None
        self._data = directory
        self._writes = 0

    async def put(self, name: str, card: Any) -> None:
        await in_thread(self._put, self._data / name, card)

    def _put(self, path: Path, card: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(card if isinstance(card, str) else json.dumps(card), "utf-8")
        self._writes += 1
        os.utime(path, (self._writes, self._writes))

    async def remove(self, name: str) -> None:
        await in_thread((self._data / name).unlink)


@pytest.fixture
def cards(app: App) -> Cards:
    return Cards(app)


def section(chat: Chat, title: str = "人设") -> str:
    """What stands below a heading in the newest system prompt."""
    behind = chat.model.asked[-1].system.split(f"## {title}\n", 1)[1]
    return behind.split("\n\n", 1)[0]


async def persona(app: App, scope: Scope) -> dict[str, str]:
    found = await in_thread(app.rooms.graph.persona, scope)
    return {fact.relation: fact.object for fact in found.facts}


async def test_r2_07_the_persona_in_the_prompt_is_the_graphs(chat: Chat) -> None:
    await chat.say("你好")
    found = await in_thread(chat.app.rooms.graph.persona, PRIVATE)
    assert found.facts
    assert section(chat) == found.text
    await in_thread(chat.app.rooms.graph.set_trait, "neko", "性格", "热情似火")
    turn = await chat.say("你好")
    assert "- 性格：热情似火" in section(chat).splitlines()
    assert turn.recalled is not None
    assert ("性格", "热情似火") in turn.recalled.identity
    assert chat.model.asked[-1].brief.identity == turn.recalled.identity


async def test_r2_07_a_card_that_changes_while_the_bot_runs_shows_in_the_next_turn(
    chat: Chat, cards: Cards
) -> None:
    file = "resources/prompts/personality.json"
    await cards.put(file, {**CARD, "name": "小忆"})
    await chat.say("你好")
    assert section(chat) == "- 名字：小忆\n- 性格：懒，对方的猫"
    await cards.put(file, {**CARD, "name": "小忆", "identity": {"性格": "勤快"}})
    await chat.say("你好")
    assert section(chat) == "- 性格：勤快"
    await cards.put(file, "{")
    await chat.say("你好")
    assert section(chat) == "- 性格：勤快"
    await cards.remove(file)
    await chat.say("你好")
    assert "住在聊天窗口里的小猫娘" in section(chat)


async def test_r2_07_cards_are_in_the_graph_from_the_start_on(cards: Cards, app: App, clock: Clock) -> None:
    await cards.put("characters/orange.json", CARD)
    await in_thread(app.rooms.store.close)
    again = await in_thread(App.open, Settings(), app.rooms.store.directory, clock=clock)
    assert await persona(again, ORANGE) == {"名字": "阿橘", "性格": "懒，对方的猫"}
    assert (await persona(again, PRIVATE))["名字"] == "小忆"
    await in_thread(again.rooms.store.close)


async def test_r2_07_with_no_persona_in_the_graph_the_cards_identity_counts(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat.app.rooms.graph, "set_card_persona", lambda *_: None)
    card = await in_thread(chat.app.rooms.card_of, "stranger")
    stranger = replace(PRIVATE, character_id="stranger")
    turn = await chat.say("你好", stranger)
    assert turn.recalled is not None
    assert turn.recalled.persona.facts == ()
    assert turn.recalled.identity == card.identity
    assert section(chat).startswith("- 名字：小忆\n- 角色：")


async def test_r2_07_an_identity_the_graph_refuses_stops_no_turn(chat: Chat, cards: Cards) -> None:
    await cards.put("resources/prompts/personality.json", {"name": "小忆", "identity": {"\u0085\u0001": "x"}})
    for _ in range(2):
        assert (await chat.say("你好")).reply == "好的"
    told = [notice for _, notice in chat.app.rooms.store.notices if "identity 未采用" in notice]
    assert len(told) == 1


class TestWhoMayChangeIt:
    """R2.7: a model's word on the persona holds in that conversation, in a group on its admins' word."""

    async def test_r2_07_in_private_the_person_may(self, chat: Chat) -> None:
        chat.model.calls = [*SET_MOOD]
        await chat.say("你要凶一点，性格凶")
        assert (await persona(chat.app, PRIVATE))["性格"] == "凶"
        assert (await persona(chat.app, GROUP))["性格"] != "凶"

    async def test_r2_07_in_a_group_an_admin_may(self, chat: Chat) -> None:
        chat.model.calls = [*SET_MOOD]
        await chat.say("你的性格要凶", GROUP, administers=True)
        assert (await persona(chat.app, GROUP))["性格"] == "凶"
        assert (await persona(chat.app, PRIVATE))["性格"] != "凶"

    async def test_r2_07_in_a_group_a_member_may_not(self, chat: Chat) -> None:
        chat.model.calls = [*SET_MOOD]
        turn = await chat.say("你的性格要凶", GROUP)
        assert turn.answer is not None
        assert not turn.answer.calls[0].ok
        assert (await persona(chat.app, GROUP))["性格"] != "凶"

    async def test_r2_07_joined_messages_are_an_admins_only_if_all_are(self, chat: Chat) -> None:
        as_admin = await chat.workflow.hear(chat.incoming("一", GROUP, administers=True))
        as_member = await chat.workflow.hear(chat.incoming("二", GROUP))
        assert join(as_admin, as_admin).incoming.administers
        assert not join(as_admin, as_member).incoming.administers
        assert not join(as_member, as_admin).incoming.administers


async def test_r3_11_a_second_character_has_its_own_card_and_memory(chat: Chat, cards: Cards) -> None:
    await cards.put("characters/orange.json", CARD)
    sent: list[str] = []

    async def send(_: str, name: str) -> None:
        sent.append(name)

    await chat.say("我喜欢摇滚")
    await chat.say("我喜欢爵士", ORANGE, send=send)
    assert sent == ["阿橘"]
    assert section(chat) == "- 名字：阿橘\n- 性格：懒，对方的猫"
    assert section(chat, "设定") == "你是阿橘。"
    assert "摇滚" not in chat.model.asked[-1].system
    assert await chat.facts(ORANGE) == [("用户", "喜欢", "爵士")]
    assert await chat.facts() == [("用户", "喜欢", "摇滚")]


async def test_r3_08_a_card_may_narrow_the_tools(chat: Chat, cards: Cards) -> None:
    await chat.say("你好")
    assert [tool.name for tool in chat.model.asked[-1].tools] == [tool.name for tool in TOOLS]
    for tools in (["task_create", "memory_recall"], []):
        await cards.put("resources/prompts/personality.json", {"name": "小忆", "tools": tools})
        await chat.say("我喜欢摇滚")
        assert {tool.name for tool in chat.model.asked[-1].tools} == set(tools)
    assert await chat.facts() == [("用户", "喜欢", "摇滚")]


async def test_r3_08_a_card_without_a_tool_is_not_told_to_use_it(chat: Chat, cards: Cards) -> None:
    for tools in (["memory_recall"], ["memory_commit"], []):
        await cards.put("resources/prompts/personality.json", {"name": "小忆", "tools": tools})
        await chat.say("你好")
        system = chat.model.asked[-1].system
        assert {tool.name for tool in TOOLS if tool.name in system} == set(tools)
        assert "没有的事就直说记不清，不编" in system


async def test_r3_08_the_offline_model_lives_without_memory_commit(
    app: App, chat: Chat, cards: Cards
) -> None:
    await cards.put("resources/prompts/personality.json", {"name": "小忆", "tools": ["memory_recall"]})
    app.start()
    chat.workflow = app.workflow
    turn = await chat.say("我喜欢摇滚")
    assert turn.errors == ()
    assert await chat.facts() == [("用户", "喜欢", "摇滚")]
    assert "摇滚" in ((await chat.say("我喜欢什么？")).reply or "")
    await app.close()


async def test_r3_08_the_shortcuts_are_those_of_who_plays_there(app: App, cards: Cards) -> None:
    await cards.put(
        "characters/neko.json", {"name": "小忆", "systemPrompt": "喵", "tools": ["memory_recall"]}
    )
    await cards.put("characters/orange.json", {**CARD, "tools": ["task_create"]})
    await in_thread(app.bindings.bind, "qq_group_9", "orange")
    prompts = app.rooms.prompts
    assert await in_thread(prompts.load_prompt, "1", tools=()) == "喵"
    assert await in_thread(prompts.load_prompt, "1", "9", tools=()) == "你是阿橘。"
    for ids, offered in ((("1",), "memory_recall"), (("1", "9"), "task_create")):
        text = await in_thread(prompts.load_prompt, *ids)
        assert [tool.name for tool in TOOLS if f"- {tool.name}：" in text] == [offered]
    assert "memory_commit" not in await in_thread(prompts.load_tools_prompt)


async def test_r3_11_a_character_without_a_card_is_told_at_start(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(characters={"777": "ghost"})
    caplog.set_level("WARNING")
    app = await in_thread(App.open, settings, tmp_path / "d", clock=clock)
    assert "账号 777：角色 'ghost' 没有可用的角色卡，先用“小忆”的卡；现有角色：neko（小忆）" in caplog.text
    assert await app.character_of("777", "qq_group_9") == "ghost"
    assert (await in_thread(app.rooms.card_of, "ghost")).name == "小忆"
    await in_thread(app.rooms.store.close)
