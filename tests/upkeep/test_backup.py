"""R6.5: a backup in one call, restored into an empty place, checked; a broken one changes nothing."""

import hashlib
import json
import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.errors import DirectoryInUse, InvalidInput
from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.scope import Policy
from nonebot_plugin_memoryfs.search import TurnLog
from nonebot_plugin_memoryfs.storage import Database, Store
from nonebot_plugin_memoryfs.storage.store import open_beside
from nonebot_plugin_memoryfs.upkeep import Restored, restore, verify, write_backup
from nonebot_plugin_memoryfs.upkeep.archive import open_archive
from nonebot_plugin_memoryfs.upkeep.dump import dump, tables

from ..conftest import Clock
from ..postgres import BOTH, Server
from .conftest import SHANGHAI, Talk, in_group, private
from .test_erasing import SECRETS, found, plant, upkeep_of


def everything(database: Database) -> dict[str, list[str]]:
    with database.read() as connection:
        return {table.name: list(dump(connection, table)) for table in tables()}


def bring_back(backup: Path, target: Path, clock: Clock, url: str | None = None) -> Restored:
    return restore(backup, target, url, policy=Policy(), zone=SHANGHAI, clock=clock)


async def test_r6_5_a_backup_brings_everything_back(
    app: App, talk: Talk, tmp_path: Path, clock: Clock
) -> None:
    await plant(app, talk)
    cards = tmp_path / "data" / "characters"
    cards.mkdir()
    (cards / "neko.json").write_text("{}")
    backup = await in_thread(upkeep_of(app).backup)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700
    before = await in_thread(everything, app.rooms.store.database)

    restored = await in_thread(bring_back, backup, tmp_path / "new", clock)
    assert restored.report.ok, restored.text
    assert restored.erased == 0

    def look() -> None:
        database = open_beside(tmp_path / "new", None)
        try:
            assert everything(database) == before
        finally:
            database.close()
        assert (tmp_path / "new" / "characters" / "neko.json").read_text() == "{}"
        for name in ("memory_fs.json", "prompts.json"):
            old, new = (tmp_path / place / name for place in ("data", "new"))
            assert json.loads(new.read_text()) == json.loads(old.read_text())
        reopened = App.open(app.settings, tmp_path / "new", clock=clock)
        try:
            facts = reopened.rooms.graph.memory_recall(private("10001"), "我养了什么").text
            assert SECRETS["10001"] in facts
            turn = reopened.rooms.graph.open_turn(private("10001"), "小明", "新的一轮")
            assert f"[{turn}," not in "".join(before["turns"])
        finally:
            reopened.rooms.store.close()

    await in_thread(look)


@pytest.mark.parametrize("source", BOTH)
@pytest.mark.parametrize("target", BOTH)
def test_r6_5_a_backup_moves_between_databases(
    source: str, target: str, tmp_path: Path, clock: Clock, postgres_server: Server
) -> None:
    with postgres_server.database() as first, postgres_server.database() as second:
        urls = [first if source == "postgresql" else None, second if target == "postgresql" else None]
        with Store.open(tmp_path / "old", urls[0], clock=clock) as store:
            memory = MemoryFS(store)
            log = TurnLog(store)
            for n in range(3):
                entry = Entry(f"养猫{n}", at=clock(), conversation_id="qq_group_9", people=("1",))
                memory.append(memory.path_timeline("neko"), entry)
                log.add(in_group("1"), "小明", f"第{n}句话，说的是葡萄 é 𠮷", clock())
            backup = write_backup(store.database, tmp_path / "old", tmp_path / "zip", clock())
            before = everything(store.database)
        assert bring_back(backup, tmp_path / "new", clock, urls[1]).report.ok
        with Store.open(tmp_path / "new", urls[1], clock=clock) as store:
            assert everything(store.database) == before
            log = TurnLog(store)
            assert len(log.search(in_group("1"), "葡萄")) == 3
            assert log.add(in_group("1"), "小明", "又一句", clock()) == 4


def _brought_from_elsewhere(backup: Path, tmp_path: Path, clock: Clock) -> Restored:
    """A copy of a backup, kept elsewhere, into a directory in which the record of erasures is."""
    away = tmp_path / "away"
    away.mkdir()
    (tmp_path / "moved" / "backups").mkdir(parents=True)
    shutil.copy(backup, away)
    shutil.copy(backup.with_name("erasures.json"), tmp_path / "moved" / "backups")
    return bring_back(away / backup.name, tmp_path / "moved", clock)


