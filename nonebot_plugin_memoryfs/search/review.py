"""What was said, as the operator finds it: in every conversation of a character (R7.5)."""

from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, select

from ..storage.tables import lines, places
from ..text.cleaning import clean
from .index import Kind
from .lines import Line, line_of
from .places import chunks
from .questions import evidence
from .ranking import rank, shelves_of
from .recipes import WORDS_ALONE

_PLACES = select(places.c.id).where(places.c.character_id == bindparam("character_id"))
_BY_ID = select(lines).where(lines.c.id.in_(bindparam("ids", expanding=True)))


def search_everywhere(connection: Connection, character_id: str, query: str, limit: int) -> list[Line]:
    """The lines that share words with a query, best first, whoever may see them."""
    since = dict.fromkeys(connection.scalars(_PLACES, {"character_id": character_id}), 0)
    matches = rank(
        connection, WORDS_ALONE, shelves_of(connection, Kind.LINE, since), evidence(clean(query)), limit
    )
    return lines_everywhere(connection, [match.ref for match in matches])


def lines_everywhere(connection: Connection, ids: Iterable[int]) -> list[Line]:
    """Those of these lines that are still kept, in this order, whoever may see them."""
    wanted = list(ids)
    found = {
        row.id: line_of(row) for chunk in chunks(wanted) for row in connection.execute(_BY_ID, {"ids": chunk})
    }
    return [found[line_id] for line_id in wanted if line_id in found]
