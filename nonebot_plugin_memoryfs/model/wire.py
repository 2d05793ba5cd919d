"""The way of one turn's requests to the model: each is logged, counted, and tried again (R4.3, R4.6)."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from . import tokens
from .kinds import ModelRequestLog
from .patience import FEW, NONE, ModelFailure, Tries
from .reply_text import without_reasoning

Explain = Callable[[Exception], ModelFailure]
"""What an error of the library means."""


class Wire(WrapperModel):
    """A library model whose requests are those of one turn or question."""

    def __init__(self, wrapped: Model, *, tries: Tries, explain: Explain, timeout: float) -> None:
        """Start without a request.

        Args:
            wrapped: the model.
            tries: how often to try.
            explain: what an error of the model means.
            timeout: seconds one request may take.
        """
        super().__init__(wrapped)
        self.requests: list[ModelRequestLog] = []
        self.may_be_silent = False
        """Whether an answer without text or calls will do."""
        self._tries = tries
        self._explain = explain
        self._timeout = timeout

    @property
    def input_tokens(self) -> int:
        """Tokens of all requests."""
        return sum(request.input_tokens for request in self.requests)

    @property
    def output_tokens(self) -> int:
        """Tokens of all answers."""
        return sum(request.output_tokens for request in self.requests)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One request, tried again while there is hope.

        Raises:
            ModelFailure: no usable answer came.
        """
        once = partial(self._once, messages, model_settings, model_request_parameters)
        return await self._tries.run(once)

    async def _once(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
        seconds: float,
    ) -> ModelResponse:
        text, started = _text_of(messages), time.perf_counter()
        raw: ModelResponse | None = None
        failure: ModelFailure | None = None
        try:
            async with asyncio.timeout(min(self._timeout, seconds)):
                raw = await super().request(messages, settings, parameters)
        except Exception as error:
            failure = self._explain(error)
        response = raw and _without_reasoning(raw)
        if response and not (response.tool_calls or response.text or self.may_be_silent):
            failure = _silence(raw)
        sent = text + "".join(map(_schema_of, parameters.function_tools))
        self.requests.append(_log(text, sent, started, raw, failure))
        if failure is not None:
            raise failure  # not from the error: its frames hold the key
        assert response is not None
        return response


def _silence(response: ModelResponse | None) -> ModelFailure:
    """Why there is nothing to say; what would end the same way is not tried again."""
    match response and response.finish_reason:
        case "length":
            limit = "MEMORYFS__MODEL_SETTINGS 里的 max_tokens 太小，或提示词太长"
            return ModelFailure(f"还没说出回答就到了长度上限：{limit}", NONE)
        case "content_filter":
            return ModelFailure("被模型服务的内容审查拦下了", NONE)
        case _:
            return ModelFailure("回答是空的", FEW)


def _log(
    text: str, sent: str, started: float, response: ModelResponse | None, failure: ModelFailure | None
) -> ModelRequestLog:
    spent = round((time.perf_counter() - started) * 1000, 3)
    if response is None:
        return ModelRequestLog(text=text, milliseconds=spent, failure=str(failure))
    written = "\n".join(map(_content, response.parts))
    return ModelRequestLog(
        text=text,
        milliseconds=spent,
        input_tokens=tokens.input_tokens(response.usage.input_tokens, sent),
        output_tokens=tokens.output_tokens(response.usage.output_tokens, written),
        failure=str(failure or ""),
    )


def _without_reasoning(response: ModelResponse) -> ModelResponse:
    """The response without what the library took for text but is thinking aloud."""
    parts = [
        replace(part, content=without_reasoning(part.content)) if isinstance(part, TextPart) else part
        for part in response.parts
    ]
    return replace(response, parts=[p for p in parts if not isinstance(p, TextPart) or p.content.strip()])


def _text_of(messages: list[ModelMessage]) -> str:
    """Instructions and contents of the messages, in order."""
    pieces: list[str] = []
    for message in messages:
        if isinstance(message, ModelRequest) and message.instructions not in (None, *pieces):
            pieces.append(message.instructions)
        pieces += map(_content, message.parts)
    return "\n\n".join(piece for piece in pieces if piece)


def _content(part: object) -> str:
    match part:
        case UserPromptPart(content=content) | TextPart(content=content) | ThinkingPart(content=content):
            return str(content)
        case ToolReturnPart(content=content) | RetryFeedbackPart(content=content):
            return str(content)
        case ToolCallPart():
            return f"{part.tool_name}({part.args_as_json_str()})"
        case _:
            return ""


def _schema_of(tool: ToolDefinition) -> str:
    return json.dumps([tool.name, tool.description, tool.parameters_json_schema], ensure_ascii=False)