async def test_r6_5_a_restore_erases_again_who_was_erased_since(
    app: App, talk: Talk, tmp_path: Path, clock: Clock
) -> None:
    await plant(app, talk)
    old = await in_thread(upkeep_of(app).backup)
    clock.advance(hours=1)
    await in_thread(upkeep_of(app).erase_person, "10001")
    clock.advance(hours=1)
    await talk.say(private("10001"), "我养了一只银色水獭")
    new = await in_thread(upkeep_of(app).backup)
    with zipfile.ZipFile(new) as archive:
        held = b"".join(archive.read(name) for name in archive.namelist())
    assert SECRETS["10001"].encode() not in held
    sealed = (old.parent / "erasures.json").read_text()
    assert "10001" not in sealed

    restored = await in_thread(bring_back, old, tmp_path / "new", clock)
    assert restored.erased == 1
    assert found(tmp_path / "new", [SECRETS["10001"]]) == []
    assert found(tmp_path / "new", [SECRETS["10002"]])
    assert (await in_thread(_brought_from_elsewhere, old, tmp_path, clock)).erased == 1
    assert found(tmp_path / "moved", [SECRETS["10001"]]) == []
    again = await in_thread(bring_back, new, tmp_path / "newer", clock)
    assert again.erased == 0  # what they said after it is theirs to keep
    assert found(tmp_path / "newer", ["银色水獭"])


async def test_r6_5_no_backup_is_kept_longer_than_seven_days(app: App, clock: Clock) -> None:
    made: list[Path] = []
    for _ in range(12):
        if backup := await in_thread(upkeep_of(app).daily):
            made.append(backup)
        assert await in_thread(upkeep_of(app).daily) is None
        clock.advance(hours=24)
    held = sorted(made[0].parent.glob("*.zip"))
    assert len(made) == 12
    assert held == made[-8:]
    clock.advance(days=30)
    assert await in_thread(upkeep_of(app).daily) is not None
    assert len(list(made[0].parent.glob("*.zip"))) == 1


async def test_r6_3_no_restore_into_what_is_in_use_or_not_empty(
    app: App, talk: Talk, tmp_path: Path, clock: Clock
) -> None:
    await talk.say(private("10001"), "我养了一只猫")
    backup = await in_thread(upkeep_of(app).backup)
    before = await in_thread(everything, app.rooms.store.database)
    with pytest.raises(InvalidInput, match="不是空的"):
        await in_thread(bring_back, backup, tmp_path / "data", clock)
    assert await in_thread(everything, app.rooms.store.database) == before


Change = Callable[[dict[str, bytes]], None]


def _manifest(change: Callable[[dict[str, Any]], None]) -> Change:
    def apply(members: dict[str, bytes]) -> None:
        manifest = json.loads(members["manifest.json"])
        change(manifest)
        members["manifest.json"] = json.dumps(manifest).encode()

    return apply


def _member(name: str, content: bytes) -> Change:
    """A member with its place in the manifest, as somebody who knows the form would write it."""

    def apply(members: dict[str, bytes]) -> None:
        members[name] = content
        entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        _manifest(lambda m: m["members"].update({name: entry}))(members)

    return apply


def _without(name: str) -> Change:
    def apply(members: dict[str, bytes]) -> None:
        del members[name]
        if name != "manifest.json":
            _manifest(lambda m: m["members"].pop(name))(members)

    return apply


def _rows(table: str, change: Callable[[list[bytes]], list[bytes]]) -> Change:
    name = f"tables/{table}.jsonl"

    def apply(members: dict[str, bytes]) -> None:
        _member(name, b"".join(change(members[name].splitlines(keepends=True))))(members)

    return apply


