"""An answer often stands beside the words that were asked for: lines next to good matches rise."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select

from ..storage.tables import documents
from .index import Kind
from .ranking import Match, in_order
from .recipes import Recipe

_HERE = (
    documents.c.place_id == bindparam("place_id"),
    documents.c.kind == bindparam("kind"),
)
_BEFORE = (
    select(documents.c.ref)
    .where(*_HERE, documents.c.ref < bindparam("of_ref"))
    .order_by(documents.c.ref.desc())
    .limit(bindparam("reach"))
)
_AFTER = (
    select(documents.c.ref)
    .where(*_HERE, documents.c.ref > bindparam("of_ref"))
    .order_by(documents.c.ref)
    .limit(bindparam("reach"))
)


def lift_neighbours(
    connection: Connection, recipe: Recipe, kind: Kind, matches: Sequence[Match]
) -> list[Match]:
    """Give the neighbours of the best matches a part of their scores; best first again.

    A neighbour that matched nothing itself comes in with its part and the other's share.
    """
    lifted = {(match.place_id, match.ref): match for match in matches}
    parts: defaultdict[tuple[int, int], float] = defaultdict(float)
    for match in matches[: recipe.seeds]:
        for statement in (_BEFORE, _AFTER):
            where = {
                "place_id": match.place_id,
                "kind": int(kind),
                "of_ref": match.ref,
                "reach": len(recipe.neighbours),
            }
            refs = connection.execute(statement, where).scalars().all()
            for ref, part in zip(refs, recipe.neighbours, strict=False):
                beside = (match.place_id, ref)
                parts[beside] += part * match.score
                lifted.setdefault(beside, Match(*beside, 0.0, match.share))
    return in_order(
        Match(match.place_id, match.ref, match.score + parts[key], match.share)
        for key, match in lifted.items()
    )
