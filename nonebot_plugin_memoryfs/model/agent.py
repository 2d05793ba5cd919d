"""The agent loop: one question, tools one after another, one answer, and our own log of each request.

The one module that imports pydantic-ai.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, PromptedOutput, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from . import offline
from .kinds import (
    Answer,
    Ask,
    BoundTool,
    Brief,
    ChatModel,
    ModelRequestLog,
    Question,
    Reply,
    ToolCall,
    ToolResult,
)

logger = logging.getLogger("nonebot_plugin_memoryfs")

_MAX_REQUESTS = 9
"""Rounds of tools per turn (8, R2.13) and the answer after them."""
_MAX_CALLS = 24
_REPAIRS = 1
"""Tries to repair an answer that does not have the shape asked for (R4.9)."""

T = TypeVar("T")


def offline_model() -> ChatModel:
    """The offline model behind the same agent as any other."""
    return AgentModel("离线模型", _offline, _by_rules)


Build = Callable[[Brief, Sequence[ToolCall]], Model]
"""Makes the library's model for one turn: from what was recalled, and the calls as they are carried out."""

BuildFor = Callable[[Question[Any]], Model]
"""Makes the library's model for one question outside a turn."""


@dataclass(frozen=True)
class AgentModel:
    """A chat model that runs the agent loop over a library model built for each turn or question."""

    name: str
    build: Build
    build_for: BuildFor

    async def answer(self, ask: Ask) -> Answer:
        """Run the loop for one turn; whatever goes wrong, the calls made and requests sent are told."""
        run = _Run()
        model = _Logged(self.build(ask.brief, run.calls), run.requests)
        agent = Agent(model, instructions=ask.system, tools=[run.tool(tool) for tool in ask.tools])
        limits = UsageLimits(request_limit=_MAX_REQUESTS, tool_calls_limit=_MAX_CALLS)
        try:
            result = await agent.run(ask.user, usage_limits=limits)
        except Exception as error:
            logger.exception("%s没有给出回答", self.name)
            return run.answer(failure=f"{type(error).__name__}：{error}")
        tokens = result.usage
        return run.answer(result.output, tokens.input_tokens, tokens.output_tokens)

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Ask for an answer of a fixed shape; whatever goes wrong is told."""
        shape = question.shape if question.shape is str else PromptedOutput(question.shape)
        agent = Agent(
            self.build_for(question), instructions=question.system, output_type=shape, retries=_REPAIRS
        )
        try:
            result = await agent.run(question.user)
        except Exception as error:
            logger.exception("%s没有给出回答", self.name)
            return Reply(value=None, failure=f"{type(error).__name__}：{error}")
        tokens = result.usage
        return Reply(
            value=result.output, input_tokens=tokens.input_tokens, output_tokens=tokens.output_tokens
        )


@dataclass
class _Run:
    """What one run asked and did."""

    requests: list[ModelRequestLog] = field(default_factory=list[ModelRequestLog])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])

    def answer(
        self, text: str = "", input_tokens: int = 0, output_tokens: int = 0, *, failure: str = ""
    ) -> Answer:
        return Answer(
            text=text,
            calls=tuple(self.calls),
            requests=tuple(self.requests),
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            failure=failure,
        )

    def tool(self, bound: BoundTool) -> Tool[object]:
        async def call(**arguments: Any) -> str:
            started = time.perf_counter()
            try:
                result = await bound.call(arguments)
            except Exception:
                logger.exception("工具 %s 出错", bound.name)
                result = ToolResult(False, f"未执行：{bound.name} 出错了，先不用它。")
            spent = _milliseconds_since(started)
            self.calls.append(
                ToolCall(
                    name=bound.name,
                    arguments=arguments,
                    ok=result.ok,
                    result=result.text,
                    milliseconds=spent,
                )
            )
            return result.text

        schema = dict(bound.parameters)
        return Tool.from_schema(call, bound.name, bound.description, schema, sequential=True)


class _Logged(WrapperModel):
    """Keeps the text of each request: the trace must show what really stood in it (R4.3)."""

    def __init__(self, wrapped: Model, log: list[ModelRequestLog]) -> None:
        super().__init__(wrapped)
        self._log = log

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        started = time.perf_counter()
        response = await super().request(messages, model_settings, model_request_parameters)
        spent = _milliseconds_since(started)
        self._log.append(ModelRequestLog(text=_text_of(messages), milliseconds=spent))
        return response


def _text_of(messages: list[ModelMessage]) -> str:
    """Instructions and contents of the messages, in order."""
    pieces: list[str] = []
    for message in messages:
        if isinstance(message, ModelRequest) and message.instructions not in (None, *pieces):
            pieces.append(message.instructions)
        pieces += [_content(part) for part in message.parts]
    return "\n\n".join(piece for piece in pieces if piece)


def _content(part: object) -> str:
    match part:
        case UserPromptPart(content=content) | TextPart(content=content):
            return str(content)
        case ToolReturnPart(content=content) | RetryFeedbackPart(content=content):
            return str(content)
        case ToolCallPart():
            return f"{part.tool_name}({part.args_as_json_str()})"
        case _:
            return ""


def _offline(brief: Brief, calls: Sequence[ToolCall]) -> Model:
    """A model of rules for one turn: first the facts it must keep, then the reply."""

    def respond(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        triplets = offline.triplets(brief)
        offered = {tool.name for tool in info.function_tools}
        if triplets and not calls and offline.COMMIT in offered:
            return ModelResponse([ToolCallPart(offline.COMMIT, {"triplets": triplets})])
        stored = bool(calls) and all(call.ok for call in calls)
        return ModelResponse([TextPart(offline.reply(brief, stored=stored))])

    return FunctionModel(respond, model_name="offline")


def _by_rules(question: Question[Any]) -> Model:
    """A model that answers one question with what the asker's rules say."""

    def respond(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        answer = question.by_rules()
        text = answer.model_dump_json() if isinstance(answer, BaseModel) else str(answer)
        return ModelResponse([TextPart(text)])

    return FunctionModel(respond, model_name="offline")


def _milliseconds_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
