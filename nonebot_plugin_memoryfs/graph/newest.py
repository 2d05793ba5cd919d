"""The newest live edges of many things: so many of each, off an index, in one statement."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Integer,
    Select,
    bindparam,
    literal_column,
    select,
    union_all,
)

from ..search.places import chunks
from ..storage.tables import LIVE_EDGE, edges
from .edges import COLUMNS, Edge

By = tuple[str, ...]
"""Columns of an edge."""

OF_SUBJECT: By = ("place_id", "subject_id")
OF_OBJECT: By = ("place_id", "object_id")
OF_LABEL: By = ("place_id", "relation_id")
OF_BOTH: By = ("place_id", "subject_id", "relation_id")
_AT_ONCE = 16


def newest_edges(
    connection: Connection, by: By, wanted: Sequence[tuple[int, ...]], newest: int
) -> Iterator[tuple[int, Edge]]:
    """The newest live edges that have these values; each with the position of what it was read for.

    Args:
        connection: a read.
        by: in which columns.
        wanted: the values of each.
        newest: so many of each; of subject and label together, those with the newest objects.
    """
    for start, some in enumerate(chunks(wanted, _AT_ONCE)):
        values = {
            f"{name}_{n}": value for n, one in enumerate(some) for name, value in zip(by, one, strict=True)
        }
        for row in connection.execute(_statement(by, len(some)), {**values, "newest": newest}):
            yield start * _AT_ONCE + row[0], Edge(*row[1:])


@cache
def _statement(by: By, number: int) -> CompoundSelect[*tuple[Any, ...]]:
    return union_all(*(select(_newest_of(by, position).subquery()) for position in range(number)))


def _newest_of(by: By, position: int) -> Select[*tuple[Any, ...]]:
    order = edges.c.object_id if by == OF_BOTH else edges.c.last_seen
    return (
        select(literal_column(str(position), Integer()).label("position"), *COLUMNS)
        .where(*(edges.c[name] == bindparam(f"{name}_{position}") for name in by), LIVE_EDGE)
        .order_by(order.desc())
        .limit(bindparam("newest"))
    )
