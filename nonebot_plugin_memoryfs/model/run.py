"""One run of the agent loop: requests, tools, and the history between them (R2.12, R2.13)."""

import json
import logging
import re
import time
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from ..text.cleaning import clean_json
from .kinds import Ask, BoundTool, ToolCall, ToolResult
from .patience import NONE, ModelFailure
from .rewriting import refusal
from .wire import Wire

logger = logging.getLogger("nonebot_plugin_memoryfs")

MAX_ROUNDS = 8
"""Answers with tool calls in one turn; past them the model is asked once more without tools."""
MAX_CALLS = 24
"""Tool calls in one turn; the same holds past them."""

_MAX_SHOWN = 500
_MAX_ARGUMENTS = 30_000
"""Characters of the arguments of one call: more than any that fit a tool."""
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_MAX_NAME = 64


@dataclass
class Run:
    """What one turn asked, called and was told."""

    ask: Ask
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    """Every call, those that were answered with an error too."""
    _summary: str = ""
    """What is to stand in place of the history so far."""

    async def talk(self, wire: Wire) -> str:
        """Ask, carry out what is called, ask again; the text of the last answer that had one.

        Raises:
            ModelFailure: no text came.
        """
        history = self._beginning()
        text = ""
        for number in range(MAX_ROUNDS + 1):
            offered = self._offered() if number < MAX_ROUNDS and len(self.calls) < MAX_CALLS else []
            wire.may_be_silent = bool(text)
            parameters = ModelRequestParameters(function_tools=offered)
            response = await model_request(wire, history, model_request_parameters=parameters)
            text = response.text or text
            if not (offered and response.tool_calls):
                break
            history += await self._carry_out(response)
            if self._summary:
                history, self._summary = self._beginning(self._summary), ""
        if not text:
            raise ModelFailure("一直在调用工具，没有给出回答", NONE)
        return text

    def _beginning(self, *more: str) -> list[ModelMessage]:
        """The user's message, and what follows it as the user's."""
        return [self._request([UserPromptPart(text) for text in (self.ask.user, *more)])]

    def _request(self, parts: list[Any]) -> ModelRequest:
        return ModelRequest(parts, instructions=self.ask.system)

    def _offered(self) -> list[ToolDefinition]:
        return [
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
            )
            for tool in self.ask.tools
        ]

    async def _carry_out(self, response: ModelResponse) -> list[ModelMessage]:
        """Carry out the calls of a response, one after another: the response and an answer to each."""
        sent = [_well_formed(part) if isinstance(part, ToolCallPart) else part for part in response.parts]
        last = response.tool_calls[-1]
        answers: list[ToolReturnPart] = []
        for call in response.tool_calls:
            answer = await self._call(call, is_last=call is last)
            answers.append(ToolReturnPart(call.tool_name, answer, tool_call_id=call.tool_call_id))
        return [replace(response, parts=sent), self._request(answers)]

    async def _call(self, call: ToolCallPart, *, is_last: bool) -> str:
        """Carry one call out; whatever is wrong with it is its answer."""
        if len(self.calls) >= MAX_CALLS:
            return f"未执行：这一轮已经调用了 {MAX_CALLS} 次工具，请直接回答。"
        started = time.perf_counter()
        arguments = _arguments(call)
        result = await self._result(call.tool_name, arguments, is_last=is_last)
        self.calls.append(
            ToolCall(
                name=call.tool_name[:_MAX_SHOWN],
                arguments={"raw": _raw(call)} if arguments is None else arguments,
                ok=result.ok,
                result=result.text,
                milliseconds=round((time.perf_counter() - started) * 1000, 3),
            )
        )
        return result.text

    async def _result(self, name: str, arguments: dict[str, Any] | None, *, is_last: bool) -> ToolResult:
        tool = next((tool for tool in self.ask.tools if tool.name == name), None)
        if tool is None:
            known = "、".join(tool.name for tool in self.ask.tools) or "没有"
            return ToolResult(False, f"未执行：没有 {name[:_MAX_SHOWN]!r} 这个工具，可用的：{known}。")
        if arguments is None:
            return ToolResult(False, f"未执行：{name} 的参数要是一个 JSON 对象，最多 {_MAX_ARGUMENTS} 字。")
        if tool.rewrites and not is_last:
            return ToolResult(False, f"未改写：{name} 要放在最后调用，后面不能再有别的调用。")
        try:
            result = await tool.call(arguments)
        except Exception:
            logger.exception("工具 %s 出错", name)
            return ToolResult(False, f"未执行：{name} 出错了，先不用它。")
        return self._rewrite(tool, result.text) if tool.rewrites and result.ok else result

    def _rewrite(self, tool: BoundTool, summary: str) -> ToolResult:
        """Take a summary for the history, or tell what it lacks (R2.12)."""
        known = {other.name for other in self.ask.tools if other is not tool}
        why_not = refusal(summary, [call.name for call in self.calls if call.name in known])
        if not why_not:
            self._summary = summary
        return ToolResult(not why_not, why_not or "已改写。")


def _arguments(call: ToolCallPart) -> dict[str, Any] | None:
    """The arguments of a call; `None` where they are no JSON object, or too long to be meant."""
    arguments: object = call.args or {}
    if isinstance(arguments, str):
        try:
            arguments = clean_json(json.loads(arguments)) if len(arguments) <= _MAX_ARGUMENTS else None
        except (ValueError, RecursionError):
            return None
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else None


def _well_formed(call: ToolCallPart) -> ToolCallPart:
    """The call as it can be sent back: endpoints refuse a history with names or arguments they can't read."""
    name = _NOT_IN_A_NAME.sub("_", call.tool_name)[:_MAX_NAME] or "unknown"
    return replace(call, tool_name=name, args=_arguments(call) or {})


def _raw(call: ToolCallPart) -> str:
    return str(call.args)[:_MAX_SHOWN]
