"""`/任务`: what this conversation is busy with, and what is to become of it (R7.3, R2.11)."""

from ...concurrency import in_thread
from ...errors import InvalidInput
from ...graph.kinds import TaskState
from ...text.folding import fold_name
from ...text.sentences import gist
from .table import EVERYONE, Action, Asked, Command, Handler

_LINE = 160
_PREFIX = "Task_"
"""Begins most names that models give; people leave it out."""


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


def _move(state: TaskState) -> Handler:
    """Moves the task that is named to a state, as far as that is allowed from where it is."""

    async def move(asked: Asked) -> str:
        if await asked.app.keeps_nothing_of(asked.scope.user_id):
            return "现在停着记，没有改；先用 /记忆 继续。"
        graph = asked.app.rooms.graph
        result = await in_thread(graph.task_set_state, asked.scope, asked.words, state.value)
        if not result.state and (task_id := await _alike(asked)):  # there is none of this very name
            result = await in_thread(graph.task_set_state, asked.scope, task_id, state.value)
        return result.text.replace("未执行：", "没有做：")

    return move


async def _alike(asked: Asked) -> str:
    """The id of the one task of this conversation that is called nearly so; blank where none is.

    Raises:
        InvalidInput: several are.
    """
    ids = [task.task_id for task in await in_thread(asked.app.rooms.graph.tasks, asked.scope)]
    for form in (fold_name, _bare):
        found = [task_id for task_id in ids if form(task_id) == form(asked.words)]
        if len(found) > 1:
            raise InvalidInput(f"差不多的名字有几个，请照原样写：{'、'.join(found)}")
        if found:
            return found[0]
    return ""


def _bare(name: str) -> str:
    return fold_name(name).removeprefix(fold_name(_PREFIX))


def _action(name: str, alias: str, state: TaskState, help: str) -> Action:
    return Action(
        name=name,
        aliases=(alias,),
        takes="名字",
        help=help,
        example="接龙",
        may=EVERYONE,
        run=_move(state),
    )


TASKS = Command(
    name="任务",
    aliases=("tasks", "task"),
    title="任务：这个会话里正在做、先放着和最近做完的事。直接跟我说也行，或者写任务的名字。",
    bare=_view,
    actions=(
        Action(name="查看", aliases=("list", "view"), help="列出这里的任务", may=EVERYONE, run=_view),
        _action("继续", "resume", TaskState.ACTIVE, "接着做，做完的也能再开；正在做的那件先放着"),
        _action("暂停", "pause", TaskState.PAUSED, "先放着"),
        _action("完成", "done", TaskState.DONE, "做完了"),
        _action("取消", "cancel", TaskState.CANCELLED, "不做了"),
    ),
)
"""The command."""
