"""An answer often stands beside the words that were asked for: lines next to good matches rise."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from ..storage.tables import documents
from .index import Kind
from .ranking import Document, Match, in_order
from .recipes import Recipe


@cache
def _beside(reach: int) -> Select[*tuple[Any, ...]]:
    """For each of some documents: place, ref, then the nearest refs before it and after it, nearest first."""
    other = documents.alias()
    same_place = (other.c.place_id == documents.c.place_id, other.c.kind == documents.c.kind)
    before = (
        select(other.c.ref).where(*same_place, other.c.ref < documents.c.ref).order_by(other.c.ref.desc())
    )
    after = select(other.c.ref).where(*same_place, other.c.ref > documents.c.ref).order_by(other.c.ref)
    nearest = (side.limit(1).offset(n) for side in (before, after) for n in range(reach))
    return select(documents.c.place_id, documents.c.ref, *(one.scalar_subquery() for one in nearest)).where(
        documents.c.place_id.in_(bindparam("place_ids", expanding=True)),
        documents.c.kind == bindparam("kind"),
        documents.c.ref.in_(bindparam("refs", expanding=True)),
    )


def lift_neighbours(
    connection: Connection, recipe: Recipe, kind: Kind, matches: Sequence[Match]
) -> list[Match]:
    """Give the neighbours of the best matches a part of their scores; best first again.

    A neighbour that matched nothing itself comes in with its part and the other's share.
    """
    lifted = {(match.place_id, match.ref): match for match in matches}
    seeds = matches[: recipe.seeds]
    if not seeds or not recipe.neighbours:
        return list(matches)
    parts: defaultdict[Document, float] = defaultdict(float)
    where = {
        "place_ids": sorted({match.place_id for match in seeds}),
        "kind": int(kind),
        "refs": [match.ref for match in seeds],
    }
    for row in connection.execute(_beside(len(recipe.neighbours)), where):
        match = lifted[row[0], row[1]]
        for ref, part in zip(row[2:], 2 * recipe.neighbours, strict=True):
            if ref is not None:
                beside = (match.place_id, ref)
                parts[beside] += part * match.score
                lifted.setdefault(beside, Match(*beside, 0.0, match.share))
    for beside, part in parts.items():
        match = lifted[beside]
        lifted[beside] = match._replace(score=match.score + part)
    return in_order(lifted.values())
