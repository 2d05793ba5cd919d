"""The agent loop: one question, tools one after another, one answer (R2.12, R2.13, R4.14).

The loop is ours and the requests are the library's: see `docs/architecture.md`, where the plan was changed.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, PromptedOutput, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from . import offline
from .endpoint import DEFAULT_TIMEOUT
from .kinds import Answer, Ask, Brief, ChatModel, Question, Reply, ToolCall
from .patience import NONE, Health, ModelFailure, Patience, Tries
from .run import Run
from .wire import Explain, Wire

logger = logging.getLogger("nonebot_plugin_memoryfs")

_REPAIRS = 1
"""Tries to repair an answer that does not have the shape asked for (R4.9)."""

T = TypeVar("T")

Build = Callable[[Brief, Sequence[ToolCall]], Model]
"""Makes the library's model for one turn: from what was recalled, and the calls as they are carried out."""

BuildFor = Callable[[Question[Any]], Model]
"""Makes the library's model for one question outside a turn."""


def _plainly(error: Exception) -> ModelFailure:
    """A failure of a model that runs here: no network to wait for, so a fault to be mended."""
    logger.error("模型出错", exc_info=error)
    return ModelFailure(f"{type(error).__name__}：{error}", NONE)


@dataclass(frozen=True)
class AgentModel:
    """A chat model that runs the agent loop over a library model built for each turn or question."""

    name: str
    build: Build
    build_for: BuildFor
    explain: Explain = _plainly
    """What an error of the library's model means."""
    health: Health = field(default_factory=Health)
    patience: Patience = field(default_factory=Patience)
    timeout: float = DEFAULT_TIMEOUT
    """Seconds one request may take."""

    async def answer(self, ask: Ask) -> Answer:
        """Run the loop for one turn; whatever goes wrong, the calls made and requests sent are told."""
        run = Run(ask)
        wire = self._wire(self.build(ask.brief, run.calls))
        text = failure = ""
        try:
            text = await run.talk(wire)
        except Exception as error:
            failure = self._failure_of(error)
            logger.warning("%s没有给出回答：%s", self.name, failure)
        return Answer(
            text=text,
            calls=tuple(run.calls),
            requests=tuple(wire.requests),
            input_tokens=wire.input_tokens,
            output_tokens=wire.output_tokens,
            failure=failure,
        )

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Ask for an answer of a fixed shape; a failure is told, not logged: that is the asker's (R5.7)."""
        wire = self._wire(self.build_for(question))
        shape = question.shape if question.shape is str else PromptedOutput(question.shape)
        agent = Agent(wire, instructions=question.system, output_type=shape, retries=_REPAIRS)
        value, failure = None, ""
        try:
            value = (await agent.run(question.user)).output
        except Exception as error:
            failure = self._failure_of(error)
        return Reply(
            value=value,
            input_tokens=wire.input_tokens,
            output_tokens=wire.output_tokens,
            failure=failure,
        )

    def _wire(self, model: Model) -> Wire:
        tries = Tries(self.patience, self.health)
        return Wire(model, tries=tries, explain=self.explain, timeout=self.timeout)

    def _failure_of(self, error: Exception) -> str:
        """The failure in one line, for the trace; a fault of this program is logged with its place."""
        if isinstance(error, ModelFailure):
            return str(error)
        if not isinstance(error, UnexpectedModelBehavior):
            logger.error("向%s提问时出错", self.name, exc_info=error)
        return f"{type(error).__name__}：{error}"


def offline_model() -> ChatModel:
    """The offline model behind the same agent as any other."""
    return AgentModel("离线模型", _offline, _by_rules)


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
