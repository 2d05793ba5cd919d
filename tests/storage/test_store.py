"""R6.1, R6.3, R6.7: one store per directory, private, held by one process, upgraded in steps."""

import os
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, inspect, select, text, update

from nonebot_plugin_memoryfs.errors import ConfigError, DirectoryNotWritable, SchemaTooNew
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Database, Store
from nonebot_plugin_memoryfs.storage.presence import note_presence, viewer_of
from nonebot_plugin_memoryfs.storage.prompt_tables import layers
from nonebot_plugin_memoryfs.storage.tables import metadata, presence, upgrades
from nonebot_plugin_memoryfs.storage.upgrades import UPGRADES, Upgrade, upgrade

from ..conftest import Clock
from ..postgres import on_both


def test_r6_03_one_process_shares_one_store(tmp_path: Path) -> None:
    first = Store.open(tmp_path)
    second = Store.open(str(tmp_path / "." / ""))
    assert first is second
    first.close()
    with second.database.read() as c:
        assert c.scalar(select(1)) == 1
    second.close()


def _open_elsewhere(directory: Path) -> subprocess.CompletedProcess[str]:
    code = f"from nonebot_plugin_memoryfs.storage import Store; Store.open({str(directory)!r}).close()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_r6_03_a_second_process_is_refused_by_name(tmp_path: Path) -> None:
    with Store.open(tmp_path):
        refused = _open_elsewhere(tmp_path)
    assert refused.returncode != 0
    assert "DirectoryInUse" in refused.stderr
    assert str(tmp_path) in refused.stderr
    assert str(os.getpid()) in refused.stderr
    assert _open_elsewhere(tmp_path).returncode == 0


def test_r6_03_the_lock_goes_with_a_killed_process(tmp_path: Path) -> None:
    code = (
        f"import os; from nonebot_plugin_memoryfs.storage import Store; Store.open({str(tmp_path)!r});"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    Store.open(tmp_path).close()


@pytest.mark.skipif(os.name != "posix", reason="directory modes are POSIX")
def test_r6_03_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("not a directory")
    with pytest.raises(DirectoryNotWritable, match="file"):
        Store.open(blocker / "data")


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_r6_07_data_is_private(tmp_path: Path) -> None:
    with Store.open(tmp_path / "data") as store:
        with store.database.write() as c:
            note_presence(c, "1", "qq_group_1", store.clock())
        assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
        for file in (tmp_path / "data").iterdir():
            assert file.stat().st_mode & 0o077 == 0, file


def test_r6_01_neither_directory_nor_url_is_an_error() -> None:
    with pytest.raises(ConfigError, match="data_dir"):
        Store.open()
    with pytest.raises(ConfigError, match="postgresql"):
        Store.open(database_url="not a url")


def test_r6_01_sqlite_is_durable_and_leaves_no_ghosts(store: Store) -> None:
    with store.database.raw() as connection:
        read = {p: connection.execute(f"PRAGMA {p}").fetchone()[0] for p in _PRAGMAS}
    assert read == _PRAGMAS


_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 2,
    "secure_delete": 1,
    "foreign_keys": 1,
    "wal_autocheckpoint": 0,
}


@on_both
def test_r6_01_nested_writes_are_one_transaction(store: Store, clock: Clock) -> None:
    class Stop(Exception):
        pass

    def write_then_stop() -> None:
        with store.database.write() as outer:
            note_presence(outer, "1", "qq_group_1", clock())
            with store.database.write() as inner:
                assert inner is outer
                note_presence(inner, "2", "qq_group_1", clock())
            with store.database.read() as inside:
                assert len(inside.execute(select(presence)).all()) == 2
            raise Stop

    with pytest.raises(Stop):
        write_then_stop()
    with store.database.read() as c:
        assert c.execute(select(presence)).all() == []


@on_both
def test_r2_18_threads_that_read_then_write_lose_nothing(store: Store) -> None:
    counter = select(layers.c.content)
    with store.database.write() as c:
        c.execute(insert(layers).values(level="user", target_id="1", content="0", updated_at=store.clock()))

    def work() -> None:
        for _ in range(25):
            with store.database.write() as c:
                c.execute(update(layers).values(content=str(int(c.scalar(counter) or 0) + 1)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.database.read() as c:
        assert c.scalar(counter) == "200"


@on_both
def test_r1_17_presence_keeps_the_earliest_sighting(store: Store, clock: Clock) -> None:
    late = clock()
    early = datetime.fromisoformat("2026-01-01T00:00:00+08:00")
    with store.database.write() as c:
        for at in (late, early, late):
            note_presence(c, "u1", "qq_group_1", at)
        viewer = viewer_of(c, Scope("neko", "qq_private_u1", "u1", True))
    assert viewer.seen_in == {"qq_group_1": early}


class TestUpgrades:
    """R6.1: numbered, change and record in one transaction, after a backup."""

    @staticmethod
    def applied(database: Database) -> list[int]:
        with database.read() as c:
            return list(c.scalars(select(upgrades.c.number).order_by(upgrades.c.number)))

    @on_both
    def test_r6_01_a_failing_step_rolls_back_whole_and_can_be_repeated(
        self, store: Store, tmp_path: Path, clock: Clock
    ) -> None:
        def half(connection: Connection) -> None:
            connection.execute(text("CREATE TABLE half (a INTEGER)"))
            raise RuntimeError("power cut")

        with store.database.write() as c:
            note_presence(c, "1", "c", clock())
        number = len(UPGRADES) + 1
        backup = tmp_path / "backup.db"
        with pytest.raises(RuntimeError, match="power cut"):
            upgrade(store.database, clock, backup, (*UPGRADES, Upgrade(number, "half", half)))
        assert number not in self.applied(store.database)
        with store.database.read() as c:
            assert not inspect(c).has_table("half")
            assert len(c.execute(select(presence)).all()) == 1
        again: list[int] = []
        steps = (*UPGRADES, Upgrade(number, "whole", lambda _: again.append(1)))
        upgrade(store.database, clock, backup, steps)
        upgrade(store.database, clock, backup, steps)
        assert again == [1]
        assert self.applied(store.database)[-1] == number
        if store.database.dialect == "sqlite":
            copy = Database.sqlite(backup)
            with copy.read() as c:
                assert len(c.execute(select(presence)).all()) == 1
            copy.close()

    @on_both
    def test_r6_01_a_newer_database_is_refused_untouched(
        self, tmp_path: Path, clock: Clock, database_url: str | None
    ) -> None:
        with Store.open(tmp_path, database_url) as store, store.database.write() as c:
            c.execute(insert(upgrades).values(number=999, name="future", applied_at=clock()))
        with pytest.raises(SchemaTooNew, match="999"):
            Store.open(tmp_path, database_url)

    @on_both
    def test_r6_01_every_table_exists_after_the_upgrades(self, store: Store) -> None:
        with store.database.read() as c:
            names = set(inspect(c).get_table_names())
        assert set(metadata.tables) <= names
