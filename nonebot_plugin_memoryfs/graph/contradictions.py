"""Statements and their negations about the same object: of 喜欢 and 不喜欢, the newer holds (R2.5).

Exactly the same subject and object, and only by the word of whoever said the other, or of the person
it is about: nothing else is ever retired by a contradiction.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from sqlalchemy import Connection, and_, bindparam, select

from ..search.places import chunks
from ..storage.tables import edges
from ..text.folding import fold_name
from ..text.opposites import contraries
from .edges import COLUMNS, Edge, Sighting, close, edge_of, recency, strongest
from .kinds import EdgeKind
from .nodes import by_id
from .recall import Search
from .relations import find_relations

Pair = tuple[int, int]
"""Subject and object."""

_given = edges.alias("given")
_ABOUT = (
    select(*COLUMNS)
    .join(_given, and_(_given.c.subject_id == edges.c.subject_id, _given.c.object_id == edges.c.object_id))
    .where(
        _given.c.id.in_(bindparam("edge_ids", expanding=True)),
        edges.c.relation_id.in_(bindparam("relation_ids", expanding=True)),
        edges.c.place_id.in_(bindparam("place_ids", expanding=True)),
        edges.c.valid_to.is_(None),
    )
)


def settle_contraries(
    connection: Connection,
    character_id: str,
    place_id: int,
    said: Iterable[tuple[Sighting, int, str | None]],
    now: Mapping[int, int],
) -> list[Edge]:
    """Let the newer of a statement and its negation hold in a place; returns what was closed.

    Args:
        connection: a write.
        character_id: whose graph it is.
        place_id: where they were said.
        said: what was written just now, with the id of its edge and the user id of whom it is about.
        now: which of those edges are said this moment, as in `strongest`.
    """
    free = [(s, edge_id, about) for s, edge_id, about in said if s.kind is EdgeKind.RELATES_TO]
    known = _contrary_ids(connection, character_id, {s.relation for s, _, _ in free})
    firm = [told for told in free if fold_name(told[0].relation) in known]
    labels = {s.relation_id for s, _, _ in firm}.union(*known.values())
    held = _about(connection, [edge_id for _, edge_id, _ in firm], labels, [place_id])
    closed: dict[int, Edge] = {}
    for sighting, _, about in firm:
        others = known[fold_name(sighting.relation)]
        rivals = held.get((sighting.subject.id, sighting.object.id), ())
        for older, newer in _ended(rivals, sighting.relation_id, others, about, now):
            close(connection, [older], newer.last_seen, superseded_by=newer.id)
            closed[older.id] = older
    return list(closed.values())


def _ended(
    held: Sequence[Edge],
    relation_id: int,
    contrary_ids: Collection[int],
    about: str | None,
    now: Mapping[int, int],
) -> Iterator[tuple[Edge, Edge]]:
    """Of a statement and its contraries, those that no longer hold, each with what ended it."""
    for edge in (e for e in held if e.relation_id == relation_id):
        for rival in (e for e in held if e.relation_id in contrary_ids):
            newer = strongest((edge, rival), now)
            older = rival if newer is edge else edge
            in_time = not newer.inferred and recency(older, now) <= recency(newer, now)
            if in_time and _may_end(newer, older, about):
                yield older, newer


def holding(search: Search, found: Sequence[Edge], enough: int) -> list[Edge]:
    """The facts without those whose negation the viewer sees as newer; the first `enough` are looked at.

    Args:
        search: for whom and where.
        found: facts, best first.
        enough: so many that hold are looked for; those behind them stay as they are.
    """
    known = _contrary_ids(search.connection, search.viewer.character_id, {e.relation for e in found})
    if not known:
        return list(found)
    kept: list[Edge] = []
    for start in range(0, len(found), enough):
        if len(kept) >= enough:
            return [*kept, *found[start:]]
        kept += _undenied(search, found[start : start + enough], known)
    return kept


def _undenied(search: Search, some: Sequence[Edge], known: Mapping[str, Collection[int]]) -> list[Edge]:
    """Those of these facts that no newer contrary denies, as far as the viewer may see."""
    firm = [e for e in some if e.kind == EdgeKind.RELATES_TO and fold_name(e.relation) in known]
    labels = set[int]().union(*known.values())
    held = _about(search.connection, [edge.id for edge in firm], labels, search.places)
    people = by_id(search.connection, {subject_id for subject_id, _ in held})
    denied: set[int] = set()
    for edge in firm:
        others = known[fold_name(edge.relation)]
        about = people[edge.subject_id].user_id if edge.subject_id in people else None
        for rival in held.get((edge.subject_id, edge.object_id), ()):
            newer = rival.relation_id in others and strongest((edge, rival)) is rival
            if newer and search.seen(rival) and _may_end(rival, edge, about):
                denied.add(edge.id)
    return [edge for edge in some if edge.id not in denied]


def _may_end(newer: Edge, older: Edge, about: str | None) -> bool:
    return newer.user_id in (older.user_id, about)


def _contrary_ids(
    connection: Connection, character_id: str, relations: Iterable[str]
) -> Mapping[str, Sequence[int]]:
    """Of these labels, folded, those whose contraries are in use, with the ids of those."""
    against = {key: found for relation in relations if (found := contraries(key := fold_name(relation)))}
    ids = find_relations(connection, character_id, {label for found in against.values() for label in found})
    known = {key: [ids[label] for label in sorted(found) if label in ids] for key, found in against.items()}
    return {key: found for key, found in known.items() if found}


def _about(
    connection: Connection, edge_ids: Sequence[int], relation_ids: Collection[int], place_ids: Iterable[int]
) -> dict[Pair, list[Edge]]:
    """What these labels say in these places of the subjects and objects of some edges."""
    found: dict[Pair, dict[int, Edge]] = {}
    for places, some in product(chunks(place_ids), chunks(edge_ids)):
        where = {"edge_ids": some, "relation_ids": relation_ids, "place_ids": places}
        for row in connection.execute(_ABOUT, where):
            edge = edge_of(row)
            found.setdefault((edge.subject_id, edge.object_id), {})[edge.id] = edge
    return {pair: list(held.values()) for pair, held in found.items()}
