"""R6.3: the command line reads beside a running bot; it writes nothing and keeps nobody waiting."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select
from sqlalchemy.exc import OperationalError

from nonebot_plugin_memoryfs.errors import DataDirectoryError, SchemaTooNew
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import note_presence
from nonebot_plugin_memoryfs.storage.store import DATABASE_FILE, open_beside
from nonebot_plugin_memoryfs.storage.tables import presence, upgrades

from ..conftest import Clock


def speak(store: Store, user: str) -> None:
    with store.database.write() as c:
        note_presence(c, user, "qq_group_1", store.clock())


def speakers(directory: Path) -> list[str]:
    database = open_beside(directory, None)
    try:
        with database.read() as c:
            return sorted(c.scalars(select(presence.c.user_id)))
    finally:
        database.close()


def state(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file: mode, time, content."""
    return {
        file.name: (file.stat().st_mode, file.stat().st_mtime_ns, file.read_bytes())
        for file in directory.iterdir()
    }


def test_r6_03_what_the_bot_has_just_committed_is_seen(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        speak(store, "1")
        assert speakers(tmp_path) == ["1"]
        speak(store, "2")
        assert speakers(tmp_path) == ["1", "2"]


def test_r6_03_the_wal_is_left_to_the_bot(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        speak(store, "1")
        wal = tmp_path / f"{DATABASE_FILE}-wal"
        before = wal.stat().st_size
        assert before > 0
        speakers(tmp_path)
        assert wal.stat().st_size == before


def test_r6_03_why_never_waits_for_a_reader_and_so_keeps_no_writer_waiting(tmp_path: Path) -> None:
    """A checkpoint that empties the WAL waits for this reader, and every writer for the checkpoint."""
    with Store.open(tmp_path) as store:
        speak(store, "1")
        with store.database.read() as reader:
            assert len(reader.execute(select(presence)).all()) == 1
            command = [sys.executable, "-m", "nonebot_plugin_memoryfs", "--data", str(tmp_path), "why"]
            asked = subprocess.run(command, capture_output=True, text=True, timeout=25)
        assert asked.stdout.strip() == "还没有这样的对话"
        speak(store, "2")


def test_r6_03_beside_nothing_can_be_written(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        speak(store, "1")
        database = open_beside(tmp_path, None)
        with pytest.raises(RuntimeError, match="reading only"), database.write():
            pass
        with pytest.raises(OperationalError, match="readonly"), database.read() as c:
            c.execute(delete(presence))
        database.close()
        assert speakers(tmp_path) == ["1"]


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_r6_03_without_a_bot_no_file_is_made_or_touched(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        speak(store, "1")
    (tmp_path / DATABASE_FILE).chmod(0o640)
    before = state(tmp_path)
    assert speakers(tmp_path) == ["1"]
    assert state(tmp_path) == before


def test_r6_03_after_a_crash_the_committed_is_read_from_the_wal(tmp_path: Path) -> None:
    with Store.open(tmp_path / "live") as store:
        speak(store, "1")
        shutil.copytree(
            tmp_path / "live", tmp_path / "crashed", ignore=shutil.ignore_patterns("*-shm", "*.lock")
        )
    assert speakers(tmp_path / "crashed") == ["1"]
    with Store.open(tmp_path / "crashed"):
        assert speakers(tmp_path / "crashed") == ["1"]


def test_r6_03_odd_names_of_directories_are_opened(tmp_path: Path) -> None:
    directory = tmp_path / "a b#c?d%41猫"
    with Store.open(directory) as store:
        speak(store, "1")
        assert speakers(directory) == ["1"]
    assert speakers(directory) == ["1"]


def test_r6_03_what_cannot_be_read_beside_is_said(tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(DataDirectoryError, match="没有记忆数据"):
        open_beside(tmp_path, None)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / DATABASE_FILE).touch()
    with pytest.raises(DataDirectoryError, match="先启动一次机器人"):
        open_beside(tmp_path, None)
    (tmp_path / DATABASE_FILE).write_bytes(b"garbage " * 600)
    with pytest.raises(DataDirectoryError, match="已损坏"):
        open_beside(tmp_path, None)
    (tmp_path / DATABASE_FILE).unlink()
    with Store.open(tmp_path) as store, store.database.write() as c:
        c.execute(insert(upgrades).values(number=999, name="future", applied_at=clock()))
    with pytest.raises(SchemaTooNew):
        open_beside(tmp_path, None)
    with sqlite3.connect(tmp_path / DATABASE_FILE) as connection:
        assert connection.execute("SELECT max(number) FROM upgrades").fetchone() == (999,)
    connection.close()
