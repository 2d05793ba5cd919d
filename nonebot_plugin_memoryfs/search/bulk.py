"""Writing and reading many small rows: the index has dozens per fact, so each costs as little as it can.

Only for columns that need no conversion (numbers and text).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, CursorResult, Dialect, Table, insert


def insert_rows(
    connection: Connection, table: Table, names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows whose values stand in the order of these columns."""
    if not rows:
        return
    sql = _statement(connection.dialect, table, names)
    if connection.dialect.positional:
        connection.exec_driver_sql(sql, list(rows))
    else:
        connection.exec_driver_sql(sql, [dict(zip(names, row, strict=True)) for row in rows])


def read_rows(result: CursorResult[*tuple[Any, ...]]) -> Sequence[Sequence[Any]]:
    """All rows of a query as the driver has them."""
    assert result.cursor is not None
    rows = result.cursor.fetchall()
    result.close()
    return rows


@lru_cache(maxsize=32)
def _statement(dialect: Dialect, table: Table, names: tuple[str, ...]) -> str:
    columns = [table.c[name] for name in names]
    return str(insert(table).compile(dialect=dialect, column_keys=[c.name for c in columns]))
