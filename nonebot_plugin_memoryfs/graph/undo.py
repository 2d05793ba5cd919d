"""Bringing back what a purge closed, as it holds now (R2.10)."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import bindparam, select, update

from ..scope import Scope
from ..storage.tables import LIVE_EDGE, PURGED_EDGE, edges
from ..text.folding import fold_name
from . import answers
from .contradictions import settle_contraries
from .edges import COLUMNS, NOTHING, Edge, Sighting, close, edge_of, live_twin, settle
from .kinds import EdgeKind, Role
from .nodes import End, by_id
from .purge import LAST_PURGED, REPLACED, UNDO_FOR, owned
from .recall import Search
from .render import facts_of
from .results import PurgeResult
from .withdrawal import give_way

_PURGED_THEN = select(*COLUMNS).where(
    edges.c.place_id == bindparam("place_id"),
    edges.c.valid_to == bindparam("then"),
    PURGED_EDGE,
)
_AS_HISTORY = REPLACED.values(purged=False)
_REOPEN = (
    update(edges)
    .where(edges.c.id == bindparam("edge_id"))
    .values(valid_to=None, superseded_by=None, purged=False)
)
_BY_ID = select(*COLUMNS).where(edges.c.id == bindparam("edge_id"), LIVE_EDGE)


def undo(search: Search, place_id: int, scope: Scope, at: datetime) -> PurgeResult:
    """Open again what the last purge here closed; a replacement it brought in ends.

    In a group, the last one that closed what the scope's user had said, or what was about them.
    """
    since = {"place_id": place_id, "since": at - UNDO_FOR}
    then = search.connection.execute(*owned(search.connection, scope, LAST_PURGED, since)).scalar()
    if then is None:
        return answers.undone([], [])
    opened, outdated = reopen(search, place_id, then, at)
    return answers.undone(facts_of(search, opened), facts_of(search, outdated))


def reopen(search: Search, place_id: int, then: datetime, at: datetime) -> tuple[list[Edge], list[Edge]]:
    """Open again what the purge of that time closed; a replacement it brought in ends.

    Returns:
        What holds again, and what was corrected meanwhile: that becomes history, not undoable again.
    """
    connection = search.connection
    closed = [edge_of(row) for row in connection.execute(_PURGED_THEN, {"place_id": place_id, "then": then})]
    for edge in closed:
        _end_replacement(search, edge, then, at)
    opened: list[Edge] = []
    for edge in closed:
        twin = live_twin(connection, edge)
        if twin is None:
            connection.execute(_REOPEN, {"edge_id": edge.id})
            opened.append(edge)
        else:
            connection.execute(_AS_HISTORY, {"edge_id": edge.id, "by": twin})
    ended = {other.id for edge in opened for other in _settled(search, place_id, edge)}
    return [edge for edge in closed if edge.id not in ended], [edge for edge in closed if edge.id in ended]


def _settled(search: Search, place_id: int, edge: Edge) -> Iterator[Edge]:
    """What ends because a fact is open again: itself, where something newer contradicts it (R2.5)."""
    kind = EdgeKind(edge.kind)
    if kind is EdgeKind.HAS_PERSONA or fold_name(edge.relation) in search.single_valued:
        yield from settle(search.connection, place_id, edge.subject_id, edge.relation_id)
    subject = End(edge.subject_id, edge.subject, Role.ENTITY)
    object = End(edge.object_id, edge.object, Role.ENTITY)
    again = Sighting(
        subject, kind, edge.relation_id, edge.relation, object, edge.inferred, edge.user_id, edge.last_seen
    )
    about = by_id(search.connection, [edge.subject_id])[edge.subject_id].user_id
    character_id = search.viewer.character_id
    yield from settle_contraries(
        search.connection, character_id, place_id, [(again, edge.id, about)], NOTHING
    )


def _end_replacement(search: Search, edge: Edge, then: datetime, at: datetime) -> None:
    """Close what replaced a purged fact, unless it was said before or has been since.

    What the replacement had ended holds again.
    """
    row = search.connection.execute(_BY_ID, {"edge_id": edge.superseded_by or 0}).one_or_none()
    if row is not None:
        new = edge_of(row)
        if new.first_seen == then and new.sightings == 1:
            give_way(search.connection, new)
            close(search.connection, [new], at)
