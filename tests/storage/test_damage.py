"""R6.2, R6.3: directories and files that can't be used say so by name, and nothing in them is lost."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import insert

from nonebot_plugin_memoryfs.errors import DataDirectoryError, DirectoryNotWritable, SchemaTooNew
from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.prompt import PromptManager
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.directory import DirectoryLock
from nonebot_plugin_memoryfs.storage.store import DATABASE_FILE
from nonebot_plugin_memoryfs.storage.tables import upgrades

from ..conftest import Clock

PERSONA = "characters/neko/users/1/user_persona.md"
posix = pytest.mark.skipif(os.name != "posix", reason="users and file modes are POSIX")

OPEN_AS_NOBODY = """
import os, sys
from nonebot_plugin_memoryfs.storage import Store
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    Store.open(sys.argv[1])
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


def opened_by_nobody(directory: Path) -> str:
    """What somebody without rights is told who opens a store there."""
    for parent in directory.parents:  # the way there is open to everybody
        if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", OPEN_AS_NOBODY, str(directory)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def fill(directory: Path) -> None:
    """A store with a file and a prompt."""
    with Store.open(directory) as store:
        MemoryFS(store).write(PERSONA, content="喜欢动漫")
        PromptManager(store=store).save_prompt("你是猫", user_id="1")


def contents(directory: Path) -> tuple[str, str]:
    """What a store has of them."""
    with Store.open(directory) as store:
        file = MemoryFS(store).read(PERSONA)
        return file.content if file else "", PromptManager(store=store).load_base_prompt("1")


def damaged(directory: Path) -> bytes:
    """Put garbage in the place of the database; the garbage."""
    garbage = b"not a database at all, " * 400
    (directory / DATABASE_FILE).write_bytes(garbage)
    return garbage


@posix
def test_r6_03_a_directory_of_somebody_else_is_named(tmp_path: Path) -> None:
    mine = tmp_path / "data"
    mine.mkdir(mode=0o755)
    if os.getuid() != 0:
        mine.chmod(0o555)
        mine = mine / "below"
    told = opened_by_nobody(mine)
    assert told.startswith("DirectoryNotWritable: ")
    assert str(mine) in told
    assert not (tmp_path / "data" / DATABASE_FILE).exists()


@posix
def test_r6_03_a_directory_that_cannot_be_made_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o555)
    told = opened_by_nobody(tmp_path / "data" / "below")
    assert told.startswith("DirectoryNotWritable: ")
    assert str(tmp_path / "data" / "below") in told


@posix
def test_r6_03_a_read_only_database_file_is_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    fill(data)
    if os.getuid() == 0:
        os.chown(data, 65534, 65534)
        for file in data.iterdir():
            os.chown(file, 65534, 65534)
    (data / DATABASE_FILE).chmod(0o444)
    before = (data / DATABASE_FILE).read_bytes()
    told = opened_by_nobody(data)
    assert told.startswith("DirectoryNotWritable: ")
    assert str(data / DATABASE_FILE) in told
    assert (data / DATABASE_FILE).read_bytes() == before


def test_r6_03_a_directory_in_the_place_of_the_database_is_named(tmp_path: Path) -> None:
    (tmp_path / DATABASE_FILE).mkdir()
    with pytest.raises(DirectoryNotWritable, match=DATABASE_FILE):
        Store.open(tmp_path)
    DirectoryLock(tmp_path).release()


