"""The facts of one person: what they said, and what is about them (R7.3)."""

from sqlalchemy import bindparam, or_, select

from ..search.places import chunks
from ..storage.tables import LIVE_EDGE, edges
from .edges import COLUMNS, Edge, edge_of
from .kinds import EdgeKind
from .nodes import find, person_key
from .recall import Search
from .render import facts_of
from .results import Fact

NEWEST = 500
"""So many of a person's facts are told at once."""

_OWN = (
    select(*COLUMNS)
    .where(
        edges.c.place_id.in_(bindparam("place_ids", expanding=True)),
        edges.c.kind == EdgeKind.RELATES_TO.value,
        or_(
            edges.c.user_id == bindparam("user_id"),
            edges.c.subject_id == bindparam("node_id"),
            edges.c.object_id == bindparam("node_id"),
        ),
        LIVE_EDGE,
    )
    .order_by(edges.c.last_seen.desc(), edges.c.id.desc())
    .limit(NEWEST)
)


def own_facts(search: Search) -> tuple[Fact, ...]:
    """The facts by or about the viewer that they may see where they are, newest first."""
    viewer = search.viewer
    key = person_key(viewer.user_id)
    found = find(search.connection, viewer.character_id, [key])
    where = {"user_id": viewer.user_id, "node_id": found[key][0] if key in found else 0}
    own: list[Edge] = []
    for chunk in chunks(search.places):
        rows = search.connection.execute(_OWN, {**where, "place_ids": chunk})
        own.extend(edge for row in rows if search.seen(edge := edge_of(row)))
    own.sort(key=lambda edge: (edge.last_seen, edge.id), reverse=True)
    return tuple(facts_of(search, own[:NEWEST]))
