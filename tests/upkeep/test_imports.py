"""R6.6: what other programs remembered is taken in, counted first, and the same when run again."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.__main__ import main
from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.upkeep import Importer
from nonebot_plugin_memoryfs.upkeep.dump import dump, tables

from ..conftest import Clock
from .conftest import in_group, private

ME = private("10001")


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[App]:
    app = App.open(Settings(), tmp_path / "data", clock=clock)
    yield app
    app.rooms.store.close()


@pytest.fixture
def importer(opened: App) -> Importer:
    rooms = opened.rooms
    return Importer(rooms.store, rooms.memory, rooms.prompts, rooms.graph, rooms.zone)


def held(app: App) -> list[str]:
    with app.rooms.store.database.read() as connection:
        return [line for table in tables() for line in dump(connection, table)]


def upstream(folder: Path) -> Path:
    (folder / "data" / "web").mkdir(parents=True)
    (folder / "resources" / "prompts" / "user").mkdir(parents=True)
    files = {
        "characters/neko/users/10001/user_persona.md": {"content": "喜欢茶\n\n养了猫", "importance": 0.7},
        "characters/neko/timeline.md": {
            "content": "[2026-07-01 09:00] 没写在哪儿\n\n[2026-07-01 09:30] [conv:qq_group_9] 一起看海"
        },
        "characters/neko/../evil.md": {"content": "x"},
    }
    (folder / "data" / "web" / "memory_fs.json").write_text(json.dumps(files))
    notes = [
        {"id": "a1", "title": "茶", "content": "爱喝乌龙", "target_id": "user_10001", "type": "long"},
        {"key": "猫", "value": "叫团子", "target_id": "user_10001"},
        {"title": "坏的", "content": 3, "target_id": "user_10001", "type": "sometimes"},
        "不是记录",
    ]
    (folder / "data" / "memories.json").write_text(json.dumps(notes))
    (folder / "resources" / "prompts" / "neko.txt").write_text("你是猫娘")
    (folder / "resources" / "prompts" / "user" / "user_10001.txt").write_text("叫我主人")
    return folder


def test_r6_6_the_upstreams_files_are_taken_in_once(opened: App, importer: Importer, tmp_path: Path) -> None:
    source = upstream(tmp_path / "old")
    before = held(opened)
    counted = importer.run(source, dry_run=True)
    assert held(opened) == before
    imported = importer.run(source)
    assert imported.new == counted.new == {"记忆文件": 2, "便签": 2, "提示词": 2}
    assert len(imported.refused) == 3
    memory = opened.rooms.memory
    context = memory.build_prompt_context("neko", "10001", "qq_private_10001")
    assert "喜欢茶" in context
    assert "没写在哪儿" not in context
    assert "喜欢茶" not in memory.build_prompt_context("neko", "10002", "qq_private_10002")
    assert {n.content for n in opened.rooms.prompts.notes.find("user_10001")} == {"爱喝乌龙", "叫团子"}
    assert opened.rooms.prompts.load_base_prompt(user_id="10001") == "叫我主人"

    after = held(opened)
    again = importer.run(source)
    assert again.new == {}
    assert held(opened) == after


def test_r6_6_what_is_here_already_stays(opened: App, importer: Importer, tmp_path: Path) -> None:
    memory = opened.rooms.memory
    path = memory.path_user_persona("neko", "10001")
    memory.write(path, content="喜欢茶\n\n怕黑", title="自己写的")
    opened.rooms.prompts.save_prompt("自己的默认")
    imported = importer.run(upstream(tmp_path / "old"))
    assert imported.new == {"条目": 1, "记忆文件": 1, "便签": 2, "提示词": 1}
    assert [entry.text for entry in memory.entries(path)] == ["喜欢茶", "怕黑", "养了猫"]
    file = memory.read(path)
    assert file is not None
    assert file.title == "自己写的"
    assert opened.rooms.prompts.load_base_prompt() == "自己的默认"


def trulymem(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE entities (id INTEGER PRIMARY KEY, name TEXT UNIQUE, type TEXT, created_at TEXT);"
        "CREATE TABLE relations (id INTEGER PRIMARY KEY, source_id INT, target_id INT, relation_type TEXT,"
        " confidence REAL, status TEXT, created_at TEXT);"
    )
    names = ["用户", "火锅", "AI", "温柔", "Task_1", "TaskNode", "香菜", "成都"]
    connection.executemany("INSERT INTO entities (id, name) VALUES (?, ?)", list(enumerate(names)))
    rows = [
        (0, 1, "喜欢", "active"),
        (0, 1, "喜欢", "active"),
        (2, 3, "性格", "active"),
        (4, 5, "is_type", "active"),
        (0, 6, "讨厌", "deleted"),
        (0, 7, "住在", "active"),
    ]
    connection.executemany(
        "INSERT INTO relations (source_id, target_id, relation_type, status, created_at)"
        " VALUES (?, ?, ?, ?, '2025-03-01 10:00:00')",
        rows,
    )
    connection.commit()
    connection.close()
    return path


def test_r6_6_a_trulymem_graph_is_one_persons(opened: App, importer: Importer, tmp_path: Path) -> None:
    source = trulymem(tmp_path / "memory.db")
    with pytest.raises(InvalidInput, match="--user"):
        importer.run(source)
    assert importer.run(source, dry_run=True, scope=ME).new == {"事实": 3}
    assert importer.run(source, scope=ME).new == {"事实": 3}
    facts = opened.rooms.graph.memory_recall(ME, "火锅、成都、香菜").facts
    assert {fact.object for fact in facts} == {"火锅", "成都"}
    assert {(fact.last_seen.year, fact.sightings) for fact in facts} == {(2025, 1)}
    assert "温柔" in opened.rooms.graph.persona(ME).text
    assert opened.rooms.graph.memory_recall(in_group("10001"), "火锅").facts == ()
    after = held(opened)
    assert (importer.run(source, scope=ME).new, importer.run(source, scope=ME).known) == ({}, 3)
    assert held(opened) == after


@pytest.mark.parametrize("name", ["nothing", "bad.json", "bad.db", "number.json"])
def test_r6_6_what_is_not_known_is_refused(
    name: str, opened: App, importer: Importer, tmp_path: Path
) -> None:
    source = tmp_path / name
    if "." in name:
        source.write_text("7" if name == "number.json" else "{")
    before = held(opened)
    with pytest.raises(InvalidInput, match=name):
        importer.run(source, scope=ME)
    assert held(opened) == before


def test_r6_6_import_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = upstream(tmp_path / "old")
    command = ["--data", str(tmp_path / "data"), "import", str(source)]
    assert main([*command, "--dry-run"]) == 0
    assert "没有写入" in capsys.readouterr().out
    assert main(command) == 0
    assert "记忆文件 2" in capsys.readouterr().out
    assert main(command) == 0
    assert "没有新的" in capsys.readouterr().out
