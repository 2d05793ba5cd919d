"""What people are called, place by place: nicknames and group cards never cross places (R1.17)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, select

from ..search.places import chunks
from ..storage.tables import aliases
from ..storage.upserts import upsert

KEPT = 10
"""Newest aliases of a person that are kept in a place; an older one names nobody any more."""
_REFRESH = timedelta(days=1)

_CALLED = select(aliases.c.place_id, aliases.c.node_id, aliases.c.key).where(
    aliases.c.place_id.in_(bindparam("place_ids", expanding=True)),
    aliases.c.key.in_(bindparam("keys", expanding=True)),
)
_OF_PEOPLE = select(*aliases.c).where(
    aliases.c.node_id.in_(bindparam("node_ids", expanding=True)),
    aliases.c.place_id.in_(bindparam("place_ids", expanding=True)),
)
_NOTE = upsert(aliases, ("node_id", "place_id", "key"), ("name", "seen_at"))
_DROP = delete(aliases).where(
    aliases.c.node_id == bindparam("of_node"),
    aliases.c.place_id == bindparam("at_place"),
    aliases.c.key.in_(bindparam("keys", expanding=True)),
)


@dataclass(frozen=True, slots=True)
class Alias:
    """What a person is called in a place."""

    node_id: int
    place_id: int
    key: str
    """Folded."""
    name: str
    seen_at: datetime
    """When they were called so last, to the day."""


def called(
    connection: Connection, place_ids: Iterable[int], keys: Iterable[str]
) -> list[tuple[int, int, str]]:
    """Who goes by these folded names in these places: place, person, and the name."""
    wanted = list(keys)
    found: list[tuple[int, int, str]] = []
    for some_places in chunks(place_ids):
        for some_keys in chunks(wanted):
            rows = connection.execute(_CALLED, {"place_ids": some_places, "keys": some_keys})
            found.extend((row.place_id, row.node_id, row.key) for row in rows)
    return found


def aliases_of(connection: Connection, place_ids: Iterable[int], node_ids: Iterable[int]) -> list[Alias]:
    """What these people are called in these places."""
    wanted = list(node_ids)
    found: list[Alias] = []
    for some_places in chunks(place_ids):
        for some_nodes in chunks(wanted):
            rows = connection.execute(_OF_PEOPLE, {"place_ids": some_places, "node_ids": some_nodes})
            found.extend(Alias(*row) for row in rows)
    return found


def keep_alias(connection: Connection, alias: Alias) -> Sequence[str] | None:
    """Remember an alias and let go of those beyond the newest ten.

    Returns:
        The names the person goes by there now, newest first, if they are others than before.
    """
    before = {a.key: a for a in aliases_of(connection, [alias.place_id], [alias.node_id])}
    held = before.get(alias.key)
    if held is not None:
        newest = max(a.seen_at for a in before.values())
        if alias.seen_at - held.seen_at > _REFRESH or held.seen_at < newest < alias.seen_at:
            _note(connection, alias)
        return None
    ordered = sorted([*before.values(), alias], key=lambda a: (a.seen_at, a.key), reverse=True)
    if alias not in ordered[:KEPT]:
        return None
    _note(connection, alias)
    dropped = [a.key for a in ordered[KEPT:]]
    if dropped:
        where = {"of_node": alias.node_id, "at_place": alias.place_id, "keys": dropped}
        connection.execute(_DROP, where)
    return [a.name for a in ordered[:KEPT]]


def _note(connection: Connection, alias: Alias) -> None:
    row = {name: getattr(alias, name) for name in Alias.__slots__}
    connection.execute(_NOTE.on(connection), row)
