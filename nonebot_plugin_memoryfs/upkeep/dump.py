"""Every table as lines of JSON, and back: one form for both databases (R6.5).

The first line names the columns; each further one is a row in their order. Times are ISO-8601 in UTC.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, cast

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    String,
    Table,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.exc import StatementError

from ..errors import InvalidInput
from ..storage.moment import Moment
from ..storage.upgrades import metadata
from .holdings import HOLDINGS

_CHUNK = 500
_REASON = 80
_LARGEST = 2**63


def tables() -> list[Table]:
    """What a backup holds, in an order in which rows may be written."""
    return [table for table in metadata.sorted_tables if not HOLDINGS[table.name].local]


def dump(connection: Connection, table: Table) -> Iterator[str]:
    """A table, line by line."""
    yield _line([column.name for column in table.c])
    query = select(table).order_by(*table.primary_key)
    for row in connection.execute(query, execution_options={"yield_per": _CHUNK}):
        yield _line(list(row))


def load(connection: Connection, table: Table, lines: Iterable[bytes]) -> int:
    """Write the rows of a dump into an empty table; how many.

    Raises:
        InvalidInput: a line is not one of this table; names table, line and what is wrong.
    """
    rest = iter(lines)
    names = [column.name for column in table.c]
    if _parse(table, 1, next(rest, b"")) != names:
        raise InvalidInput(f"备份里 {table.name} 的列不是 {'、'.join(names)}")
    rows = (_row(table, number, line) for number, line in enumerate(rest, 2))
    written = 0
    while some := list(islice(rows, _CHUNK)):
        try:
            connection.execute(insert(table), some)
        except StatementError as error:
            raise InvalidInput(f"备份里 {table.name} 的内容存不下：{error.orig}") from None
        written += len(some)
    return written


def last_ids(connection: Connection) -> dict[str, int]:
    """The last id each table gave, that of a deleted row too: none is given twice after a restore."""
    given = {t.name: int(connection.scalar(select(func.max(_id(t)))) or 0) for t in _numbered()}
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT name, seq FROM sqlite_sequence"))
        counted = {str(name): int(seq) for name, seq in rows}
    else:
        counted = {t.name: int(connection.scalar(_last_value(t)) or 0) for t in _numbered()}
    return {name: max(last, counted.get(name, 0)) for name, last in given.items()}


def count_on(connection: Connection, last: dict[str, int]) -> None:
    """Let the tables go on counting behind these ids."""
    for table in _numbered():
        given = max(last.get(table.name, 0), int(connection.scalar(select(func.max(_id(table)))) or 0))
        if not given:
            continue
        if connection.dialect.name == "postgresql":
            named = func.pg_get_serial_sequence(table.name, _id(table).name)
            connection.execute(select(func.setval(named, given)))
        elif table.dialect_options["sqlite"]["autoincrement"]:
            sequence = {"name": table.name, "seq": given}
            connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), sequence)
            connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), sequence)


def _numbered() -> list[Table]:
    """The tables whose ids the database gives."""
    return [table for table in tables() if table.autoincrement_column is not None]


def _id(table: Table) -> Column[int]:
    column = table.autoincrement_column
    assert column is not None
    return column


def _last_value(table: Table) -> Any:
    return select(func.pg_sequence_last_value(func.pg_get_serial_sequence(table.name, _id(table).name)))


def _line(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=_time) + "\n"


def _time(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    raise TypeError(f"{value!r} has no form in a dump")


def _parse(table: Table, number: int, line: bytes) -> Sequence[Any]:
    try:
        values: Any = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list):
        raise InvalidInput(f"备份里 {table.name} 的第 {number} 行不是一行数据")
    return cast(list[Any], values)


def _row(table: Table, number: int, line: bytes) -> dict[str, Any]:
    values = _parse(table, number, line)
    if len(values) != len(table.c):
        raise InvalidInput(f"备份里 {table.name} 的第 {number} 行有 {len(values)} 列，应有 {len(table.c)} 列")
    pairs = zip(table.c, values, strict=True)
    return {column.name: _value(column, value, table, number) for column, value in pairs}


def _value(column: Column[Any], value: Any, table: Table, number: int) -> Any:
    if value is None and column.nullable:
        return None
    if isinstance(column.type, Moment):
        try:
            time = datetime.fromisoformat(str(value))
        except ValueError:
            time = None
        if time is not None and time.tzinfo is not None:
            return time
    elif value is not None and _fits(column, value):
        return value
    where = f"备份里 {table.name} 的第 {number} 行"
    raise InvalidInput(f"{where}，{column.name} 的值不对：{repr(value)[:_REASON]}")


def _fits(column: Column[Any], value: Any) -> bool:
    if isinstance(column.type, JSON):
        return True
    if isinstance(column.type, Boolean):
        return isinstance(value, bool)
    if isinstance(column.type, Integer):
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST
    if isinstance(column.type, Float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    most = column.type.length if isinstance(column.type, String) else None
    return isinstance(value, str) and "\0" not in value and (most is None or len(value) <= most)
