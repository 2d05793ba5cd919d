"""What no longer holds: corrections close facts, they don't delete them (R2.5)."""

from sqlalchemy import bindparam, select

from ..scope import Scope
from ..search.places import known_place
from ..storage.tables import CLOSED_EDGE, edges
from ..text.folding import fold_name
from .edges import COLUMNS, edge_of
from .nodes import find, resolve
from .recall import Search
from .relations import canonical, find_relations
from .render import facts_of
from .results import Fact

_READ = 200

_CLOSED = (
    select(*COLUMNS)
    .where(
        edges.c.subject_id == bindparam("subject_id"),
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
    rows = connection.execute(_CLOSED, {"subject_id": found[node.key][0]})
    closed = [edge for row in rows if search.seen(edge := edge_of(row))]
    if relation is not None:
        key = fold_name(canonical(relation, search.single_valued))
        wanted = find_relations(connection, scope.character_id, [key]).get(key)
        closed = [edge for edge in closed if edge.relation_id == wanted]
    return tuple(facts_of(search, closed[:limit]))
