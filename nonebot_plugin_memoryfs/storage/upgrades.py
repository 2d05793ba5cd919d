"""Numbered schema upgrades: change and record in one transaction, at start, after a backup (R6.1)."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, insert, inspect, select

from ..errors import SchemaTooNew
from .database import Database
from .learning_tables import metadata  # of every table: those of learning are defined last
from .tables import upgrades


@dataclass(frozen=True, slots=True)
class Upgrade:
    """One step from a schema to the next."""

    number: int
    name: str
    change: Callable[[Connection], None]


def _initial(connection: Connection) -> None:
    metadata.create_all(connection)


UPGRADES: tuple[Upgrade, ...] = (Upgrade(1, "initial", _initial),)


def pending(connection: Connection, steps: Sequence[Upgrade] = UPGRADES) -> tuple[list[Upgrade], bool]:
    """The steps this database lacks, and whether it is a new, empty one.

    Raises:
        SchemaTooNew: it has steps this version does not know.
    """
    if not inspect(connection).has_table(upgrades.name):
        return list(steps), True
    applied = set(connection.scalars(select(upgrades.c.number)))
    unknown = applied - {step.number for step in steps}
    if unknown:
        raise SchemaTooNew(
            f"数据库由更新的版本写成（升级步骤 {max(unknown)}，本版本只到 {steps[-1].number}）：请升级插件"
        )
    return [step for step in steps if step.number not in applied], False


def upgrade(
    database: Database,
    now: Callable[[], datetime],
    backup_to: Path | None,
    steps: Sequence[Upgrade] = UPGRADES,
) -> None:
    """Bring the schema up to date; each step commits together with its record, and is done once.

    Args:
        database: the database to upgrade.
        now: the clock.
        backup_to: where a copy of the database goes before the first change (SQLite only).
        steps: the steps of this version, in order.

    Raises:
        SchemaTooNew: the database was written by a newer version.
    """
    with database.read() as connection:
        missing, new = pending(connection, steps)
    if missing and not new and backup_to and database.dialect == "sqlite":
        _copy(database, backup_to)
    for step in missing:
        with database.write() as connection:
            if step not in pending(connection, steps)[0]:
                continue  # another process was first
            upgrades.create(connection, checkfirst=True)
            step.change(connection)
            connection.execute(insert(upgrades).values(number=step.number, name=step.name, applied_at=now()))


def _copy(database: Database, target: Path) -> None:
    with database.raw() as source:
        copy = sqlite3.connect(target)
        try:
            source.backup(copy)
        finally:
            copy.close()
