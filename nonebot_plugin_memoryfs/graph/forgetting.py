"""Forgetting facts for good: their rows and names, and the turns that said them (R1.19, R7.3).

Unlike a purge it can't be undone, and it reaches every conversation the person said the fact in.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, delete, or_, select

from ..search import index
from ..search.index import Kind
from ..search.places import chunks, known_place
from ..storage.tables import LIVE_EDGE, edge_turns, edges, lines, turns
from .edges import COLUMNS, Edge, edge_of
from .kinds import EdgeKind
from .nodes import find, person_key
from .withdrawal import forget_names

_IS_FACT = edges.c.kind == EdgeKind.RELATES_TO.value
_IS_OWN: ColumnElement[bool] = or_(
    edges.c.user_id == bindparam("user_id"),
    edges.c.subject_id == bindparam("node_id"),
    edges.c.object_id == bindparam("node_id"),
)
_BY_ID = select(*COLUMNS).where(edges.c.id.in_(bindparam("ids", expanding=True)), _IS_FACT, _IS_OWN)
_SAME = select(*COLUMNS).where(
    edges.c.subject_id == bindparam("subject_id"),
    edges.c.relation_id == bindparam("relation_id"),
    edges.c.object_id == bindparam("object_id"),
    _IS_FACT,
    _IS_OWN,
)
_LEFT = select(edges.c.object).where(_IS_FACT, _IS_OWN, LIVE_EDGE)
_ENDED_BY = select(*COLUMNS).where(edges.c.superseded_by.in_(bindparam("ids", expanding=True)), _IS_FACT)
_SAID_IN = (
    select(edge_turns.c.turn_id)
    .join(turns, turns.c.id == edge_turns.c.turn_id)
    .where(
        edge_turns.c.edge_id.in_(bindparam("ids", expanding=True)), turns.c.user_id == bindparam("user_id")
    )
)
_OF_TURNS = (
    select(*COLUMNS)
    .join(edge_turns, edge_turns.c.edge_id == edges.c.id)
    .where(edge_turns.c.turn_id.in_(bindparam("turn_ids", expanding=True)), _IS_FACT, _IS_OWN)
)
_DROP = delete(edges).where(edges.c.id.in_(bindparam("ids", expanding=True)))
_DROP_LINKS = delete(edge_turns).where(edge_turns.c.turn_id.in_(bindparam("turn_ids", expanding=True)))
_DROP_LINES = delete(lines).where(lines.c.id.in_(bindparam("ids", expanding=True)))
_DROP_TURNS = delete(turns).where(turns.c.id.in_(bindparam("turn_ids", expanding=True)))


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose facts are forgotten: a person before a character."""

    connection: Connection
    """A write."""
    character_id: str
    user_id: str

    @property
    def where(self) -> dict[str, object]:
        """What the statements above need to know of them."""
        key = person_key(self.user_id)
        found = find(self.connection, self.character_id, [key])
        return {"user_id": self.user_id, "node_id": found[key][0] if key in found else 0}


def facts_by_id(owner: Owner, ids: Collection[int]) -> list[Edge]:
    """Those of these facts that the person said or that are about them."""
    rows = owner.connection.execute(_BY_ID, {**owner.where, "ids": list(ids)})
    return [edge_of(row) for row in rows]


def facts_said_in(owner: Owner, turn_ids: Iterable[int]) -> list[Edge]:
    """The person's facts that were said in these turns."""
    found: dict[int, Edge] = {}
    for chunk in chunks(turn_ids):
        rows = owner.connection.execute(_OF_TURNS, {**owner.where, "turn_ids": chunk})
        found.update((edge.id, edge) for edge in map(edge_of, rows))
    return list(found.values())


def forget_facts(owner: Owner, facts: Iterable[Edge]) -> tuple[list[Edge], frozenset[int]]:
    """Delete facts wherever the person said them, with what they had taken the place of.

    Returns:
        All facts that went, and the person's turns in which they were said.
    """
    connection = owner.connection
    gone: dict[int, Edge] = {}
    new = {edge.id: edge for fact in facts for edge in _same(owner, fact)}
    while new:
        gone |= new
        rows = connection.execute(_ENDED_BY, {"ids": list(new)})
        new = {edge.id: edge for edge in map(edge_of, rows) if edge.id not in gone}
    said_in: set[int] = set()
    for chunk in chunks(gone):
        said_in.update(connection.scalars(_SAID_IN, {"ids": chunk, "user_id": owner.user_id}))
    for chunk in chunks(gone):
        connection.execute(_DROP, {"ids": chunk})
    forget_names(
        connection, {(e.place_id, node) for e in gone.values() for node in (e.subject_id, e.object_id)}
    )
    return list(gone.values()), frozenset(said_in)


def objects_left(owner: Owner) -> frozenset[str]:
    """The objects of the person's facts that hold."""
    return frozenset(owner.connection.scalars(_LEFT, owner.where))


def forget_lines(owner: Owner, conversation_id: str, line_ids: Collection[int]) -> None:
    """Delete lines of a conversation, from the index too."""
    place_id = known_place(owner.connection, owner.character_id, conversation_id)
    if line_ids and place_id is not None:
        index.remove(owner.connection, Kind.LINE, place_id, list(line_ids))
        owner.connection.execute(_DROP_LINES, {"ids": list(line_ids)})


def forget_turns(owner: Owner, turn_ids: Collection[int]) -> None:
    """Delete turns with their traces; their lines are gone from the index already."""
    if turn_ids:
        owner.connection.execute(_DROP_LINKS, {"turn_ids": list(turn_ids)})
        owner.connection.execute(_DROP_TURNS, {"turn_ids": list(turn_ids)})


def _same(owner: Owner, fact: Edge) -> list[Edge]:
    names = ("subject_id", "relation_id", "object_id")
    where = {**owner.where, **{name: getattr(fact, name) for name in names}}
    return [edge_of(row) for row in owner.connection.execute(_SAME, where)]
