"""Inserts that mind what is there already, written once for both databases.

SQLAlchemy has an insert of its own for each dialect; a statement here is built for both when the module that
needs it is loaded, and `.on(connection)` is the one for that connection:

    _NOTE = upsert(presence, ["user_id", "conversation_id"], ["first_at"])
    connection.execute(_NOTE.on(connection), rows)

With `rows`, a `storage.table_parameter`, all rows come as one parameter, and the statement runs once for all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import CTE, ColumnElement, Connection, Table, select, true
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.elements import KeyedColumnElement

Excluded = ReadOnlyColumnCollection[str, KeyedColumnElement[Any]]
"""The columns of the row that was to be inserted."""
_Insert = TypeVar("_Insert", sqlite.Insert, postgresql.Insert)


@dataclass(frozen=True, slots=True)
class Insert:
    """One statement, built for each database."""

    sqlite: UpdateBase
    postgresql: UpdateBase

    def on(self, connection: Connection) -> UpdateBase:
        """The statement for the database behind this connection."""
        return self.postgresql if connection.dialect.name == "postgresql" else self.sqlite


def insert_or_ignore(
    table: Table, returning: Sequence[ColumnElement[Any]] = (), *, rows: CTE | None = None
) -> Insert:
    """Insert rows; one that breaks a unique key is left out.

    Args:
        table: where.
        returning: columns to give back, of the rows that were inserted.
        rows: what is inserted, where it is given as one parameter.
    """

    def build(insert: sqlite.Insert | postgresql.Insert) -> UpdateBase:
        statement = insert.on_conflict_do_nothing()
        return statement.returning(*returning) if returning else statement

    return _both(table, build, rows)


def upsert(
    table: Table,
    keys: Sequence[str],
    columns: Iterable[str] | Callable[[Excluded], Mapping[str, Any]],
    where: Callable[[Excluded], ColumnElement[bool]] | None = None,
    *,
    key_where: ColumnElement[bool] | None = None,
    returning: Sequence[ColumnElement[Any]] = (),
    rows: CTE | None = None,
) -> Insert:
    """Insert rows; of a row that is there already, change some columns.

    Args:
        table: where.
        keys: the columns of the unique key.
        columns: which columns take the new value; or a function from the new row to column → value, for
            values made from both (`lambda new: {"count": table.c.count + new.count}`).
        where: change a row only where this holds, given the new row.
        key_where: the condition of the unique index, where it is a partial one.
        returning: columns to give back, of every row inserted or changed.
        rows: what is inserted, where it is given as one parameter.
    """
    names = None if callable(columns) else tuple(columns)

    def build(insert: sqlite.Insert | postgresql.Insert) -> UpdateBase:
        new = insert.excluded
        statement = insert.on_conflict_do_update(
            index_elements=keys,
            index_where=key_where,
            set_=columns(new) if callable(columns) else {name: new[name] for name in names or ()},
            where=where(new) if where else None,
        )
        return statement.returning(*returning) if returning else statement

    return _both(table, build, rows)


def _both(
    table: Table,
    build: Callable[[sqlite.Insert | postgresql.Insert], UpdateBase],
    rows: CTE | None,
) -> Insert:
    def into(insert: _Insert) -> _Insert:
        if rows is None:
            return insert
        # without a WHERE, SQLite reads the ON of the conflict as that of a join
        return insert.from_select([column.name for column in rows.c], select(rows).where(true()))

    return Insert(build(into(sqlite.insert(table))), build(into(postgresql.insert(table))))
