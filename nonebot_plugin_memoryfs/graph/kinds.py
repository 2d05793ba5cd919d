"""What nodes and edges can be, which edges join which nodes, and the states of a task, as data."""

from collections.abc import Mapping
from enum import IntFlag, StrEnum


class Role(IntFlag):
    """What a node is; it may be several things at once (R2.1)."""

    ENTITY = 1
    """Anything that has a name: `EntityNode`."""
    PERSONA = 2
    """A trait of the character: `PersonaNode`."""
    TASK = 4
    """An explicit task: `TaskNode` (turn rows are task nodes as well, R2.14)."""
    STATE = 8
    """A state of a task: `StateNode`."""
    INFO = 16
    """Something a task keeps at hand: `InfoNode`; counts as an entity too."""
    AI = 32
    """The character itself."""


class EdgeKind(StrEnum):
    """What an edge is; free relations such as 喜欢 are `RELATES_TO` with that label (R2.1)."""

    HAS_PERSONA = "HAS_PERSONA"
    NEXT_TASK = "NEXT_TASK"
    HAS_STATE = "HAS_STATE"
    CONTAINS_INFO = "CONTAINS_INFO"
    RELATES_TO = "RELATES_TO"


_ANYTHING = Role.ENTITY | Role.INFO | Role.PERSONA | Role.AI

END_POINTS: Mapping[EdgeKind, tuple[Role, Role]] = {
    EdgeKind.HAS_PERSONA: (Role.AI, Role.PERSONA),
    EdgeKind.NEXT_TASK: (Role.TASK, Role.TASK),
    EdgeKind.HAS_STATE: (Role.TASK, Role.STATE),
    EdgeKind.CONTAINS_INFO: (Role.TASK, Role.INFO),
    EdgeKind.RELATES_TO: (_ANYTHING, _ANYTHING),
}
"""Kind → what its subject and its object must be: one of these roles at least."""


def ends_fit(kind: EdgeKind, subject: Role, object: Role) -> bool:
    """Whether an edge of this kind may join nodes with these roles."""
    from_roles, to_roles = END_POINTS[kind]
    return bool(from_roles & subject) and bool(to_roles & object)


class TaskState(StrEnum):
    """Where a task stands (R2.11)."""

    ACTIVE = "进行中"
    PAUSED = "已暂停"
    DONE = "已完成"
    CANCELLED = "已取消"


TRANSITIONS: Mapping[TaskState, frozenset[TaskState]] = {
    TaskState.ACTIVE: frozenset({TaskState.PAUSED, TaskState.DONE, TaskState.CANCELLED}),
    TaskState.PAUSED: frozenset({TaskState.ACTIVE, TaskState.DONE, TaskState.CANCELLED}),
    TaskState.DONE: frozenset({TaskState.ACTIVE}),
    TaskState.CANCELLED: frozenset({TaskState.ACTIVE}),
}
"""State → the states a task may go to from there; nothing else is allowed."""
