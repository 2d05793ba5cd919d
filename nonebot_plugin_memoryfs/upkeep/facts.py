"""Erasing a person, or a conversation, from the graph: facts, and the names nothing holds any more (R7.4).

A fact is about a person when it is from or to their node, or from or to a name that is theirs alone in the
conversation it was said in. A fact that others said as well is theirs, and stays as they said it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Executable,
    and_,
    bindparam,
    delete,
    not_,
    or_,
    select,
    union,
    update,
)

from ..graph.edges import COLUMNS, Edge, edge_of
from ..graph.kinds import EdgeKind
from ..graph.nodes import CHARACTER_KEY, name_key
from ..search import index
from ..search.index import Kind
from ..search.places import chunks
from ..storage.tables import aliases, documents, edge_turns, edges, nodes, places, relations, tasks, turns
from .person import Person, Whose
from .words import Words, usable_names

_SAID_AGAIN = (
    update(edges)
    .where(edges.c.id == bindparam("of_edge"))
    .values({name: bindparam(f"new_{name}") for name in ("user_id", "sightings", "first_seen", "last_seen")})
)
_UNTIE = (
    update(edges)
    .where(edges.c.superseded_by.in_(bindparam("ids", expanding=True)))
    .values(superseded_by=None)
)
_DROP = delete(edges).where(edges.c.id.in_(bindparam("ids", expanding=True)))
_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_NODES_AT = union(
    select(edges.c.place_id, edges.c.subject_id).where(edges.c.subject_id.in_(_IDS)),
    select(edges.c.place_id, edges.c.object_id).where(edges.c.object_id.in_(_IDS)),
    select(aliases.c.place_id, aliases.c.node_id).where(aliases.c.node_id.in_(_IDS)),
)
_RELATIONS_AT = select(edges.c.place_id, edges.c.relation_id).where(edges.c.relation_id.in_(_IDS)).distinct()
_IN_USE = union(select(nodes.c.id).where(nodes.c.key.startswith("state:")), select(tasks.c.node_id))
_DOCUMENTS = select(documents.c.place_id, documents.c.ref).where(
    documents.c.kind == bindparam("kind"), documents.c.ref.in_(bindparam("refs", expanding=True))
)


@dataclass(frozen=True, slots=True)
class Gone:
    """Facts that were erased, and what they held."""

    edges: Sequence[Edge]
    nodes: frozenset[int]
    relations: frozenset[int]
    people: frozenset[int]
    """The nodes that are somebody."""

    @property
    def things(self) -> Iterator[str]:
        """What they said of somebody or something, but for the people it was said of."""
        said = (edge for edge in self.edges if edge.kind == EdgeKind.RELATES_TO.value)
        return (edge.object for edge in said if edge.object_id not in self.people)

    def __add__(self, other: "Gone") -> "Gone":
        held = self.nodes | other.nodes, self.relations | other.relations, self.people | other.people
        return Gone((*self.edges, *other.edges), *held)


def names_of(connection: Connection, person: Person) -> dict[str, frozenset[str]]:
    """Conversation they were seen in → the names that are theirs alone there, folded."""
    query = (
        select(places.c.conversation_id, aliases.c.key, nodes.c.user_id)
        .join(places, places.c.id == aliases.c.place_id)
        .join(nodes, nodes.c.id == aliases.c.node_id)
        .where(places.c.conversation_id.in_(person.groups))
    )
    theirs: dict[str, set[str]] = {conversation: set() for conversation in person.groups}
    others: dict[str, set[str]] = {}
    for conversation_id, key, user_id in connection.execute(query):
        held = theirs if user_id == person.user_id else others
        held.setdefault(conversation_id, set()).update(usable_names([key]))
    return {where: frozenset(names - others.get(where, set())) for where, names in theirs.items()}


def erase_facts(connection: Connection, person: Person, names: Mapping[str, frozenset[str]]) -> Gone:
    """Delete the facts that are from or about a person."""
    _leave_to_others(connection, person)
    own_tasks = select(tasks.c.node_id).where(
        or_(tasks.c.user_id == person.user_id, tasks.c.conversation_id.in_(person.conversations))
    )
    found = or_(person.edges, edges.c.subject_id.in_(own_tasks), *_about_names(names))
    gone = [edge_of(row) for row in connection.execute(select(*COLUMNS).where(found))]
    own_nodes = select(nodes.c.id).where(or_(nodes.c.id.in_(person.nodes), nodes.c.id.in_(own_tasks)))
    return drop_facts(connection, gone, connection.scalars(own_nodes).all())


def erase_facts_of(connection: Connection, whose: Whose) -> Gone:
    """Delete the facts of conversations, whoever they are from or about."""
    gone = [edge_of(row) for row in connection.execute(select(*COLUMNS).where(whose.edges))]
    chats = tasks.c.conversation_id.in_(whose.conversations)
    held = union(
        select(aliases.c.node_id).where(aliases.c.place_id.in_(whose.places)),
        select(documents.c.ref).where(
            documents.c.place_id.in_(whose.places), documents.c.kind == int(Kind.NODE)
        ),
        select(tasks.c.node_id).where(chats),
    )
    return drop_facts(connection, gone, connection.scalars(held).all())


def erase_repeated_facts(connection: Connection, words: Words, reach: frozenset[str]) -> Gone:
    """Delete the facts of turns of others that repeat these words, and what tasks there keep at hand.

    What others typed in themselves, as a correction or an import, is of no turn and stays.
    """
    there = edges.c.place_id.in_(select(places.c.id).where(places.c.conversation_id.in_(reach)))
    said = and_(edges.c.kind == EdgeKind.RELATES_TO.value, edges.c.id.in_(select(edge_turns.c.edge_id)))
    at_hand = edges.c.kind == EdgeKind.CONTAINS_INFO.value
    people = _people(connection)

    def repeats(edge: Edge) -> bool:
        ends = ((edge.subject_id, edge.subject), (edge.object_id, edge.object))
        texts = (edge.relation, *(text for node_id, text in ends if node_id not in people))
        return any(map(words.repeated, texts))

    rows = connection.execute(select(*COLUMNS).where(there, or_(said, at_hand)))
    return drop_facts(connection, [edge for row in rows if repeats(edge := edge_of(row))])


def erase_repeated_tasks(connection: Connection, whose: Whose, words: Words, reach: frozenset[str]) -> Gone:
    """Delete the tasks in conversations of others whose names are about it: the character named them."""
    query = select(tasks.c.id, tasks.c.conversation_id, tasks.c.task_id, tasks.c.node_id).where(
        tasks.c.conversation_id.in_(reach), not_(whose.by(tasks.c.user_id))
    )
    found = [row for row in connection.execute(query) if words.about(row.conversation_id, row.task_id)]
    gone: list[Edge] = []
    for some in chunks(found):
        ends = [row.node_id for row in some]
        held = or_(edges.c.subject_id.in_(ends), edges.c.object_id.in_(ends))
        gone += [edge_of(row) for row in connection.execute(select(*COLUMNS).where(held))]
        connection.execute(delete(tasks).where(tasks.c.id.in_([row.id for row in some])))
    return drop_facts(connection, gone, (row.node_id for row in found))


def drop_facts(connection: Connection, gone: Sequence[Edge], also: Iterable[int] = ()) -> Gone:
    """Delete facts; what held them is left to `erase_names`."""
    for some in chunks(edge.id for edge in gone):
        connection.execute(_UNTIE, {"ids": some})
        connection.execute(_DROP, {"ids": some})
    ends = (node_id for edge in gone for node_id in (edge.subject_id, edge.object_id))
    relation_ids = frozenset(edge.relation_id for edge in gone)
    return Gone(gone, frozenset((*ends, *also)), relation_ids, _people(connection))


def erase_names(connection: Connection, gone: Gone) -> None:
    """Forget nodes and labels that nothing holds any more, and where nothing holds them any more."""
    held_at = _where(connection, _NODES_AT, gone.nodes)
    in_use = {*held_at, *connection.scalars(_IN_USE)}
    _forget_documents(connection, Kind.NODE, gone.nodes, held_at, in_use)
    for some in chunks(gone.nodes - in_use):
        connection.execute(delete(nodes).where(nodes.c.id.in_(some), nodes.c.key != CHARACTER_KEY))
    labels = _where(connection, _RELATIONS_AT, gone.relations)
    _forget_documents(connection, Kind.RELATION, gone.relations, labels, ())
    for some in chunks(gone.relations - labels.keys()):
        connection.execute(delete(relations).where(relations.c.id.in_(some)))


def _people(connection: Connection) -> frozenset[int]:
    """The nodes that are somebody: an id is nobody's words."""
    return frozenset(connection.scalars(select(nodes.c.id).where(nodes.c.user_id.is_not(None))))


