"""Explicit tasks: made, resumed, paused, ended; at most one of a chain is in progress (R2.11)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from ..scope import Scope
from ..storage.tables import tasks, turns
from ..text.sentences import gist
from .kinds import TRANSITIONS, Role, TaskState
from .nodes import End
from .render import as_data
from .results import TaskResult
from .task_edges import add_task_node, hold_infos, put_state
from .triplets import NAME_LIMIT, OBJECT_LIMIT, tidy

STATES = "、".join(state.value for state in TaskState)
_TURN_ID = re.compile(r"Task_([1-9][0-9]*)")
_LARGEST_TURN = 2**31 - 1
_SUGGESTED = 6
_STATE_SHOWN = 40

_CHAIN = (
    tasks.c.character_id == bindparam("character_id"),
    tasks.c.conversation_id == bindparam("conversation_id"),
)
_ONE = select(tasks).where(*_CHAIN, tasks.c.task_id == bindparam("task_id"))
_IN_STATE = (
    select(tasks)
    .where(*_CHAIN, tasks.c.state == bindparam("state"))
    .order_by(tasks.c.updated_at.desc(), tasks.c.id.desc())
    .limit(bindparam("newest"))
)
_ADD = insert(tasks)
_CHANGE = (
    update(tasks)
    .where(tasks.c.id == bindparam("row_id"))
    .values(state=bindparam("new_state"), description=bindparam("told"), updated_at=bindparam("now"))
)
_TURN = select(turns.c.state).where(
    turns.c.id == bindparam("turn_id"),
    turns.c.character_id == bindparam("character_id"),
    turns.c.conversation_id == bindparam("conversation_id"),
)
_GIST = update(turns).where(turns.c.id == bindparam("turn_id_")).values(gist=bindparam("told"))
_BELONGS = update(turns).where(turns.c.id == bindparam("turn_id_")).values(task_id=bindparam("row_id"))


@dataclass(frozen=True, slots=True)
class Task:
    """A row of `tasks`."""

    id: int
    task_id: str
    description: str
    state: TaskState
    node_id: int
    updated_at: datetime

    @property
    def end(self) -> End:
        """The task as the end of an edge."""
        return End(self.node_id, self.task_id, Role.TASK)


def turn_task_id(turn_id: int) -> str:
    """The task id of a turn (R2.14)."""
    return f"Task_{turn_id}"


def create_task(
    connection: Connection,
    scope: Scope,
    task_id: str,
    description: str,
    info_nodes: Iterable[str],
    at: datetime,
    turn_id: int | None,
) -> TaskResult:
    """Make a task and start it; an id that is there already is updated and resumed."""
    task_id, description = tidy(task_id), tidy(description)
    names = list(dict.fromkeys(name for node in info_nodes if (name := tidy(node))))
    wrong = _wrong(task_id, description, names)
    if wrong:
        return refused(task_id, wrong)
    if (own := _own_turn(connection, scope, task_id, turn_id)) is not None:
        connection.execute(_GIST, {"turn_id_": own, "told": description})
        return TaskResult(ok=True, text=as_data(f"已记下本轮概述（{task_id}）。"), task_id=task_id)
    held = task_named(connection, scope, task_id)
    if held is None and (reason := _not_a_task(connection, scope, task_id, turn_id)):
        return refused(task_id, reason)
    paused = _pause_others(connection, scope, held, at)
    if held is None:
        held = _add(connection, scope, task_id, description, at)
    else:
        _change(connection, scope, held, TaskState.ACTIVE, description, at)
    hold_infos(connection, scope, held.end, names, at)
    _join(connection, turn_id, held)
    return TaskResult(
        ok=True,
        text=as_data(f"任务 {task_id} 进行中。{_told_paused(paused)}"),
        task_id=task_id,
        state=TaskState.ACTIVE.value,
        paused=paused,
    )


def set_state(
    connection: Connection,
    scope: Scope,
    task_id: str,
    state: str,
    at: datetime,
    turn_id: int | None,
) -> TaskResult:
    """Move a task to another state, as far as R2.11 allows."""
    task_id = tidy(task_id)
    held = task_named(connection, scope, task_id)
    if held is None:
        return refused(task_id, f"没有任务 {gist(task_id, NAME_LIMIT)!r}，{_known(connection, scope)}")
    wanted = next((known for known in TaskState if known.value == tidy(state)), None)
    if wanted is None:
        return refused(task_id, f"没有状态 {gist(state, _STATE_SHOWN)!r}，可用：{STATES}", held.state.value)
    if wanted not in TRANSITIONS[held.state]:
        allowed = "、".join(s.value for s in TaskState if s in TRANSITIONS[held.state])
        reason = f"{task_id} 现在是{held.state.value}，只能改为：{allowed}"
        return refused(task_id, reason, held.state.value)
    paused: tuple[str, ...] = ()
    if wanted is TaskState.ACTIVE:
        paused = _pause_others(connection, scope, held, at)
    _change(connection, scope, held, wanted, held.description, at)
    if wanted is not TaskState.PAUSED:
        _join(connection, turn_id, held)
    return TaskResult(
        ok=True,
        text=as_data(f"任务 {task_id} {wanted.value}。{_told_paused(paused)}"),
        task_id=task_id,
        state=wanted.value,
        paused=paused,
    )


def task_named(connection: Connection, scope: Scope, task_id: str) -> Task | None:
    """The task of exactly this id in the scope's chain."""
    row = connection.execute(_ONE, {**_chain(scope), "task_id": task_id}).one_or_none()
    return _task(row) if row else None


