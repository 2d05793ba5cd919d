"""Edges: one live row per place and triplet, with its sightings (R2.3, R2.4, R2.5).

An inference never touches a statement: it may count as one more sighting, but it moves neither its
time nor who said it nor how it is spelled. So a statement is as fresh as the last time somebody SAID
it, and that is the time the audience rule looks at; an inference may only repeat what was recalled, so
it counts from its first sighting (see `heard_at`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Boolean, Connection, Integer, Text, and_, bindparam, case, or_, select, update

from ..errors import InvalidInput
from ..search.places import chunks
from ..storage.moment import moment_text
from ..storage.table_parameter import table_parameter
from ..storage.tables import LIVE_EDGE, edge_turns, edges
from ..storage.upserts import Excluded, insert_or_ignore, upsert
from .kinds import EdgeKind, ends_fit
from .nodes import End


class Edge(NamedTuple):
    """A row of `edges`: a tuple, since a recall reads hundreds."""

    id: int
    place_id: int
    user_id: str
    subject_id: int
    kind: str
    relation_id: int
    object_id: int
    subject: str
    relation: str
    object: str
    inferred: bool
    sightings: int
    first_seen: datetime
    last_seen: datetime
    valid_to: datetime | None
    superseded_by: int | None

    @property
    def heard_at(self) -> datetime:
        """When its audience last heard it: the time for `may_see`."""
        return self.first_seen if self.inferred else self.last_seen


COLUMNS = tuple(edges.c[name] for name in Edge._fields)


Key = tuple[int, int, int]
"""Subject, label and object."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """An edge as it is said now."""

    subject: End
    kind: EdgeKind
    relation_id: int
    relation: str
    object: End
    inferred: bool
    user_id: str
    at: datetime
    turn_id: int | None = None
    times: int = 1
    since: datetime | None = None
    """When it was first said, where that is another time than `at`."""

    @property
    def key(self) -> Key:
        """What makes it one edge within a place."""
        return self.subject.id, self.relation_id, self.object.id


def _said_again(new: Excluded) -> dict[str, Any]:
    """What a live edge becomes when it is said again."""
    old = edges.c
    weaker = and_(new.inferred, ~old.inferred)
    later = and_(~weaker, or_(new.last_seen >= old.last_seen, and_(old.inferred, ~new.inferred)))
    return {
        "sightings": old.sightings + new.sightings,
        "inferred": and_(old.inferred, new.inferred),
        **{
            name: case((new.first_seen < old[name], new.first_seen), else_=old[name])
            for name in ("first_seen", "valid_from")
        },
        "kind": case((new.kind == EdgeKind.HAS_PERSONA.value, new.kind), else_=old.kind),
        **{name: case((later, new[name]), else_=old[name]) for name in _OF_THE_LAST},
    }


_KEY = ("subject_id", "relation_id", "object_id")
_OF_THE_LAST = ("last_seen", "user_id", "subject", "relation", "object")
_SAID = table_parameter(
    "said",
    place_id=Integer(),
    user_id=Text(),
    subject_id=Integer(),
    kind=Text(),
    relation_id=Integer(),
    object_id=Integer(),
    subject=Text(),
    relation=Text(),
    object=Text(),
    inferred=Boolean(),
    sightings=Integer(),
    first_seen=Text(),
    last_seen=Text(),
    valid_from=Text(),
    purged=Boolean(),
)
_UPSERT = upsert(
    edges,
    (*_KEY, "place_id"),
    _said_again,
    key_where=edges.c.valid_to.is_(None),
    returning=(edges.c.id, edges.c.sightings, *(edges.c[name] for name in _KEY)),
    rows=_SAID,
)
_ADD_TURN = insert_or_ignore(edge_turns)
_OF_RELATION = select(*COLUMNS).where(
    edges.c.subject_id == bindparam("subject_id"),
    edges.c.relation_id == bindparam("relation_id"),
    edges.c.place_id.in_(bindparam("place_ids", expanding=True)),
    LIVE_EDGE,
)
_TWIN = select(edges.c.id).where(
    *(edges.c[name] == bindparam(name) for name in (*_KEY, "place_id")), LIVE_EDGE
)
_CLOSE = (
    update(edges)
    .where(edges.c.id == bindparam("edge_id"), LIVE_EDGE)
    .values(valid_to=bindparam("ended"), superseded_by=bindparam("by"), purged=bindparam("for_good"))
)
_RIVALS = 50


def see(connection: Connection, place_id: int, sightings: Sequence[Sighting]) -> dict[Key, tuple[int, bool]]:
    """Write edges as said now, the only way to write any: key → id, and whether it is new.

    Raises:
        InvalidInput: an edge may not join its two nodes (R2.1); nothing is written.
    """
    for sighting in sightings:
        _check_ends(sighting)
    merged = _merge(sightings)
    written: dict[Key, tuple[int, bool]] = {}
    rows = [_row(place_id, sighting) for sighting in merged.values()]
    for row in connection.execute(_UPSERT.on(connection), {"said": rows}):
        key = (row.subject_id, row.relation_id, row.object_id)
        written[key] = (row.id, row.sightings == merged[key].times)
    told = [{"edge_id": written[s.key][0], "turn_id": s.turn_id} for s in sightings if s.turn_id is not None]
    if told:
        connection.execute(_ADD_TURN.on(connection), told)
    return written


def _check_ends(sighting: Sighting) -> None:
    if not ends_fit(sighting.kind, sighting.subject.roles, sighting.object.roles):
        ends = f"{sighting.subject.name!r} 和 {sighting.object.name!r}"
        raise InvalidInput(f"{sighting.kind.value} 不能连接 {ends}")


def _merge(sightings: Iterable[Sighting]) -> dict[Key, Sighting]:
    """One sighting per edge: a statement never meets itself in one command."""
    merged: dict[Key, Sighting] = {}
    for sighting in sightings:
        held = merged.get(sighting.key)
        if held is None:
            merged[sighting.key] = sighting
            continue
        best = min(held, sighting, key=lambda s: (s.inferred, -s.at.timestamp()))
        since = min(s.since or s.at for s in (held, sighting))
        merged[sighting.key] = replace(best, times=held.times + sighting.times, since=since)
    return merged


def _row(place_id: int, sighting: Sighting) -> tuple[Any, ...]:
    """A row of `_SAID`."""
    first, last = moment_text(sighting.since or sighting.at), moment_text(sighting.at)
    return (
        place_id,
        sighting.user_id,
        sighting.subject.id,
        sighting.kind.value,
        sighting.relation_id,
        sighting.object.id,
        sighting.subject.name,
        sighting.relation,
        sighting.object.name,
        sighting.inferred,
        sighting.times,
        first,
        last,
        first,
        False,
    )


def live_of_relation(
    connection: Connection, subject_id: int, relation_id: int, place_ids: Iterable[int]
) -> list[Edge]:
    """The live edges of a subject with this label in these places, at most fifty per place."""
    found: list[Edge] = []
    for chunk in chunks(place_ids):
        where = {"subject_id": subject_id, "relation_id": relation_id, "place_ids": chunk}
        statement = _OF_RELATION.limit(_RIVALS * len(chunk))
        found.extend(edge_of(row) for row in connection.execute(statement, where))
    return found


def live_twin(connection: Connection, edge: Edge) -> int | None:
    """The live edge that says the same in the same place."""
    return connection.execute(_TWIN, {name: getattr(edge, name) for name in (*_KEY, "place_id")}).scalar()


NOTHING: Mapping[int, int] = {}
"""No edge is said this moment (see `strongest`)."""


def settle(
    connection: Connection,
    place_id: int,
    subject_id: int,
    relation_id: int,
    now: Mapping[int, int] = NOTHING,
) -> list[Edge]:
    """Let one value of a single-valued label hold in a place: the newest statement (R2.5).

    An inference ends none but older inferences; the newest one may wait beside an older statement.
    `now` is as in `strongest`. Returns what was closed.
    """
    held = sorted(live_of_relation(connection, subject_id, relation_id, [place_id]), key=lambda e: e.id)
    if len(held) < 2:
        return []
    best = strongest(held, now)
    guess = strongest([edge for edge in held if edge.inferred] or [best], now)
    closed: list[Edge] = []
    for edge in held:
        waits = edge.inferred and recency(edge, now) > recency(best, now)
        newer = guess if waits else best
        if newer.id != edge.id:
            close(connection, [edge], newer.last_seen, superseded_by=newer.id)
            closed.append(edge)
    return closed


def strongest(rivals: Iterable[Edge], now: Mapping[int, int] = NOTHING) -> Edge:
    """Which of several values holds: statements before inferences, then the newest (R2.4, R2.5).

    Args:
        rivals: the values.
        now: the ids of those that are said this moment, with their order: they are newer than all others,
            even where a clock was set back.
    """
    return max(rivals, key=lambda edge: (not edge.inferred, recency(edge, now)))


def recency(edge: Edge, now: Mapping[int, int]) -> tuple[int, datetime, int]:
    """What orders edges by when they were said last; `now` is as in `strongest`."""
    return now.get(edge.id, -1), edge.last_seen, edge.id


def close(
    connection: Connection,
    closed: Iterable[Edge],
    at: datetime,
    *,
    superseded_by: int | None = None,
    purged: bool = False,
) -> None:
    """End edges; they stay as history."""
    rows = [{"edge_id": edge.id, "ended": at, "by": superseded_by, "for_good": purged} for edge in closed]
    if rows:
        connection.execute(_CLOSE, rows)


def edge_of(row: Sequence[Any]) -> Edge:
    """The edge a row with `COLUMNS` holds."""
    return Edge._make(row)