def _where(connection: Connection, query: Executable, ids: Iterable[int]) -> dict[int, set[int]]:
    """Id → the places where something still holds it."""
    held_at: dict[int, set[int]] = {}
    for some in chunks(ids):
        for place_id, held in connection.execute(query, {"ids": some}):
            held_at.setdefault(held, set()).add(place_id)
    return held_at


def _leave_to_others(connection: Connection, person: Person) -> None:
    """Of facts they said last, those that somebody else said too are that person's."""
    query = (
        select(edges.c.id, turns.c.user_id, turns.c.opened_at)
        .join(edge_turns, edge_turns.c.edge_id == edges.c.id)
        .join(turns, turns.c.id == edge_turns.c.turn_id)
        .where(
            edges.c.user_id == person.user_id,
            edges.c.subject_id.not_in(person.nodes),
            edges.c.object_id.not_in(person.nodes),
            edges.c.place_id.not_in(person.places),
            turns.c.user_id != person.user_id,
        )
        .order_by(turns.c.opened_at, turns.c.id)
    )
    said: dict[int, list[tuple[str, object]]] = {}
    for edge_id, user_id, at in connection.execute(query):
        said.setdefault(edge_id, []).append((user_id, at))
    for edge_id, times in said.items():
        row = {
            "of_edge": edge_id,
            "new_user_id": times[-1][0],
            "new_sightings": len(times),
            "new_first_seen": times[0][1],
            "new_last_seen": times[-1][1],
        }
        connection.execute(_SAID_AGAIN, row)


def _about_names(names: Mapping[str, frozenset[str]]) -> Iterable[ColumnElement[bool]]:
    """Conditions for the facts from or to a name that is theirs alone where it was said."""
    for conversation_id, theirs in names.items():
        if theirs:
            here = select(places.c.id).where(places.c.conversation_id == conversation_id)
            called = select(nodes.c.id).where(nodes.c.key.in_([name_key(name) for name in theirs]))
            yield edges.c.place_id.in_(here) & (
                edges.c.subject_id.in_(called) | edges.c.object_id.in_(called)
            )


def _forget_documents(
    connection: Connection,
    kind: Kind,
    refs: Iterable[int],
    held_at: Mapping[int, set[int]],
    in_use: Iterable[int],
) -> None:
    """Take names out of the index of places where nothing holds them."""
    kept = frozenset(in_use) - held_at.keys()
    for some in chunks(refs):
        rows = connection.execute(_DOCUMENTS, {"kind": int(kind), "refs": some}).all()
        for place_id, ref in rows:
            if ref not in kept and place_id not in held_at.get(ref, ()):
                index.remove(connection, kind, place_id, [ref])