BROKEN: dict[str, tuple[Change, str]] = {
    "no manifest": (_without("manifest.json"), "manifest.json"),
    "another format": (_manifest(lambda m: m.update(format="x")), "format"),
    "a newer version": (_manifest(lambda m: m.update(version=2)), "另一个版本"),
    "another schema": (_manifest(lambda m: m.update(schema=99)), "另一个版本"),
    "a member not listed": (lambda m: m.update({"files/characters/x.json": b"{}"}), "清单对不上"),
    "a table is missing": (_without("tables/lines.jsonl"), "lines"),
    "a table we don't have": (_member("tables/evil.jsonl", b"[]\n"), "evil"),
    "changed bytes": (lambda m: m.update({"tables/lines.jsonl": m["tables/lines.jsonl"] + b" "}), "lines"),
    "a path above": (_member("files/characters/../../evil.sh", b"x"), "evil"),
    "an absolute path": (_member("files//etc/evil", b"x"), "evil"),
    "a path of another system": (_member("files/characters/a:evil", b"x"), "evil"),
    "a device of another system": (_member("files/characters/NUL.json", b"x"), "NUL"),
    "a file it must not set": (_member("files/web_token", b"x"), "web_token"),
    "wrong columns": (_rows("lines", lambda rows: [b'["id","nope"]\n']), "lines 的列"),
    "a row too short": (_rows("presence", lambda rows: [*rows, b'["1"]\n']), "presence 的第"),
    "no row at all": (_rows("presence", lambda rows: [*rows, b"{}\n"]), "presence 的第"),
    "a wrong value": (_rows("presence", lambda rows: [*rows, b'["1","c","now"]\n']), "first_at"),
    "a row twice": (_rows("presence", lambda rows: [*rows, rows[-1]]), "presence"),
    "rows that lack others": (_rows("lines", lambda rows: rows[:1]), "对不上"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_r6_5_a_manipulated_backup_is_refused_and_nothing_is_changed(
    name: str, tmp_path: Path, clock: Clock
) -> None:
    with Store.open(tmp_path / "old", clock=clock) as store:
        TurnLog(store).add(private("1"), "小明", "一句话", clock())
        backup = write_backup(store.database, tmp_path / "old", tmp_path / "zip", clock())
    change, told = BROKEN[name]
    with zipfile.ZipFile(backup) as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    change(members)
    with zipfile.ZipFile(backup, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    with pytest.raises(InvalidInput, match=told):
        bring_back(backup, tmp_path / "new", clock)
    left = {p.name for p in (tmp_path / "new").rglob("*")} if (tmp_path / "new").exists() else set[str]()
    assert left <= {"memoryfs.lock"}
    assert not (tmp_path / "evil.sh").exists()


def test_r6_5_a_broken_zip_and_a_bomb_are_refused(tmp_path: Path, clock: Clock) -> None:
    with Store.open(tmp_path / "old", clock=clock) as store:
        backup = write_backup(store.database, tmp_path / "old", tmp_path / "zip", clock())
    whole = backup.read_bytes()
    for raw in (b"", b"no zip", whole[: len(whole) // 2]):
        backup.write_bytes(raw)
        with pytest.raises(InvalidInput, match="备份"):
            bring_back(backup, tmp_path / "new", clock)
    with zipfile.ZipFile(backup, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * 5_000_000)
    with pytest.raises(InvalidInput, match="太大"):
        bring_back(backup, tmp_path / "new", clock)
    with pytest.raises(InvalidInput, match="没有备份文件"):
        bring_back(tmp_path / "none.zip", tmp_path / "new", clock)
    assert not (tmp_path / "new" / "memory.db").exists()


def test_r6_5_a_backup_with_any_wrong_byte_is_refused(tmp_path: Path, clock: Clock) -> None:
    with Store.open(tmp_path / "old", clock=clock) as store:
        TurnLog(store).add(private("1"), "小明", "一句话", clock())
        backup = write_backup(store.database, tmp_path / "old", tmp_path / "zip", clock())
    whole = backup.read_bytes()
    refused = 0
    for at in range(0, len(whole), 17):
        backup.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            archive = open_archive(backup)
        except InvalidInput:
            refused += 1
        else:  # a byte that nobody reads, a date for one
            assert all(list(archive.lines(table)) for table in tables())
    assert refused > len(whole) / 17 / 2


def test_r6_5_a_running_bot_keeps_a_restore_out(tmp_path: Path, clock: Clock) -> None:
    with Store.open(tmp_path / "old", clock=clock) as store:
        backup = write_backup(store.database, tmp_path / "old", tmp_path / "zip", clock())
    (tmp_path / "held").mkdir()
    with FileLock(tmp_path / "held" / "memoryfs.lock"), pytest.raises(DirectoryInUse):
        bring_back(backup, tmp_path / "held", clock)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM nodes WHERE key LIKE 'name:%'", "指向不存在"),
        ("DELETE FROM documents WHERE kind = 1", "不在索引里"),
        ("DELETE FROM postings WHERE kind = 1", "词和它的文档对不上"),
        ("UPDATE shelves SET documents = documents + 1", "计数不对"),
        ("DELETE FROM lines", "已经没有"),
        ("DROP TABLE presence", "没有表 presence"),
        ("ALTER TABLE presence RENAME COLUMN first_at TO at", "presence 的列不对"),
    ],
)
def test_r6_5_verify_finds_what_does_not_hang_together(
    damage: str, told: str, tmp_path: Path, clock: Clock
) -> None:
    app = App.open(Settings(), tmp_path / "data", clock=clock)
    app.rooms.graph.open_turn(private("1"), "小明", "我喜欢火锅")
    odd = {"subject": "%", "relation": "→", "object": "..."}  # names without a gram
    app.rooms.graph.memory_commit(
        private("1"), [{"subject": "用户", "relation": "喜欢", "object": "火锅"}, odd]
    )
    assert upkeep_of(app).verify().ok
    app.rooms.store.close()
    connection = sqlite3.connect(tmp_path / "data" / "memory.db")
    connection.execute(damage)
    connection.commit()
    connection.close()
    database = open_beside(tmp_path / "data", None)
    try:
        with database.read() as view:
            report = verify(view)
    finally:
        database.close()
    assert not report.ok
    assert told in report.text


def test_r6_5_a_backup_beside_a_running_bot(tmp_path: Path, clock: Clock) -> None:
    with Store.open(tmp_path / "data", clock=clock) as store:
        TurnLog(store).add(private("1"), "小明", "一句话", clock())
        beside = open_beside(tmp_path / "data", None)
        try:
            backup = write_backup(beside, tmp_path / "data", tmp_path / "zip", clock())
        finally:
            beside.close()
    assert bring_back(backup, tmp_path / "new", clock).rows > 0
