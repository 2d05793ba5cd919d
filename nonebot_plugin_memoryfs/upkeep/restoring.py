"""Restoring a backup into an empty place: all of it, checked, or nothing (R6.5)."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, delete, func, insert, select

from ..errors import InvalidInput
from ..memory import MemoryFS
from ..prompt import PromptManager
from ..scope import Policy, group_of
from ..storage import Store
from ..storage.directory import make_private
from ..storage.store import DATABASE_FILE, utc_now
from ..storage.tables import erasures
from .archive import Archive, open_archive
from .backup import FACES
from .dump import count_on, load, tables
from .erased_ids import FILE as SEALED_FILE
from .erased_ids import SealedId, erased_since, read_sealed, sealed_ids
from .people import everybody, groups
from .room import BACKUPS, Upkeep
from .verify import Report, verify


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore brought back."""

    rows: int
    report: Report
    erased: int
    """How many people and groups were erased again: they had been erased since the backup was made."""

    @property
    def text(self) -> str:
        """For people."""
        again = f"；备份之后清除过的 {self.erased} 个人或群已再次清除" if self.erased else ""
        return f"已恢复 {self.rows} 行{again}。\n{self.report.text}"


def restore(
    path: Path,
    data_dir: Path,
    database_url: str | None = None,
    *,
    policy: Policy,
    zone: ZoneInfo,
    clock: Callable[[], datetime] = utc_now,
) -> Restored:
    """Bring a backup back into an empty place, and erase again who was erased since it was made.

    Args:
        path: the ZIP; the record of erasures beside it counts, and the one in the directory's own backups.
        data_dir: the directory; its JSON files are made anew.
        database_url: a database elsewhere, which is empty too.
        policy: what may pass from one conversation to another (R1.17).
        zone: the zone of the memory files.
        clock: the time.

    Raises:
        InvalidInput: the backup can't be used, or the place is not empty; nothing was changed.
        OperatorError: the place can't be used; a bot runs on it, for one.
    """
    archive = open_archive(path)
    sealed = [
        *read_sealed(path.with_name(SEALED_FILE)),
        *read_sealed(data_dir / BACKUPS / SEALED_FILE),
    ]
    _check_empty(data_dir, database_url)
    new = not (data_dir / DATABASE_FILE).exists()
    store = Store.open(data_dir, database_url, clock=clock)
    try:
        with store.database.write() as connection:
            rows, report, again = _write(connection, archive, sealed)
        _put_files(archive, data_dir)
        upkeep = Upkeep(store, MemoryFS(store, timezone=zone, policy=policy), policy, zone)
        with PromptManager(store=store, timezone=zone, policy=policy):
            for id in again:
                erase = upkeep.erase_person if group_of(id) is None else upkeep.clear_conversation
                erase(id)
            store.push_faces()
        new = False
        return Restored(rows, report, len(again))
    finally:
        store.close()
        for suffix in ("", "-wal", "-shm") if new else ():
            (data_dir / f"{DATABASE_FILE}{suffix}").unlink(missing_ok=True)


def _check_empty(data_dir: Path, database_url: str | None) -> None:
    names = FACES if database_url else (DATABASE_FILE, *FACES)
    if held := [name for name in names if (data_dir / name).exists()]:
        raise InvalidInput(
            f"{data_dir} 不是空的（有 {'、'.join(held)}）：恢复只写进空的地方，请另选目录或先移走"
        )


def _write(
    connection: Connection, archive: Archive, sealed: Sequence[SealedId]
) -> tuple[int, Report, list[str]]:
    """Write the rows; how many, what the check says, and whom to erase again."""
    held = [t.name for t in tables() if connection.scalar(select(func.count()).select_from(t))]
    if held:
        raise InvalidInput(f"数据库不是空的（{'、'.join(held)}）：恢复只写进空的数据库")
    rows = sum(load(connection, table, archive.lines(table)) for table in tables())
    count_on(connection, archive.last_ids)
    report = verify(connection)
    if not report.ok:
        raise InvalidInput(f"备份的内容对不上，没有采用。{report.text}")
    known = {one.salt: one for one in (*sealed_ids(connection), *sealed)}
    connection.execute(delete(erasures))
    if known:
        connection.execute(insert(erasures), [asdict(one) for one in known.values()])
    again = erased_since([*everybody(connection), *groups(connection)], list(known.values()), archive.made_at)
    return rows, report, again


def _put_files(archive: Archive, directory: Path) -> None:
    """Put back what stood beside the tables; what is there already stays."""
    for name in archive.files:
        path = directory / name
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_bytes(archive.file(name))
            make_private(path)
