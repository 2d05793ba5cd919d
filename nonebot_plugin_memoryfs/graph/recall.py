"""Recall of facts: match, expand along live edges, keep what may be seen, rank, cut (R2.9).

The cost is bounded whatever the graph holds: so many nodes are followed, and of each so many of
its newest edges are read, off an index in that order.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from ..scope import Origin, Policy, Scope, Viewer, may_see, reachable
from ..search.places import places_of
from ..storage.presence import viewer_of
from ..text.folding import fold_name
from .edges import Edge, live_of_relation, strongest
from .kinds import EdgeKind
from .match import Matched, Pair, match
from .newest import OF_BOTH, OF_LABEL, OF_OBJECT, OF_SUBJECT, By, newest_edges

_FOLLOWED = 16
_NEWEST = 40
_LABELS = 6
_FURTHER = (12, 8)
"""Nodes followed, and edges read of each, on the second and third step."""
_ENOUGH = 60


@dataclass(slots=True)
class Recalled:
    """Edges found, and what is needed to rank them."""

    edges: dict[int, Edge] = field(default_factory=dict[int, Edge])
    step: dict[int, int] = field(default_factory=dict[int, int])
    degree: dict[int, int] = field(default_factory=dict[int, int])
    """Node → how many edges of it were read: many make a fact about it less telling."""


@dataclass(frozen=True, slots=True)
class Search:
    """One recall: for whom, where, and with which rules."""

    connection: Connection
    viewer: Viewer
    policy: Policy
    places: Mapping[int, str]
    """The places the viewer reaches."""
    single_valued: frozenset[str]
    """Folded labels that hold one value at a time (R2.5)."""

    def seen(self, edge: Edge) -> bool:
        """Whether the viewer may know an edge (R1.17); tasks and personas stay where they are."""
        conversation_id = self.places.get(edge.place_id)
        if conversation_id is None:
            return False
        if edge.kind == EdgeKind.HAS_STATE:
            return False  # the chain tells states
        if edge.kind != EdgeKind.RELATES_TO:
            return conversation_id == self.viewer.conversation_id
        origin = Origin(conversation_id, (edge.user_id,), edge.heard_at)
        return may_see(self.viewer, origin, self.policy)


def search_for(connection: Connection, scope: Scope, policy: Policy, single_valued: frozenset[str]) -> Search:
    """A recall for the scope's user in the scope's conversation."""
    viewer = viewer_of(connection, scope)
    places = places_of(connection, scope.character_id, reachable(viewer, policy))
    return Search(connection, viewer, policy, places, single_valued)


def recall(search: Search, query: str, depth: int) -> list[Edge]:
    """The edges that answer a query, best first; equal ones of several places as one."""
    matched = match(search.connection, search.viewer, search.places, query)
    found = Recalled()
    _collect(search, matched, found)
    for step in range(2, depth + 1):
        if len(found.edges) >= _ENOUGH:
            break
        _follow(search, matched, found, step)
    settled = _settled(search, found.edges.values())
    return _merged(_in_order(settled, matched, found))


def _collect(search: Search, matched: Matched, found: Recalled) -> None:
    """The first step: edges of matched nodes, of matched labels, and of both together."""
    followed = list(matched.nodes)[:_FOLLOWED]
    labels = list(matched.relations)[:_LABELS]
    both = [(place, node, label) for place, node in followed for other, label in labels if place == other]
    _take(search, found, 1, OF_BOTH, both, _NEWEST)
    _take_nodes(search, found, 1, followed, _NEWEST)
    _take(search, found, 1, OF_LABEL, labels, _NEWEST)


def _follow(search: Search, matched: Matched, found: Recalled, step: int) -> None:
    """A further step: edges of the nodes at the other ends, where they were found and here."""
    nodes, newest = _FURTHER
    best = _in_order(found.edges.values(), matched, found)[:nodes]
    here = [p for p, conversation in search.places.items() if conversation == search.viewer.conversation_id]
    pairs: dict[Pair, None] = {}
    for edge in best:
        for node_id in (edge.object_id, edge.subject_id):
            if node_id not in found.degree:
                pairs.update(dict.fromkeys((place, node_id) for place in (edge.place_id, *here)))
    _take_nodes(search, found, step, list(pairs)[: 2 * nodes], newest)


def _take_nodes(search: Search, found: Recalled, step: int, pairs: Sequence[Pair], newest: int) -> None:
    """Edges of nodes, on either side."""
    found.degree.update(dict.fromkeys((node_id for _, node_id in pairs), 0))
    for side in (OF_SUBJECT, OF_OBJECT):
        for position in _take(search, found, step, side, pairs, newest):
            found.degree[pairs[position][1]] += 1


def _take(
    search: Search, found: Recalled, step: int, by: By, wanted: Sequence[tuple[int, ...]], newest: int
) -> list[int]:
    """Keep those of the newest edges that may be seen; returns what each was read for."""
    read_for: list[int] = []
    for position, edge in newest_edges(search.connection, by, wanted, newest):
        read_for.append(position)
        if edge.id not in found.edges and search.seen(edge):
            found.edges[edge.id] = edge
            found.step[edge.id] = step
    return read_for


def _settled(search: Search, read: Iterable[Edge]) -> list[Edge]:
    """Of single-valued labels, only the value that holds among all the viewer may see (R2.5)."""
    read = list(read)
    labels = {edge.relation: fold_name(edge.relation) for edge in read}
    holds: dict[Pair, int] = {}
    kept: list[Edge] = []
    for edge in read:
        if labels[edge.relation] not in search.single_valued:
            kept.append(edge)
            continue
        key = (edge.subject_id, edge.relation_id)
        if key not in holds:
            rivals = live_of_relation(search.connection, *key, search.places)
            holds[key] = strongest(e for e in [*rivals, edge] if search.seen(e)).object_id
        if holds[key] == edge.object_id:
            kept.append(edge)
    return kept


def _in_order(read: Iterable[Edge], matched: Matched, found: Recalled) -> list[Edge]:
    """Nearest first; statements before inferences; then by match and rarity, age and sightings."""
    of_node = {
        (place_id, node_id): strength * (1 + 1 / math.log2(2 + found.degree.get(node_id, 0)))
        for (place_id, node_id), strength in matched.nodes.items()
    }

    def weight(edge: Edge) -> float:
        place_id = edge.place_id
        return (
            matched.relations.get((place_id, edge.relation_id), 0.0)
            + of_node.get((place_id, edge.subject_id), 0.0)
            + of_node.get((place_id, edge.object_id), 0.0)
        )

    return sorted(
        read,
        key=lambda edge: (
            found.step[edge.id],
            edge.inferred,
            -round(weight(edge), 3),
            -edge.last_seen.timestamp(),
            -edge.sightings,
            -edge.id,
        ),
    )


def _merged(ordered: Sequence[Edge]) -> list[Edge]:
    """Equal edges of several conversations as one: the best, with all sightings (R2.3)."""
    same: dict[tuple[int, int, int], list[Edge]] = {}
    for edge in ordered:
        same.setdefault((edge.subject_id, edge.relation_id, edge.object_id), []).append(edge)
    return [_one(group) for group in same.values()]


def _one(group: Sequence[Edge]) -> Edge:
    if len(group) == 1:
        return group[0]
    return strongest(group)._replace(
        sightings=sum(edge.sightings for edge in group),
        first_seen=min(edge.first_seen for edge in group),
    )


def spelled(search: Search, pairs: Iterable[Pair]) -> dict[Pair, str]:
    """Those of these nodes that have a live edge there which the viewer may see, as it spells them."""
    wanted = list(pairs)
    found: dict[Pair, tuple[datetime, str]] = {}
    for side, name in ((OF_SUBJECT, "subject"), (OF_OBJECT, "object")):
        for position, edge in newest_edges(search.connection, side, wanted, _ENOUGH):
            if search.seen(edge):
                spelling = (edge.last_seen, getattr(edge, name))
                found[wanted[position]] = max(found.get(wanted[position], spelling), spelling)
    return {pair: found[pair][1] for pair in wanted if pair in found}
