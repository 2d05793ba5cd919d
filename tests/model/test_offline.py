"""R4.14: the offline model keeps what it is told, answers from what is remembered, and invents nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest

from nonebot_plugin_memoryfs.model import Ask, BoundTool, Brief, Fact, Saying, load_offline
from nonebot_plugin_memoryfs.model.offline import reply, triplets

STORED = ["已记下"]
ROCK = Fact(subject="小明", relation="喜欢", object="摇滚", about_speaker=True, inferred=False)


def brief(text: str, **more: Any) -> Brief:
    return Brief(text=text, speaker="小明", turn_id=1, **more)


def test_r4_14_states_what_it_stored() -> None:
    told = brief("我喜欢摇滚，最近在做一个 NoneBot 插件")
    assert [(t["relation"], t["object"]) for t in triplets(told)] == [
        ("喜欢", "摇滚"),
        ("在做", "一个 NoneBot 插件"),
    ]
    assert reply(told, STORED).startswith("记住了：你喜欢摇滚")


def test_r4_14_claims_nothing_that_was_not_stored() -> None:
    assert "记住了" not in reply(brief("我喜欢摇滚"), [])


@pytest.mark.parametrize("question", ["我喜欢什么？", "你知道我喜欢什么吗", "我喜欢啥呀？"])
def test_r4_14_answers_from_facts(question: str) -> None:
    assert reply(brief(question, facts=(ROCK,)), []) == "你喜欢摇滚。"


def test_r4_14_does_not_tell_anothers_fact_as_the_speakers() -> None:
    other = Fact(subject="小红", relation="喜欢", object="爵士", about_speaker=False, inferred=False)
    assert "爵士" not in reply(brief("我喜欢什么？", facts=(other,)), [])
    assert reply(brief("小红喜欢什么？", facts=(other, ROCK)), []).startswith("小红喜欢爵士")


def test_r4_14_marks_guesses() -> None:
    guess = Fact(subject="小明", relation="喜欢", object="音乐", about_speaker=True, inferred=True)
    assert "猜" in reply(brief("我喜欢什么？", facts=(guess,)), [])


def test_r4_14_quotes_what_was_said_with_its_day() -> None:
    said = Saying(speaker="小明", text="周末要去看画展", at=datetime(2026, 7, 8, tzinfo=UTC))
    answer = reply(brief("周末要干嘛来着？", sayings=(said,)), [])
    assert "7月8日" in answer
    assert "画展" in answer


def test_r4_14_says_when_it_does_not_know() -> None:
    assert "不知道" in reply(brief("我的生日是哪天？"), [])


def test_r4_14_looks_back() -> None:
    answer = reply(brief("刚才我们聊了什么？", recent=(("想去看画展", "听起来不错"),)), [])
    assert "想去看画展" in answer
    assert "听起来不错" in answer


def test_r4_02_answers_a_bare_call() -> None:
    assert reply(brief(""), [])


async def test_r4_14_goes_through_the_agent_with_tools_and_a_log_of_requests() -> None:
    called: list[dict[str, Any]] = []

    async def commit(arguments: dict[str, Any]) -> str:
        called.append(arguments)
        return "已记下 1 条"

    tool = BoundTool(
        name="memory_commit",
        description="记下事实",
        parameters={"type": "object", "properties": {"triplets": {"type": "array", "items": {}}}},
        call=commit,
    )
    model = await load_offline()
    answer = await model.answer(
        Ask(system="系统文字", user="小明：我喜欢摇滚", tools=(tool,), brief=brief("我喜欢摇滚"))
    )
    assert model.name == "离线模型"
    assert [call["triplets"][0]["object"] for call in called] == ["摇滚"]
    assert answer.calls[0].result == "已记下 1 条"
    assert answer.text.startswith("记住了")
    assert len(answer.requests) == 2
    for request in answer.requests:
        assert "系统文字" in request.text
        assert "小明：我喜欢摇滚" in request.text
    assert "已记下 1 条" in answer.requests[-1].text


async def test_r4_14_without_the_tool_it_stores_and_claims_nothing() -> None:
    model = await load_offline()
    answer = await model.answer(Ask(system="s", user="u", tools=(), brief=brief("我喜欢摇滚")))
    assert answer.calls == ()
    assert "记住了" not in answer.text
