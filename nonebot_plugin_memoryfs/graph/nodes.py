"""Nodes: what makes two names one node (R2.2).

Keys: `character` (the AI), `user:{id}` (a person), `name:{folded}` (anything else with a name),
`task:{place}:{id}` and `state:{name}` (the task chain). A node has no spelling of its own: how a name
is written is kept on the edges, so that nobody sees the spelling of a place they may not look into.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection, Integer, Text, bindparam, select, update

from ..search.places import chunks
from ..storage.table_parameter import table_parameter
from ..storage.tables import nodes
from ..storage.upserts import insert_or_ignore
from ..text.folding import fold_name
from .kinds import Role

SPEAKER = "用户"
CHARACTER = "AI"
CHARACTER_KEY = "character"

_BY_KEY = select(nodes.c.key, nodes.c.id, nodes.c.roles).where(
    nodes.c.character_id == bindparam("character_id"),
    nodes.c.key.in_(bindparam("keys", expanding=True)),
)
_BY_ID = select(nodes.c.id, nodes.c.key, nodes.c.user_id).where(
    nodes.c.id.in_(bindparam("ids", expanding=True))
)
_ADD = insert_or_ignore(
    nodes,
    (nodes.c.key, nodes.c.id, nodes.c.roles),
    rows=table_parameter("made", character_id=Text(), key=Text(), user_id=Text(), roles=Integer()),
)
_ADD_ROLES = (
    update(nodes)
    .where(nodes.c.id == bindparam("node_id"))
    .values(roles=nodes.c.roles.op("|")(bindparam("more")))
)


@dataclass(frozen=True, slots=True)
class Node:
    """A node to be found or made, and how it is called now."""

    key: str
    name: str
    roles: Role
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class End:
    """A stored node as the end of an edge that is said now."""

    id: int
    name: str
    """As it is spelled now."""
    roles: Role


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node as it is stored."""

    id: int
    key: str
    user_id: str | None


def person_key(user_id: str) -> str:
    """The key of a person."""
    return f"user:{user_id}"


def name_key(name: str) -> str:
    """The key of anything else with a name."""
    return f"name:{fold_name(name)}"


def person(user_id: str, name: str | None = None) -> Node:
    """The node of a person, by their id; `name` is what they were called."""
    return Node(person_key(user_id), name or user_id, Role.ENTITY, user_id)


def character() -> Node:
    """The node of the character."""
    return Node(CHARACTER_KEY, CHARACTER, Role.AI)


def thing(name: str, roles: Role = Role.ENTITY) -> Node:
    """The node of anything else with a name."""
    return Node(name_key(name), name, roles)


def node_of(connection: Connection, node_id: int, name: str) -> Node:
    """A stored node, to be written of again; `name` is how it is called."""
    stored = by_id(connection, [node_id])[node_id]
    roles = Role.AI if stored.key == CHARACTER_KEY else Role.ENTITY
    return Node(stored.key, name, roles, stored.user_id)


def ensure(connection: Connection, character_id: str, wanted: Iterable[Node]) -> dict[str, End]:
    """Find or make nodes: key → the end they are, with the roles they have now."""
    by_key: dict[str, Node] = {}
    for node in wanted:
        held = by_key.get(node.key)
        by_key[node.key] = replace(node, roles=node.roles | held.roles) if held else node
    found = find(connection, character_id, by_key)
    missing = [node for key, node in by_key.items() if key not in found]
    if missing:
        found.update(_make(connection, character_id, missing))
    ends: dict[str, End] = {}
    for key, (node_id, roles) in found.items():
        more = by_key[key].roles & ~roles
        if more:
            connection.execute(_ADD_ROLES, {"node_id": node_id, "more": int(more)})
        ends[key] = End(node_id, by_key[key].name, roles | more)
    return ends


def _make(connection: Connection, character_id: str, missing: list[Node]) -> dict[str, tuple[int, Role]]:
    rows = [(character_id, node.key, node.user_id, int(node.roles)) for node in missing]
    made = connection.execute(_ADD.on(connection), {"made": rows})
    found = {row.key: (row.id, Role(row.roles)) for row in made}
    others = [node.key for node in missing if node.key not in found]  # another process was first
    return found | find(connection, character_id, others) if others else found


def find(connection: Connection, character_id: str, keys: Iterable[str]) -> dict[str, tuple[int, Role]]:
    """Those of these keys that have a node: key → id and roles."""
    found: dict[str, tuple[int, Role]] = {}
    for chunk in chunks(keys):
        rows = connection.execute(_BY_KEY, {"character_id": character_id, "keys": chunk})
        found.update((row.key, (row.id, Role(row.roles))) for row in rows)
    return found


def by_id(connection: Connection, ids: Iterable[int]) -> dict[int, StoredNode]:
    """These nodes."""
    found: dict[int, StoredNode] = {}
    for chunk in chunks(ids):
        rows = connection.execute(_BY_ID, {"ids": chunk})
        found.update((row.id, StoredNode(row.id, row.key, row.user_id)) for row in rows)
    return found
