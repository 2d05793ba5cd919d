"""The traits of a character: its live `HAS_PERSONA` edges, in three layers (R2.7).

Each layer is a place of its own, so that none ends or outlives what another says: the card's, what holds
everywhere, and what holds in one conversation. A later one goes before an earlier one.
"""

from sqlalchemy import Connection, bindparam, select

from ..search.places import places_of
from ..storage.tables import PERSONA_EDGE, edges, nodes
from ..text.folding import fold_name
from .edges import COLUMNS, Edge, edge_of, strongest
from .nodes import CHARACTER_KEY

CARD = " "
"""The conversation of what the card says: no scope can have a blank one (`scope.check_scope`)."""

EVERY_CONVERSATION = ""
"""The conversation of what somebody set for all of them."""

_TRAITS = 60

_OF_CHARACTER = (
    select(*COLUMNS)
    .join(nodes, nodes.c.id == edges.c.subject_id)
    .where(
        nodes.c.character_id == bindparam("character_id"),
        nodes.c.key == CHARACTER_KEY,
        edges.c.place_id == bindparam("place_id"),
        PERSONA_EDGE,
    )
    .order_by(edges.c.id)
    .limit(_TRAITS)
)


def traits_of(connection: Connection, character_id: str, place_id: int) -> list[Edge]:
    """The live traits of one place, at most sixty."""
    where = {"character_id": character_id, "place_id": place_id}
    return [edge_of(row) for row in connection.execute(_OF_CHARACTER, where)]


def persona_in(connection: Connection, character_id: str, conversation_id: str) -> list[Edge]:
    """The traits that hold in a conversation: its own, then those of everywhere, then the card's."""
    layers = (CARD, EVERY_CONVERSATION, conversation_id)
    known = places_of(connection, character_id, set(layers))
    holds: dict[int, Edge] = {}
    for place_id in sorted(known, key=lambda p: layers.index(known[p])):
        own: dict[int, list[Edge]] = {}
        for edge in traits_of(connection, character_id, place_id):
            own.setdefault(edge.relation_id, []).append(edge)
        for relation_id, rivals in own.items():
            best = strongest(rivals)
            if not (best.inferred and relation_id in holds):
                holds[relation_id] = best
    return list(holds.values())


def labels_in(connection: Connection, character_id: str, conversation_id: str) -> frozenset[str]:
    """The folded names of the traits that hold in a conversation."""
    traits = persona_in(connection, character_id, conversation_id)
    return frozenset(fold_name(edge.relation) for edge in traits)
