"""The edges of explicit tasks: the state they are in, and what they keep at hand (R2.1)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from ..scope import Scope
from ..search import index
from ..search.index import Kind
from ..search.places import place_of
from ..text.folding import fold_name
from .edges import Sighting, close, live_of_relation, see
from .kinds import EdgeKind, Role, TaskState
from .nodes import End, Node, ensure
from .relations import ensure_relations
from .who import resolve


def add_task_node(connection: Connection, scope: Scope, task_id: str) -> int:
    """Make the node of a task of the scope's chain, to be found by its id; returns the node's id."""
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    node = Node(f"task:{place_id}:{task_id}", task_id, Role.TASK)
    end = ensure(connection, scope.character_id, [node])[node.key]
    index.put(connection, place_id, [(Kind.NODE, end.id, task_id)])
    return end.id


def put_state(connection: Connection, scope: Scope, task: End, state: TaskState, at: datetime) -> None:
    """Let a task be in this state, and in no other."""
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    before = live_of_relation(
        connection, task.id, _relation(connection, scope, EdgeKind.HAS_STATE), [place_id]
    )
    node = Node(f"state:{state.value}", state.value, Role.STATE)
    now = _join(connection, scope, place_id, task, EdgeKind.HAS_STATE, [node], at)
    close(connection, (e for e in before if e.id not in now), at, superseded_by=now[0])


def hold_infos(connection: Connection, scope: Scope, task: End, names: Sequence[str], at: datetime) -> None:
    """Tie a task to what it keeps at hand; an entity gets the InfoNode role by it."""
    if not names:
        return
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    who = resolve(connection, scope, place_id, names)
    infos = [replace(node, roles=node.roles | Role.INFO) for node in who.values()]
    _join(connection, scope, place_id, task, EdgeKind.CONTAINS_INFO, infos, at)
    ends = ensure(connection, scope.character_id, infos)
    index.put(connection, place_id, ((Kind.NODE, ends[n.key].id, n.user_id or n.name) for n in infos))


def _join(
    connection: Connection,
    scope: Scope,
    place_id: int,
    task: End,
    kind: EdgeKind,
    objects: Sequence[Node],
    at: datetime,
) -> list[int]:
    relation_id = _relation(connection, scope, kind)
    sightings = [
        Sighting(task, kind, relation_id, kind.value, end, False, scope.user_id, at)
        for end in ensure(connection, scope.character_id, objects).values()
    ]
    return [edge_id for edge_id, _ in see(connection, place_id, sightings).values()]


def _relation(connection: Connection, scope: Scope, kind: EdgeKind) -> int:
    return ensure_relations(connection, scope.character_id, [kind.value])[fold_name(kind.value)]
