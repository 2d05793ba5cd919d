"""Copies of facts that no longer hold: texts that state them show as corrected (R1.19).

A turn's lines and gist, and the entries learnt from it, are copies of the facts said in it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, or_, select

from ..storage.learning_tables import copies, copy_turns
from ..storage.tables import edge_turns, edges
from ..text.folding import fold_name, fold_sentence
from .places import chunks

CORRECTED = "（已更正）"
"""What stands for a text that states what no longer holds."""

SPEAKER_NAMES = frozenset({"用户", "我", "user", "本人"})
"""Words, folded, that mean whoever speaks: no text states a fact by holding one."""

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


def _superseded(*columns: ColumnElement[Any]) -> Select[Any]:
    """These columns, of facts said in turns and superseded or purged later, but not in the same turn."""
    return (
        select(*columns, edges.c.object)
        .select_from(edge_turns)
        .join(edges, edges.c.id == edge_turns.c.edge_id)
        .where(or_(edges.c.superseded_by.is_not(None), edges.c.purged), ~_SAID_BOTH, ~_HOLDS_AGAIN)
    )


_OF_TURNS = _superseded(edge_turns.c.turn_id, edges.c.place_id).where(
    edge_turns.c.turn_id.in_(bindparam("turn_ids", expanding=True))
)
_OF_COPIES = (
    _superseded(copies.c.path, copies.c.key)
    .join(copy_turns, copy_turns.c.turn_id == edge_turns.c.turn_id)
    .join(copies, copies.c.id == copy_turns.c.copy_id)
    .where(copies.c.path.in_(bindparam("paths", expanding=True)))
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
        for row in connection.execute(_OF_TURNS, {"turn_ids": chunk}):
            if place_ids is None or row.place_id in place_ids:
                found[row.turn_id] = found.get(row.turn_id, frozenset()) | _stated(row.object)
    return found


def superseded_copies(
    connection: Connection, paths: Iterable[str]
) -> Mapping[tuple[str, str], frozenset[str]]:
    """What entries of these files may state that no longer holds: path and key → objects, folded."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for chunk in chunks(paths):
        for row in connection.execute(_OF_COPIES, {"paths": chunk}):
            key = (row.path, row.key)
            found[key] = found.get(key, frozenset()) | _stated(row.object)
    return found


def states(text: str, objects: Iterable[str]) -> bool:
    """Whether a text holds one of these folded objects."""
    folded = fold_sentence(text)
    return any(object in folded for object in objects)


def corrected(text: str, objects: Iterable[str]) -> str:
    """The text, or `（已更正）` where it states one of these objects."""
    return CORRECTED if states(text, objects) else text


def _stated(object: str) -> frozenset[str]:
    return frozenset() if fold_name(object) in SPEAKER_NAMES else frozenset({fold_sentence(object)})
