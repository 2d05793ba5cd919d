"""Edges: one live row per place and triplet, with its sightings (R2.3, R2.4, R2.5).

An inference never touches a statement: it may count as one more sighting, but it moves neither its
time nor who said it. So a statement is as fresh as the last time somebody SAID it, and that is the
time the audience rule looks at; an inference may only repeat what was recalled, so it counts from
its first sighting (see `heard_at`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, case, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ..search.places import chunks
from ..storage.tables import LIVE_EDGE, edges
from .kinds import EdgeKind

_Insert = sqlite.Insert | postgresql.Insert


@dataclass(frozen=True, slots=True)
class Edge:
    """A row of `edges`."""

    id: int
    place_id: int
    user_id: str
    subject_id: int
    kind: str
    relation_id: int
    object_id: int
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


COLUMNS = tuple(edges.c[name] for name in Edge.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Sighting:
    """An edge as it is said now."""

    subject_id: int
    kind: EdgeKind
    relation_id: int
    object_id: int
    inferred: bool
    user_id: str
    at: datetime
    turn_id: int | None = None
    times: int = 1

    @property
    def key(self) -> tuple[int, int, int]:
        """What makes it one edge within a place."""
        return self.subject_id, self.relation_id, self.object_id


def _upsert(insert: _Insert) -> _Insert:
    new, old = insert.excluded, edges.c
    weaker = and_(new.inferred, ~old.inferred)
    later = and_(~weaker, or_(new.last_seen >= old.last_seen, and_(old.inferred, ~new.inferred)))
    return insert.on_conflict_do_update(
        index_elements=["subject_id", "relation_id", "place_id", "object_id"],
        index_where=LIVE_EDGE,
        set_={
            "sightings": old.sightings + new.sightings,
            "inferred": and_(old.inferred, new.inferred),
            "first_seen": case((new.first_seen < old.first_seen, new.first_seen), else_=old.first_seen),
            "last_seen": case((later, new.last_seen), else_=old.last_seen),
            "user_id": case((later, new.user_id), else_=old.user_id),
            "turn_id": case((later, new.turn_id), else_=old.turn_id),
            "kind": case((new.kind == EdgeKind.HAS_PERSONA.value, new.kind), else_=old.kind),
        },
    ).returning(edges.c.id, edges.c.sightings, *(edges.c[k] for k in _KEY))


_KEY = ("subject_id", "relation_id", "object_id")
_UPSERT = {
    "sqlite": _upsert(sqlite.insert(edges)),
    "postgresql": _upsert(postgresql.insert(edges)),
}
_OF_RELATION = select(*COLUMNS).where(
    edges.c.subject_id == bindparam("subject_id"),
    edges.c.relation_id == bindparam("relation_id"),
    edges.c.place_id.in_(bindparam("place_ids", expanding=True)),
    LIVE_EDGE,
)
_CLOSE = (
    update(edges)
    .where(edges.c.id == bindparam("edge_id"), LIVE_EDGE)
    .values(valid_to=bindparam("ended"), superseded_by=bindparam("by"), purged=bindparam("for_good"))
)
_RIVALS = 50


def see(
    connection: Connection, place_id: int, sightings: Sequence[Sighting]
) -> dict[tuple[int, int, int], tuple[int, bool]]:
    """Write edges as said now: key → id, and whether it is new."""
    merged = _merge(sightings)
    written: dict[tuple[int, int, int], tuple[int, bool]] = {}
    rows = [_row(place_id, sighting) for sighting in merged.values()]
    for row in connection.execute(_UPSERT[connection.dialect.name], rows):
        key = (row.subject_id, row.relation_id, row.object_id)
        written[key] = (row.id, row.sightings == merged[key].times)
    return written


def _merge(sightings: Iterable[Sighting]) -> dict[tuple[int, int, int], Sighting]:
    """One sighting per edge: a statement never meets itself in one command."""
    merged: dict[tuple[int, int, int], Sighting] = {}
    for sighting in sightings:
        held = merged.get(sighting.key)
        if held is None:
            merged[sighting.key] = sighting
            continue
        best = min(held, sighting, key=lambda s: (s.inferred, -s.at.timestamp()))
        merged[sighting.key] = Sighting(
            best.subject_id,
            best.kind,
            best.relation_id,
            best.object_id,
            best.inferred,
            best.user_id,
            best.at,
            best.turn_id,
            held.times + sighting.times,
        )
    return merged


def _row(place_id: int, sighting: Sighting) -> dict[str, Any]:
    return {
        "place_id": place_id,
        "user_id": sighting.user_id,
        "subject_id": sighting.subject_id,
        "kind": sighting.kind.value,
        "relation_id": sighting.relation_id,
        "object_id": sighting.object_id,
        "inferred": sighting.inferred,
        "sightings": sighting.times,
        "turn_id": sighting.turn_id,
        "first_seen": sighting.at,
        "last_seen": sighting.at,
        "valid_from": sighting.at,
        "purged": False,
    }


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


def settle(
    connection: Connection, place_id: int, subject_id: int, relation_id: int, at: datetime
) -> list[Edge]:
    """Let one value of a single-valued label hold in a place: the newest statement (R2.5).

    Inferences are closed by a statement and never close one. Returns what was closed.
    """
    held = live_of_relation(connection, subject_id, relation_id, [place_id])
    stated = [edge for edge in held if not edge.inferred]
    if len(held) < 2 or not stated:
        return []
    newest = strongest(stated)
    closed = [e for e in held if e.id != newest.id and (not e.inferred or e.last_seen < newest.last_seen)]
    close(connection, closed, at, superseded_by=newest.id)
    return closed


def strongest(rivals: Iterable[Edge]) -> Edge:
    """Which of several values holds: statements before inferences, then the newest (R2.4, R2.5)."""
    return max(rivals, key=lambda edge: (not edge.inferred, edge.last_seen, edge.id))


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


def edge_of(row: Row[Any]) -> Edge:
    """The edge a row with `COLUMNS` holds."""
    return Edge(*row)


def keyed(found: Iterable[Edge]) -> Mapping[int, Edge]:
    """By id, each once, in order."""
    return {edge.id: edge for edge in found}
