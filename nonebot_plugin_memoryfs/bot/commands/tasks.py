"""`/任务`: what this conversation is busy with (R7.3, R2.11)."""

from ...concurrency import in_thread
from ...graph.kinds import TaskState
from ...text.sentences import gist
from .table import EVERYONE, Action, Asked, Command

_LINE = 160


async def _view(asked: Asked) -> str:
    tasks = await in_thread(asked.app.rooms.graph.tasks, asked.scope)
    if not tasks:
        return "这里还没有任务。聊到要做的事、玩到一半的游戏，会自己记成任务。"
    counted = "，".join(
        f"{state.value} {count}"
        for state in TaskState
        if (count := sum(task.state == state.value for task in tasks))
    )
    lines = [f"· [{task.state}] {task.task_id}：{gist(task.description, _LINE)}" for task in tasks]
    return "\n".join([f"这里的任务（{counted}）：", *lines])


TASKS = Command(
    name="任务",
    aliases=("tasks", "task"),
    title="任务：这个会话里正在做、先放着和最近做完的事。要开始、暂停或做完，直接跟我说就行。",
    bare=_view,
    actions=(Action(name="查看", aliases=("list", "view"), help="列出这里的任务", may=EVERYONE, run=_view),),
)
"""The command."""
