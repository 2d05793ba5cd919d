"""R4.14, R2.13, R4.6: the agent loop: tools, the log of requests, and failures that are answers."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from nonebot_plugin_memoryfs.model import (
    Ask,
    BoundTool,
    Brief,
    Question,
    ToolCall,
    ToolResult,
    load_offline,
)
from nonebot_plugin_memoryfs.model.agent import AgentModel
from nonebot_plugin_memoryfs.model.patience import NONE, ModelFailure

COMMIT = {"type": "object", "properties": {"triplets": {"type": "array", "items": {}}}}


class Graph:
    """A commit tool that does what the test says."""

    def __init__(self, *, ok: bool = True, breaks: bool = False) -> None:
        self.called: list[dict[str, Any]] = []
        self._ok = ok
        self._breaks = breaks

    async def commit(self, arguments: dict[str, Any]) -> ToolResult:
        self.called.append(arguments)
        if self._breaks:
            raise OSError("disk full")
        return ToolResult(self._ok, "已记下 1 条" if self._ok else "未写入：太长")

    @property
    def tools(self) -> tuple[BoundTool, ...]:
        tool = BoundTool(name="memory_commit", description="记", parameters=COMMIT, call=self.commit)
        return (tool,)


def ask(text: str, graph: Graph | None = None) -> Ask:
    tools = graph.tools if graph else ()
    return Ask(system="系统文字", user=f"小明：{text}", tools=tools, brief=Brief(text=text, turn_id=1))


def scripted(*steps: ModelResponse | Exception) -> AgentModel:
    """A model that answers each request with the next step."""
    rest = list(steps)

    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        step = rest.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    def build(_: Brief, __: Sequence[ToolCall]) -> Model:
        return FunctionModel(respond)

    return AgentModel("scripted", build, lambda _: FunctionModel(respond))


def call(arguments: Any, name: str = "memory_commit") -> ModelResponse:
    return ModelResponse([ToolCallPart(name, arguments)])


SAYS = ModelResponse([TextPart("好的")])


async def test_r4_14_the_offline_model_commits_and_tells() -> None:
    model, graph = await load_offline(), Graph()
    answer = await model.answer(ask("我喜欢摇滚", graph))
    assert model.name == "离线模型"
    assert [c["triplets"][0]["object"] for c in graph.called] == ["摇滚"]
    assert answer.text == "记住了：你喜欢摇滚。"
    assert (answer.calls[0].ok, answer.calls[0].result) == (True, "已记下 1 条")


async def test_r4_14_a_refused_commit_is_not_told_as_stored() -> None:
    answer = await (await load_offline()).answer(ask("我喜欢摇滚", Graph(ok=False)))
    assert "记住了" not in answer.text


async def test_r4_14_without_the_tool_it_stores_and_claims_nothing() -> None:
    answer = await (await load_offline()).answer(ask("我喜欢摇滚"))
    assert answer.calls == ()
    assert "记住了" not in answer.text


async def test_r4_03_each_request_is_logged_with_all_it_held() -> None:
    answer = await (await load_offline()).answer(ask("我喜欢摇滚", Graph()))
    assert len(answer.requests) == 2
    for request in answer.requests:
        assert "系统文字" in request.text
        assert "小明：我喜欢摇滚" in request.text
    assert "已记下 1 条" in answer.requests[-1].text


async def test_r2_13_a_tool_that_raises_is_answered_as_an_error() -> None:
    answer = await scripted(call({"triplets": []}), SAYS).answer(ask("嗯", Graph(breaks=True)))
    assert answer.text == "好的"
    assert not answer.calls[0].ok
    assert "出错" in answer.calls[0].result


@pytest.mark.parametrize("arguments", ["[1, 2]", "{broken", "null", '"text"'])
async def test_r2_13_malformed_arguments_cost_no_turn(arguments: str) -> None:
    answer = await scripted(call(arguments), SAYS).answer(ask("嗯", Graph()))
    assert answer.text == "好的"
    assert "JSON" in answer.calls[0].result


async def test_r2_13_an_unknown_tool_is_answered() -> None:
    answer = await scripted(call({}, "rm_rf"), SAYS).answer(ask("嗯", Graph()))
    assert answer.text == "好的"


@pytest.mark.parametrize("error", [RuntimeError("boom"), ValueError("bad"), KeyError("x")])
async def test_r4_06_a_failure_is_an_answer_with_what_was_done_before(error: Exception) -> None:
    answer = await scripted(call({"triplets": []}), error).answer(ask("嗯", Graph()))
    assert answer.text == ""
    assert type(error).__name__ in answer.failure
    assert [c.name for c in answer.calls] == ["memory_commit"]
    assert [bool(request.failure) for request in answer.requests] == [False, True]


async def test_r2_13_endless_tools_end() -> None:
    answer = await scripted(*[call({"triplets": []})] * 100).answer(ask("嗯", Graph()))
    assert answer.failure
    assert len(answer.calls) <= 24


class Items(BaseModel):
    items: list[str]


def question(shape: type[Any], answer: Any) -> Question[Any]:
    return Question(system="提取", user="对话", shape=shape, by_rules=lambda: answer)


@pytest.mark.parametrize(("shape", "answer"), [(Items, Items(items=["喜欢摇滚"])), (str, "睡得很沉。")])
async def test_r4_14_offline_answers_a_question_by_the_askers_rules(shape: type[Any], answer: Any) -> None:
    reply = await (await load_offline()).ask(question(shape, answer))
    assert (reply.value, reply.failure) == (answer, "")


async def test_r4_9_an_answer_of_the_wrong_shape_is_repaired_once() -> None:
    wrong, right = (ModelResponse([TextPart(text)]) for text in ("不是 JSON", '{"items": ["喜欢茶"]}'))
    reply = await scripted(wrong, right).ask(question(Items, None))
    assert reply.value == Items(items=["喜欢茶"])
    failed = await scripted(wrong, wrong, right).ask(question(Items, None))
    assert failed.value is None
    assert "UnexpectedModelBehavior" in failed.failure


async def test_r5_7_a_question_that_fails_is_for_the_asker_to_log(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[logging.LogRecord]()
    monkeypatch.setattr(logging.getLogger("nonebot_plugin_memoryfs"), "handle", told.append)

    def explain(error: Exception) -> ModelFailure:
        return ModelFailure(str(error), NONE)

    failing = replace(scripted(ConnectionError("refused"), ConnectionError("refused")), explain=explain)
    assert (await failing.ask(question(str, ""))).failure == "refused"
    assert told == []
    await failing.answer(ask("嗯"))
    assert [record.levelname for record in told] == ["WARNING"]
