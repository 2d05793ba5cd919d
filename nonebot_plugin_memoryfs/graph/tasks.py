"""Explicit tasks: made, resumed, paused, ended; at most one of a chain is in progress (R2.11)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from ..scope import Scope
from ..search import index
from ..search.index import Kind
from ..search.places import place_of
from ..storage.tables import tasks, turns
from ..text.folding import fold_name
from .edges import Sighting, close, live_of_relation, see
from .kinds import TRANSITIONS, EdgeKind, Role, TaskState
from .nodes import Node, ensure, resolve
from .relations import ensure_relations
from .results import TaskResult
from .triplets import NAME_LIMIT, OBJECT_LIMIT, tidy

STATES = "、".join(state.value for state in TaskState)
_TURN_ID = re.compile(r"Task_(\d{1,18})")
_SUGGESTED = 6

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
_TURN = select(turns.c.id, turns.c.state).where(
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
        return _refused(task_id, wrong)
    held = task_named(connection, scope, task_id)
    if held is None and (own := _own_turn(connection, scope, task_id)):
        connection.execute(_GIST, {"turn_id_": own, "told": description})
        return TaskResult(ok=True, text=f"已记下本轮概述（{task_id}）。", task_id=task_id)
    if held is None and turn_id is not None and _TURN_ID.fullmatch(task_id):
        return _refused(task_id, f"{task_id} 不是本轮的编号，本轮是 {turn_task_id(turn_id)}")
    paused = _pause_others(connection, scope, held, at)
    if held is None:
        held = _add(connection, scope, task_id, description, at)
    else:
        _change(connection, scope, held, TaskState.ACTIVE, description, at)
    _hold_infos(connection, scope, held, names, at)
    _join(connection, turn_id, held)
    return TaskResult(
        ok=True,
        text=f"任务 {task_id} 进行中。{_told_paused(paused)}",
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
        return _refused(task_id, f"没有任务 {task_id!r}，{_known(connection, scope)}")
    wanted = next((known for known in TaskState if known.value == tidy(state)), None)
    if wanted is None:
        return _refused(task_id, f"没有状态 {state!r}，可用：{STATES}", held.state.value)
    if wanted not in TRANSITIONS[held.state]:
        allowed = "、".join(s.value for s in TaskState if s in TRANSITIONS[held.state])
        reason = f"{task_id} 现在是{held.state.value}，只能改为：{allowed}"
        return _refused(task_id, reason, held.state.value)
    paused: tuple[str, ...] = ()
    if wanted is TaskState.ACTIVE:
        paused = _pause_others(connection, scope, held, at)
    _change(connection, scope, held, wanted, held.description, at)
    if wanted is not TaskState.PAUSED:
        _join(connection, turn_id, held)
    return TaskResult(
        ok=True,
        text=f"任务 {task_id} {wanted.value}。{_told_paused(paused)}",
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


def _refused(task_id: str, reason: str, state: str = "") -> TaskResult:
    return TaskResult(
        ok=False, text=f"未执行：{reason}。".replace("。。", "。"), task_id=task_id, state=state
    )


def _own_turn(connection: Connection, scope: Scope, task_id: str) -> int | None:
    """The turn whose id this is, if it is one of this chain's."""
    number = _TURN_ID.fullmatch(task_id)
    if number is None:
        return None
    row = connection.execute(_TURN, {**_chain(scope), "turn_id": int(number[1])}).one_or_none()
    return row.id if row else None


def _pause_others(connection: Connection, scope: Scope, but: Task | None, at: datetime) -> tuple[str, ...]:
    others = [
        task for task in tasks_in(connection, scope, TaskState.ACTIVE, 10) if but is None or task.id != but.id
    ]
    for task in others:
        _change(connection, scope, task, TaskState.PAUSED, task.description, at)
    return tuple(task.task_id for task in others)


def _add(connection: Connection, scope: Scope, task_id: str, description: str, at: datetime) -> Task:
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    node = Node(f"task:{place_id}:{task_id}", task_id, Role.TASK)
    node_id, _ = ensure(connection, scope.character_id, [node])[node.key]
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
    index.put(connection, place_id, [(Kind.NODE, node_id, task_id)])
    _edge(connection, scope, place_id, task, EdgeKind.HAS_STATE, [_state(TaskState.ACTIVE)], at)
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
    if state is task.state:
        return
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    relation_id = _relation(connection, scope, EdgeKind.HAS_STATE)
    before = live_of_relation(connection, task.node_id, relation_id, [place_id])
    now = _edge(connection, scope, place_id, task, EdgeKind.HAS_STATE, [_state(state)], at)
    close(connection, (e for e in before if e.id not in now), at, superseded_by=now[0])


def _hold_infos(connection: Connection, scope: Scope, task: Task, names: Sequence[str], at: datetime) -> None:
    """Tie the task to what it keeps at hand; an entity gets the InfoNode role by it (R2.1)."""
    if not names:
        return
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    who = resolve(connection, scope, place_id, names)
    infos = [Node(node.key, node.name, node.roles | Role.INFO, node.user_id) for node in who.values()]
    _edge(connection, scope, place_id, task, EdgeKind.CONTAINS_INFO, infos, at)
    found = ensure(connection, scope.character_id, infos)
    index.put(connection, place_id, ((Kind.NODE, found[n.key][0], n.name) for n in infos))


def _edge(
    connection: Connection,
    scope: Scope,
    place_id: int,
    task: Task,
    kind: EdgeKind,
    objects: Sequence[Node],
    at: datetime,
) -> list[int]:
    relation_id = _relation(connection, scope, kind)
    found = ensure(connection, scope.character_id, objects)
    sightings = [
        Sighting(task.node_id, kind, relation_id, node_id, False, scope.user_id, at)
        for node_id, _ in found.values()
    ]
    return [edge_id for edge_id, _ in see(connection, place_id, sightings).values()]


def _relation(connection: Connection, scope: Scope, kind: EdgeKind) -> int:
    return ensure_relations(connection, scope.character_id, [kind.value])[fold_name(kind.value)]


def _state(state: TaskState) -> Node:
    return Node(f"state:{state.value}", state.value, Role.STATE)


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
