"""The newest live edges of many things: so many of each, off an index, in one statement."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Integer, Select, bindparam, select

from ..search.places import chunks
from ..storage.table_parameter import among, table_parameter
from ..storage.tables import edges
from .edges import COLUMNS, Edge, edge_of

By = tuple[str, ...]
"""Columns of an edge."""

OF_SUBJECT: By = ("place_id", "subject_id")
OF_OBJECT: By = ("place_id", "object_id")
OF_LABEL: By = ("place_id", "relation_id")
OF_BOTH: By = ("place_id", "subject_id", "relation_id")


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
    for chunk in chunks(enumerate(wanted)):
        rows = [(position, *values) for position, values in chunk]
        for row in connection.execute(_STATEMENTS[by], {"wanted": rows, "newest": newest}):
            yield row[0], edge_of(row[1:])


def _statement(by: By, order: str) -> Select[Any]:
    wanted = table_parameter("wanted", position=Integer(), **{name: Integer() for name in by})
    one = edges.alias()
    newest = (
        select(one.c.id)
        .where(*(one.c[name] == wanted.c[name] for name in by), one.c.valid_to.is_(None))
        .order_by(one.c[order].desc())
        .limit(bindparam("newest"))
        .correlate(wanted)
    )
    return select(wanted.c.position, *COLUMNS).join_from(wanted, edges, among(edges.c.id, newest))


_STATEMENTS: Mapping[By, Select[Any]] = {
    OF_SUBJECT: _statement(OF_SUBJECT, "last_seen"),
    OF_OBJECT: _statement(OF_OBJECT, "last_seen"),
    OF_LABEL: _statement(OF_LABEL, "last_seen"),
    OF_BOTH: _statement(OF_BOTH, "object_id"),
}
