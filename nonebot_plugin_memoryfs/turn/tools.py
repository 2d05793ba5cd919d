"""The tools of the registry, bound to one turn: its scope, its speaker, its words (R2.8–R2.12)."""

from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError

from ..concurrency import in_thread
from ..graph import Answer as ToolAnswer
from ..graph import MemoryGraph
from ..graph.tools import TOOLS, CommitArguments, RewriteArguments, Tool
from ..model import BoundTool, ToolResult
from .values import Turn


class TurnTools:
    """What a model may call in a turn, as the card allows (R3.8), and which objects it committed so."""

    def __init__(self, graph: MemoryGraph, turn: Turn) -> None:
        self.committed: list[str] = []
        """Objects of the triplets that were committed, for the "must write" check (R4.5)."""
        self._graph = graph
        self._turn = turn
        allowed = turn.recalled.card.tools if turn.recalled else None
        self.bound = tuple(
            BoundTool(
                name=tool.name,
                description=tool.description,
                parameters=tool.schema,
                call=partial(self._call, tool),
                rewrites=tool.arguments is RewriteArguments,
            )
            for tool in TOOLS
            if allowed is None or tool.name in allowed
        )

    async def _call(self, tool: Tool, arguments: dict[str, Any]) -> ToolResult:
        """Carry a call out in a thread; arguments that don't fit are answered, never raised (R2.13)."""
        try:
            checked = tool.arguments.model_validate(arguments)
        except ValidationError as error:
            return ToolResult(False, _complaint(tool, error))
        if isinstance(checked, RewriteArguments):
            return ToolResult(True, checked.summary)
        if not self._turn.kept and tool.name != "memory_recall":
            return ToolResult(False, "未执行：对方说了停记，现在什么都不记。")
        if tool.name == "memory_recall":
            return await in_thread(self._carry_out, tool, checked.model_dump())
        return await in_thread(self._write, tool, checked)

    def _write(self, tool: Tool, checked: BaseModel) -> ToolResult:
        """Carry a call out, unless the turn was taken back, or anything erased, while the model thought."""
        with self._graph.while_open(self._turn.turn_id) as is_open:
            if not is_open:
                return ToolResult(False, "未执行：这条消息已经撤回，或刚清空过记忆，不能再记。")
            if not isinstance(checked, CommitArguments):
                return self._carry_out(tool, checked.model_dump())
            result = self._commit(checked)
        if result.ok:  # and stored: what a full disk took is for the host to commit
            self.committed += [triplet.object for triplet in checked.triplets]
        return ToolResult(result.ok, result.text)

    def _commit(self, arguments: CommitArguments) -> ToolAnswer:
        incoming = self._turn.incoming
        return self._graph.memory_commit(
            incoming.scope,
            [triplet.model_dump() for triplet in arguments.triplets],
            speaker_name=incoming.speaker,
            turn_id=self._turn.turn_id,
            said=incoming.text,
            may_set_persona=incoming.scope.private or incoming.administers,
        )

    def _carry_out(self, tool: Tool, arguments: dict[str, Any]) -> ToolResult:
        result = self._result_of(tool, arguments)
        return ToolResult(result.ok, result.text)

    def _result_of(self, tool: Tool, arguments: dict[str, Any]) -> ToolAnswer:
        scope, turn_id = self._turn.incoming.scope, self._turn.turn_id
        match tool.name:
            case "memory_recall":
                return self._graph.memory_recall(scope, **arguments)
            case "memory_purge":
                return self._graph.memory_purge(scope, **arguments, turn_id=turn_id)
            case "task_create":
                return self._graph.task_create(scope, **arguments, turn_id=turn_id)
            case "task_set_state":
                return self._graph.task_set_state(scope, **arguments, turn_id=turn_id)
            case name:
                raise ValueError(f"tool {name!r} of the registry is not bound to a turn")


def _complaint(tool: Tool, error: ValidationError) -> str:
    """What was wrong with the arguments, so that the model can call again."""
    problems = "；".join(
        f"{'.'.join(map(str, problem['loc'])) or '参数'}：{problem['msg']}" for problem in error.errors()
    )
    return f"未执行：{tool.name} 的参数不对：{problems}。"
