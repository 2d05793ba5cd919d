"""What no longer holds: corrections close facts, they don't delete them (R2.5)."""

from sqlalchemy import bindparam, select

from ..scope import Scope
from ..search.places import chunks, known_place
from ..storage.tables import CLOSED_EDGE, edges
from ..text.folding import fold_name
from .edges import COLUMNS, Edge, edge_of
from .nodes import find
from .recall import Search
from .relations import canonical, find_relations
from .render import facts_of
from .results import Fact
from .who import resolve

_READ = 200

_CLOSED = (
    select(*COLUMNS)
    .where(
        edges.c.subject_id == bindparam("subject_id"),
        edges.c.place_id.in_(bindparam("place_ids", expanding=True)),
        edges.c.purged.is_(False),
        CLOSED_EDGE,
    )
    .order_by(edges.c.valid_to.desc(), edges.c.id.desc())
    .limit(_READ)
)


def history(search: Search, scope: Scope, subject: str, relation: str | None, limit: int) -> tuple[Fact, ...]:
    """The closed facts of a subject that the viewer may see, newest first."""
    connection = search.connection
    place_id = known_place(connection, scope.character_id, scope.conversation_id)
    node = resolve(connection, scope, place_id or 0, [subject])[subject]
    found = find(connection, scope.character_id, [node.key])
    if node.key not in found:
        return ()
    statement, where = _CLOSED, {"subject_id": found[node.key][0]}
    if relation is not None:
        key = fold_name(canonical(relation, search.single_valued))
        statement = statement.where(edges.c.relation_id == bindparam("relation_id"))
        where["relation_id"] = find_relations(connection, scope.character_id, [key]).get(key, 0)
    closed: list[Edge] = []
    for chunk in chunks(search.places):
        rows = connection.execute(statement, {**where, "place_ids": chunk})
        closed.extend(edge for row in rows if search.seen(edge := edge_of(row)))
    closed.sort(key=lambda edge: (edge.valid_to, edge.id), reverse=True)
    return tuple(facts_of(search, closed[:limit]))
