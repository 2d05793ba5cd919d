"""What the character is like, as `HAS_PERSONA` edges: everywhere, or in one conversation (R2.7)."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from ..errors import InvalidInput
from ..scope import Scope
from ..search.places import place_of, places_of
from ..storage.tables import PERSONA_EDGE, edges
from ..text.folding import fold_name
from ..text.sentences import shorten
from .commit import Said, write_triplets
from .edges import COLUMNS, Edge, close, edge_of, strongest
from .nodes import CHARACTER, CHARACTER_KEY, find
from .triplets import NAME_LIMIT, OBJECT_LIMIT, Triplet, tidy

EVERYWHERE = ""
"""The conversation of what holds in all of them."""

SYSTEM = ""
"""Who said what a card or an operator set."""

_TRAITS = 60

_OF_CHARACTER = (
    select(*COLUMNS)
    .where(
        edges.c.subject_id == bindparam("subject_id"),
        edges.c.place_id == bindparam("place_id"),
        PERSONA_EDGE,
    )
    .order_by(edges.c.id)
    .limit(_TRAITS)
)


def write_persona(
    connection: Connection,
    character_id: str,
    attributes: Mapping[str, str],
    conversation_id: str | None,
    at: datetime,
) -> None:
    """Make these the character's traits, everywhere or in one conversation; former ones end.

    Raises:
        InvalidInput: a trait has no name, no value, or too long a name.
    """
    place_id = place_of(connection, character_id, conversation_id or EVERYWHERE)
    before = traits_of(connection, character_id, place_id)
    kept: set[int] = set()
    if attributes:
        scope = Scope(character_id, conversation_id or EVERYWHERE, SYSTEM, False)
        triplets = [_trait(name, value) for name, value in attributes.items()]
        names = frozenset(fold_name(triplet.relation) for triplet in triplets)
        said = Said(scope=scope, at=at)
        kept.update(write_triplets(connection, place_id, said, triplets, names, persona=True).ids)
    close(connection, (edge for edge in before if edge.id not in kept), at)


def _trait(name: str, value: str) -> Triplet:
    name, value = tidy(name), tidy(value)
    if not name or not value or len(name) > NAME_LIMIT:
        raise InvalidInput(f"人设需要名称（最多 {NAME_LIMIT} 字）和内容，收到的是 {name!r}：{value!r}")
    return Triplet(CHARACTER, name, shorten(value, OBJECT_LIMIT), inferred=False)


def traits_of(connection: Connection, character_id: str, place_id: int) -> list[Edge]:
    """The live traits of one place, at most sixty."""
    found = find(connection, character_id, [CHARACTER_KEY])
    if CHARACTER_KEY not in found:
        return []
    where = {"subject_id": found[CHARACTER_KEY][0], "place_id": place_id}
    return [edge_of(row) for row in connection.execute(_OF_CHARACTER, where)]


def persona_in(connection: Connection, character_id: str, conversation_id: str) -> list[Edge]:
    """The traits that hold in a conversation: its own before those of everywhere."""
    known = places_of(connection, character_id, {EVERYWHERE, conversation_id})
    holds: dict[int, Edge] = {}
    for place_id in sorted(known, key=lambda p: known[p] != EVERYWHERE):
        own: dict[int, list[Edge]] = {}
        for edge in traits_of(connection, character_id, place_id):
            own.setdefault(edge.relation_id, []).append(edge)
        for relation_id, rivals in own.items():
            best = strongest(rivals)
            if not (best.inferred and relation_id in holds):
                holds[relation_id] = best
    return list(holds.values())