@pytest.mark.parametrize("name", ["prompts.json", "memory_fs.json"])
def test_r6_02_a_directory_in_the_place_of_a_json_file_is_set_aside(tmp_path: Path, name: str) -> None:
    fill(tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    (tmp_path / name / "inside.txt").write_text("kept")
    assert contents(tmp_path) == ("喜欢动漫", "你是猫")
    [aside] = tmp_path.glob(f"{name}.unreadable-*")
    assert (aside / "inside.txt").read_text() == "kept"
    json.loads((tmp_path / name).read_text("utf-8"))


def test_r6_02_what_the_disk_refuses_is_reported_and_the_tables_count(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fs = MemoryFS(store)
    fs.write(PERSONA, content="喜欢动漫")
    store.face("memory_fs.json", None).flush()  # pyright: ignore
    assert store.directory is not None
    (store.directory / "memory_fs.json").write_text("half a f")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", refuse)
        for _ in range(3):
            assert fs.entries(PERSONA)[0].text == "喜欢动漫"
    assert [text for _, text in store.notices if "Permission denied" in text] == [store.notices[-1][1]]
    assert (store.directory / "memory_fs.json").read_text() == "half a f"


def test_r6_02_without_the_database_both_json_files_are_loaded(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / DATABASE_FILE).unlink()
    assert contents(tmp_path) == ("喜欢动漫", "你是猫")


def test_r6_02_the_wal_of_a_database_that_is_gone_does_no_harm(tmp_path: Path) -> None:
    fill(tmp_path)
    for name in ("-wal", "-shm"):
        (tmp_path / f"{DATABASE_FILE}{name}").write_bytes(os.urandom(40_000))
    (tmp_path / DATABASE_FILE).unlink()
    assert contents(tmp_path) == ("喜欢动漫", "你是猫")


def test_r6_03_a_damaged_database_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    fill(tmp_path)
    garbage = damaged(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.glob("*.json")}
    for _ in range(2):
        with pytest.raises(DataDirectoryError, match="JSON") as told:
            Store.open(tmp_path)
        assert str(tmp_path / DATABASE_FILE) in str(told.value)
        assert "移走" in str(told.value)
    assert (tmp_path / DATABASE_FILE).read_bytes() == garbage
    assert {file.name: file.read_bytes() for file in tmp_path.glob("*.json")} == before
    (tmp_path / DATABASE_FILE).rename(tmp_path / "old.db")
    assert contents(tmp_path) == ("喜欢动漫", "你是猫")


def test_r6_03_a_database_damaged_behind_its_first_page_is_named(tmp_path: Path) -> None:
    fill(tmp_path)
    path = tmp_path / DATABASE_FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))
    before = {file.name: file.read_bytes() for file in tmp_path.glob("*.json")}
    with pytest.raises(DataDirectoryError, match=DATABASE_FILE):
        contents(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.glob("*.json")} == before
    path.unlink()
    assert contents(tmp_path) == ("喜欢动漫", "你是猫")


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")
@pytest.mark.parametrize("trouble", ["too new", "damaged"])
def test_r6_03_a_refused_open_leaves_nothing_open(tmp_path: Path, clock: Clock, trouble: str) -> None:
    with Store.open(tmp_path) as store, store.database.write() as c:
        c.execute(insert(upgrades).values(number=999, name="future", applied_at=clock()))
    if trouble == "damaged":
        damaged(tmp_path)

    def refused() -> int:
        with pytest.raises((SchemaTooNew, DataDirectoryError)):
            Store.open(tmp_path)
        return _descriptors()

    before = refused()
    for _ in range(3):
        after = refused()
    assert after == before
    DirectoryLock(tmp_path).release()


def test_r6_03_a_file_that_cannot_be_written_at_the_end_keeps_nothing_else_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path)
    PromptManager(store=store).save_prompt("你是猫")
    fs = MemoryFS(store)
    fs.write(PERSONA, content="喜欢动漫")
    real = os.replace

    def refuse_one(source: Path, target: Path) -> None:
        if Path(target).name == "prompts.json":
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr("os.replace", refuse_one)
    store.face("prompts.json", None).mark()  # pyright: ignore
    store.close()
    monkeypatch.undo()
    assert "喜欢动漫" in (tmp_path / "memory_fs.json").read_text("utf-8")
    assert any("prompts.json" in text and "No space" in text for _, text in store.notices)
    assert contents(tmp_path) == ("喜欢动漫", "你是猫")
    assert sqlite3.connect(tmp_path / DATABASE_FILE).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_r6_03_a_hold_handed_to_a_store_goes_with_its_last_close(tmp_path: Path) -> None:
    held = DirectoryLock(tmp_path)
    first = Store.open(tmp_path, held=held)
    other = DirectoryLock(tmp_path / "other")
    assert Store.open(tmp_path, held=held) is Store.open(tmp_path, held=other) is first
    for _ in range(2):
        first.close()
    with pytest.raises(DataDirectoryError):
        DirectoryLock(tmp_path / "other")
    first.close()
    for path in (tmp_path, tmp_path / "other"):
        DirectoryLock(path).release()
