"""A table as one parameter of a statement: rows handed over, to be joined with what is stored.

The text of such a statement is the same for one row and for a thousand, so it is prepared once:

    _ASKED = table_parameter("asked", gram=Text(), place_id=Integer())
    _FOUND = select(postings.c.ref).join(_ASKED, ...)
    connection.execute(_FOUND, {"asked": [["猫", 1], ["狗", 2]]})
"""

from typing import Any

from sqlalchemy import (
    CTE,
    JSON,
    Boolean,
    ColumnElement,
    Select,
    Text,
    bindparam,
    cast,
    column,
    literal_column,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeEngine


def table_parameter(name: str, **columns: TypeEngine[Any]) -> CTE:
    """A table of what is handed over.

    Args:
        name: of the table, and of the parameter: a list of rows, each a list of values.
        columns: name and type of each value, in their order.
    """
    rows = _Rows(bindparam(name, type_=JSON())).table_valued(column("value", JSON()), name=f"{name}_rows")
    values = (
        cast(_Value(rows.c.value, literal_column(str(position))), kind).label(key)
        for position, (key, kind) in enumerate(columns.items())
    )
    return select(*values).select_from(rows).cte(name).prefix_with("MATERIALIZED")


def among(column: ColumnElement[Any], found: Select[Any]) -> ColumnElement[bool]:
    """Whether a column holds one of what a correlated query finds, looked up by the column's index."""
    return _Among(column, found.scalar_subquery())


class _Rows(FunctionElement[Any]):
    """The elements of a JSON list, a row each."""

    name = "rows_of_json"
    inherit_cache = True


class _Value(FunctionElement[Any]):
    """The value at a position of a JSON list."""

    name = "value_of_json"
    type = Text()
    inherit_cache = True


class _Among(FunctionElement[bool]):
    """`column IN (SELECT …)`; for that, PostgreSQL reads the whole table where the query is correlated."""

    name = "among"
    type = Boolean()
    inherit_cache = True

    def self_group(self, against: OperatorType | None = None) -> "_Among":
        """Itself: it is a condition on both databases, and compared with nothing."""
        return self


@compiles(_Rows, "sqlite")
def _rows_sqlite(element: _Rows, compiler: SQLCompiler, **how: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **how)})"


@compiles(_Rows, "postgresql")
def _rows_postgresql(element: _Rows, compiler: SQLCompiler, **how: Any) -> str:
    return f"json_array_elements({compiler.process(element.clauses, **how)})"


@compiles(_Value, "sqlite")
def _value_sqlite(element: _Value, compiler: SQLCompiler, **how: Any) -> str:
    row, position = (compiler.process(clause, **how) for clause in element.clauses)
    return f"json_extract({row}, '$[{position}]')"


@compiles(_Value, "postgresql")
def _value_postgresql(element: _Value, compiler: SQLCompiler, **how: Any) -> str:
    row, position = (compiler.process(clause, **how) for clause in element.clauses)
    return f"({row} ->> {position})"


@compiles(_Among, "sqlite")
def _among_sqlite(element: _Among, compiler: SQLCompiler, **how: Any) -> str:
    column, found = (compiler.process(clause, **how) for clause in element.clauses)
    return f"{column} IN {found}"


@compiles(_Among, "postgresql")
def _among_postgresql(element: _Among, compiler: SQLCompiler, **how: Any) -> str:
    column, found = (compiler.process(clause, **how) for clause in element.clauses)
    return f"{column} = ANY (ARRAY{found})"
