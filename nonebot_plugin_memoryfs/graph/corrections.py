"""Copies of facts that no longer hold: what a turn said shows as corrected, or taken back (R1.19)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection, bindparam, or_, select

from ..search.places import chunks
from ..search.turn_log import Hit
from ..storage.tables import edge_turns, edges
from ..text.folding import fold_sentence
from .recall import Search
from .who import is_speaker_name

CORRECTED = "（已更正）"
"""What stands for a text that states what no longer holds."""

_newer = edge_turns.alias("newer")
_live = edges.alias("live")
_SAID_BOTH = (
    select(_newer.c.edge_id)
    .where(_newer.c.turn_id == edge_turns.c.turn_id, _newer.c.edge_id == edges.c.superseded_by)
    .exists()
)
_HOLDS_AGAIN = (
    select(_live.c.id)
    .where(
        *(_live.c[name] == edges.c[name] for name in ("subject_id", "relation_id", "place_id", "object_id")),
        _live.c.valid_to.is_(None),
    )
    .exists()
)
_SUPERSEDED = (
    select(edge_turns.c.turn_id, edges.c.place_id, edges.c.object)
    .join(edges, edges.c.id == edge_turns.c.edge_id)
    .where(
        edge_turns.c.turn_id.in_(bindparam("turn_ids", expanding=True)),
        or_(edges.c.superseded_by.is_not(None), edges.c.purged),
        ~_SAID_BOTH,
        ~_HOLDS_AGAIN,
    )
)


def superseded_objects(
    connection: Connection, turn_ids: Iterable[int], place_ids: Collection[int] | None = None
) -> dict[int, frozenset[str]]:
    """Of these turns, those that said what was superseded or purged later: turn → those objects, folded.

    Args:
        connection: a read.
        turn_ids: which turns.
        place_ids: only turns of these places; without it, of all.
    """
    found: dict[int, frozenset[str]] = {}
    for chunk in chunks(turn_ids):
        for row in connection.execute(_SUPERSEDED, {"turn_ids": chunk}):
            if place_ids is None or row.place_id in place_ids:
                said = () if is_speaker_name(row.object) else (fold_sentence(row.object),)
                found[row.turn_id] = found.get(row.turn_id, frozenset()).union(said)
    return found


def corrected(text: str, objects: Iterable[str]) -> str:
    """The text, or `（已更正）` where it states one of these objects."""
    folded = fold_sentence(text)
    return CORRECTED if any(object in folded for object in objects) else text


def corrected_hits(search: Search, hits: Sequence[Hit]) -> list[Hit]:
    """Hits as they may be shown now."""
    ids = {hit.turn_id for hit in hits if hit.turn_id is not None}
    objects = superseded_objects(search.connection, ids, search.places)
    return [
        replace(hit, text=corrected(hit.text, objects[hit.turn_id])) if hit.turn_id in objects else hit
        for hit in hits
    ]
