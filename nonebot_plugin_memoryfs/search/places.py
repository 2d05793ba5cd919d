"""Places: one character in one conversation, as a number (see `storage.tables.places`)."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from sqlalchemy import Connection, bindparam, select

from ..storage.tables import places
from ..storage.upserts import insert_or_ignore

_CHUNK = 400

_ONE = select(places.c.id).where(
    places.c.character_id == bindparam("character_id"),
    places.c.conversation_id == bindparam("conversation_id"),
)
_MANY = select(places.c.id, places.c.conversation_id).where(
    places.c.character_id == bindparam("character_id"),
    places.c.conversation_id.in_(bindparam("conversation_ids", expanding=True)),
)
_ADD = insert_or_ignore(places)


def place_of(connection: Connection, character_id: str, conversation_id: str) -> int:
    """The number of a place, given to it now if it has none."""
    names = {"character_id": character_id, "conversation_id": conversation_id}
    found = connection.execute(_ONE, names).scalar()
    if found is None:
        connection.execute(_ADD.on(connection), names)
        found = connection.execute(_ONE, names).scalar_one()
    return int(found)


def known_place(connection: Connection, character_id: str, conversation_id: str) -> int | None:
    """The number of a place, or `None` where nothing was ever kept."""
    names = {"character_id": character_id, "conversation_id": conversation_id}
    return connection.execute(_ONE, names).scalar()


def places_of(connection: Connection, character_id: str, conversation_ids: Iterable[str]) -> dict[int, str]:
    """Number → conversation id of those conversations where anything was kept."""
    found: dict[int, str] = {}
    for chunk in chunks(sorted(conversation_ids), _CHUNK):
        rows = connection.execute(_MANY, {"character_id": character_id, "conversation_ids": chunk})
        found.update((row[0], row[1]) for row in rows)
    return found


def characters_in(connection: Connection, conversation_id: str) -> set[str]:
    """The characters of which anything was kept in a conversation."""
    query = select(places.c.character_id).where(places.c.conversation_id == conversation_id)
    return set(connection.scalars(query))


def chunks(items: Iterable[Any], size: int = _CHUNK) -> Iterator[list[Any]]:
    """Cut a long list for an `IN`: no statement grows with the data."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