def tasks_in(connection: Connection, scope: Scope, state: TaskState, newest: int) -> list[Task]:
    """The newest tasks of the scope's chain in a state, newest first."""
    where = {**_chain(scope), "state": state.value, "newest": newest}
    return [_task(row) for row in connection.execute(_IN_STATE, where)]


def _wrong(task_id: str, description: str, names: Sequence[str]) -> str:
    if not task_id or len(task_id) > NAME_LIMIT:
        return f"task_id 需要 1 到 {NAME_LIMIT} 字"
    if not description or len(description) > OBJECT_LIMIT:
        return f"description 需要 1 到 {OBJECT_LIMIT} 字"
    if len(names) > 20 or any(len(name) > NAME_LIMIT for name in names):
        return f"info_nodes 最多 20 个名字，每个最多 {NAME_LIMIT} 字"
    return ""


def refused(task_id: str, reason: str, state: str = "") -> TaskResult:
    """Why nothing was done to a task."""
    return TaskResult(ok=False, text=as_data(f"未执行：{reason}。"), task_id=task_id, state=state)


def _own_turn(connection: Connection, scope: Scope, task_id: str, turn_id: int | None) -> int | None:
    """The turn whose id this is, if it is the one that is under way (for a library: any open one)."""
    state = _turn_state(connection, scope, task_id)
    if state is None or (turn_id is None and state != "open"):
        return None
    number = int(task_id.removeprefix("Task_"))
    return number if turn_id in (None, number) else None


def _not_a_task(connection: Connection, scope: Scope, task_id: str, turn_id: int | None) -> str:
    """Why no task may be made under this id, or nothing: it is, or may become, that of a turn."""
    if turn_id is not None and _TURN_ID.fullmatch(task_id):
        return f"{task_id} 不是本轮的编号，本轮是 {turn_task_id(turn_id)}"
    if _turn_state(connection, scope, task_id) is not None:
        return f"{task_id} 是已经结束的一轮，不能再改"
    return ""


def _turn_state(connection: Connection, scope: Scope, task_id: str) -> str | None:
    """The state of the turn of this chain whose id this is."""
    number = _TURN_ID.fullmatch(task_id)
    where = {**_chain(scope), "turn_id": min(int(number[1]), _LARGEST_TURN) if number else 0}
    return connection.execute(_TURN, where).scalar()


def _pause_others(connection: Connection, scope: Scope, but: Task | None, at: datetime) -> tuple[str, ...]:
    others = [
        task for task in tasks_in(connection, scope, TaskState.ACTIVE, 10) if but is None or task.id != but.id
    ]
    for task in others:
        _change(connection, scope, task, TaskState.PAUSED, task.description, at)
    return tuple(task.task_id for task in others)


def _add(connection: Connection, scope: Scope, task_id: str, description: str, at: datetime) -> Task:
    node_id = add_task_node(connection, scope, task_id)
    row = {
        **_chain(scope),
        "user_id": scope.user_id,
        "task_id": task_id,
        "description": description,
        "state": TaskState.ACTIVE.value,
        "node_id": node_id,
        "created_at": at,
        "updated_at": at,
    }
    key = connection.execute(_ADD, row).inserted_primary_key
    assert key is not None
    task = Task(key[0], task_id, description, TaskState.ACTIVE, node_id, at)
    put_state(connection, scope, task.end, TaskState.ACTIVE, at)
    return task


def _change(
    connection: Connection,
    scope: Scope,
    task: Task,
    state: TaskState,
    description: str,
    at: datetime,
) -> None:
    connection.execute(
        _CHANGE,
        {"row_id": task.id, "new_state": state.value, "told": description, "now": at},
    )
    if state is not task.state:
        put_state(connection, scope, task.end, state, at)


def _join(connection: Connection, turn_id: int | None, task: Task) -> None:
    """A turn belongs to at most one task: the last it made, resumed or ended."""
    if turn_id is not None:
        connection.execute(_BELONGS, {"turn_id_": turn_id, "row_id": task.id})


def _known(connection: Connection, scope: Scope) -> str:
    ids = [task.task_id for state in TaskState for task in tasks_in(connection, scope, state, _SUGGESTED)]
    return f"现有任务：{'、'.join(ids[:_SUGGESTED])}" if ids else "现在没有任务"


def _told_paused(paused: Sequence[str]) -> str:
    return f"已暂停：{'、'.join(paused)}。" if paused else ""


def _chain(scope: Scope) -> dict[str, str]:
    return {"character_id": scope.character_id, "conversation_id": scope.conversation_id}


def _task(row: Row[Any]) -> Task:
    return Task(row.id, row.task_id, row.description, TaskState(row.state), row.node_id, row.updated_at)
