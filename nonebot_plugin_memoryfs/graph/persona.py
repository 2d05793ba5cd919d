"""Setting what the character is like: by its card, everywhere, or in one conversation (R2.7)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from ..errors import InvalidInput
from ..scope import Scope
from ..search.places import place_of
from ..text.folding import fold_name
from ..text.sentences import shorten
from .commit import Said, write_triplets
from .edges import close
from .nodes import CHARACTER
from .traits import CARD, EVERY_CONVERSATION, traits_of
from .triplets import NAME_LIMIT, OBJECT_LIMIT, Triplet, tidy

SYSTEM = ""
"""Who said what a card or an operator set."""


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
    place_id = place_of(connection, character_id, conversation_id or EVERY_CONVERSATION)
    before = traits_of(connection, character_id, place_id)
    traits = [_trait(name, value) for name, value in attributes.items()]
    kept = (
        _write(connection, character_id, conversation_id or EVERY_CONVERSATION, traits, at) if traits else ()
    )
    close(connection, (edge for edge in before if edge.id not in kept), at)


def write_card_persona(
    connection: Connection, character_id: str, attributes: Mapping[str, str], at: datetime
) -> None:
    """Make these what the card says, if it said anything else; nothing but the card's former traits ends.

    Raises:
        InvalidInput: a trait has no name, no value, or too long a name.
    """
    wanted = {(trait.relation, trait.object) for trait in map(_trait, attributes, attributes.values())}
    place_id = place_of(connection, character_id, CARD)
    if wanted != {(edge.relation, edge.object) for edge in traits_of(connection, character_id, place_id)}:
        write_persona(connection, character_id, attributes, CARD, at)


def write_trait(
    connection: Connection,
    character_id: str,
    name: str,
    value: str,
    conversation_id: str | None,
    at: datetime,
) -> bool:
    """Set one trait, or with a blank value end it; whether anything changed.

    Raises:
        InvalidInput: the trait has no name, or too long a one.
    """
    place_id = place_of(connection, character_id, conversation_id or EVERY_CONVERSATION)
    before = traits_of(connection, character_id, place_id)
    same = [edge for edge in before if fold_name(edge.relation) == fold_name(tidy(name))]
    if not tidy(value):
        close(connection, same, at)
        return bool(same)
    trait = _trait(name, value)
    _write(connection, character_id, conversation_id or EVERY_CONVERSATION, [trait], at)
    return [edge.object for edge in same] != [trait.object]


def _trait(name: str, value: str) -> Triplet:
    name, value = tidy(name), tidy(value)
    if not name or not value or len(name) > NAME_LIMIT:
        raise InvalidInput(f"人设需要名称（最多 {NAME_LIMIT} 字）和内容，收到的是 {name!r}：{value!r}")
    return Triplet(CHARACTER, name, shorten(value, OBJECT_LIMIT), inferred=False)


def _write(
    connection: Connection, character_id: str, conversation_id: str, traits: Sequence[Triplet], at: datetime
) -> tuple[int, ...]:
    """Write traits, each with one value at a time; the ids of their edges."""
    place_id = place_of(connection, character_id, conversation_id)
    said = Said(scope=Scope(character_id, conversation_id, SYSTEM, False), at=at)
    names = frozenset(fold_name(trait.relation) for trait in traits)
    return write_triplets(connection, place_id, said, traits, names, persona=True).ids
