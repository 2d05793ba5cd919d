"""R6.6: what other programs remembered is taken in, counted first, and the same when run again."""

import json
import sqlite3
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.__main__ import main
from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.upkeep import Importer, Wish
from nonebot_plugin_memoryfs.upkeep.dump import dump, tables

from .conftest import in_group, private

ME = private("10001")


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
    counted = importer.run(source, Wish(dry_run=True))
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
    assert [entry.text for entry in memory.entries(path)] == ["养了猫", "喜欢茶", "怕黑"]
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
    assert importer.run(source, Wish(dry_run=True, scope=ME)).new == {"事实": 3}
    assert importer.run(source, Wish(scope=ME)).new == {"事实": 3}
    facts = opened.rooms.graph.memory_recall(ME, "火锅、成都、香菜").facts
    assert {fact.object for fact in facts} == {"火锅", "成都"}
    assert {(fact.last_seen.year, fact.sightings) for fact in facts} == {(2025, 1)}
    assert "温柔" in opened.rooms.graph.persona(ME).text
    assert opened.rooms.graph.memory_recall(in_group("10001"), "火锅").facts == ()
    after = held(opened)
    assert (importer.run(source, Wish(scope=ME)).new, importer.run(source, Wish(scope=ME)).known) == ({}, 3)
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
        importer.run(source, Wish(scope=ME))
    assert held(opened) == before


CARD = {"name": "阿晚", "systemPrompt": "你是阿晚，开旧书店。", "avatar": "x.png"}
PRESETS = [
    {"id": "tea", "name": "小茶", "systemPrompt": "你是小茶。"},
    {"id": "../evil", "name": "坏", "systemPrompt": "x"},
    {"id": "no:name", "name": "冒号", "systemPrompt": "x"},
    {"name": 7},
    "不是卡",
]


def bundle(**more: object) -> dict[str, object]:
    configs = {
        "memories": [{"title": "茶", "content": "爱喝乌龙", "target_id": "10001"}],
        "memory_fs": {"characters/阿晚/users/10001/user_persona.md": {"content": "喜欢旧书"}},
        "personality": CARD,
        "custom_personality_presets": PRESETS,
        "heartbeat": {"enabled": True},
        "api_keys": [{"key": "sk-secret"}],
        "skills": [],
        **more,
    }
    return {"type": "nbot_config_bundle", "version": 1, "configs": configs}


@pytest.mark.parametrize("name", ["config.nbotcfg", "bundle.json"])
def test_r6_6_a_plain_bundle_is_taken_in_once(
    opened: App, importer: Importer, tmp_path: Path, name: str
) -> None:
    source = tmp_path / name
    source.write_text(json.dumps(bundle()))
    before = held(opened)
    counted = importer.run(source, Wish(dry_run=True))
    assert held(opened) == before
    assert not (tmp_path / "data" / "characters").exists()
    imported = importer.run(source)
    assert imported.new == counted.new == {"记忆文件": 1, "便签": 1, "角色卡": 3}
    assert len(imported.refused) == 3
    assert "<>:" in imported.text
    assert "没有用到配置包里的 api_keys、heartbeat" in imported.text
    assert "/角色 切换 阿晚" in imported.text
    roster = opened.roster
    assert {"阿晚", "tea"} <= {card.id for card in roster.cards()}
    assert roster.card("阿晚").system_prompt == CARD["systemPrompt"]
    assert "喜欢旧书" in opened.rooms.memory.build_prompt_context("阿晚", "10001", "qq_private_10001")
    files = {path.name for path in (tmp_path / "data" / "characters").iterdir()}
    assert files == {"阿晚.json", "tea.json", "%2E%2E%2Fevil.json"}
    assert not (tmp_path / "evil.json").exists()
    after = held(opened)
    again = importer.run(source)
    assert (again.new, again.known) == ({}, 5)
    assert held(opened) == after
    assert b"sk-secret" not in b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())


def test_r6_6_a_card_that_is_here_stays(opened: App, importer: Importer, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "characters"
    folder.mkdir()
    (folder / "阿晚.json").write_text(json.dumps({**CARD, "systemPrompt": "自己写的"}))
    source = tmp_path / "resources" / "prompts"
    source.mkdir(parents=True)
    (source / "personality.json").write_text(json.dumps(CARD))
    for path in (tmp_path, source, source / "personality.json"):
        assert (importer.run(path).new, importer.run(path).known) == ({}, 1)
    assert opened.roster.card("阿晚").system_prompt == "自己写的"
    (folder / "阿晚.json").unlink()
    assert importer.run(source).new == {"角色卡": 1}
    (tmp_path / "custom_personality_presets.json").write_text(json.dumps(PRESETS[:1]))
    assert importer.run(tmp_path).new == {"角色卡": 1}


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.json", {"type": "nbot_config_bundle", "encrypted": True, "payload": "gAAAA"}, "加密"),
        ("a.nbotcfg", {"type": "nbot_config_bundle", "salt": "x", "payload": "gAAAA"}, "加密"),
        ("a.json", {"type": "nbot_config_bundle", "configs": []}, "configs"),
        ("a.json", bundle(memories={}, memory_fs=[1]), "configs.memory_fs"),
        ("a.json", {"type": "nbot_config_bundle", "configs": {"settings": {"a": 1}}}, "没有认识"),
        ("a.zip", b"PK\x03\x04rest", "压缩包"),
        ("a.nbotcfg", b"PK\x03\x04rest", "压缩包"),
    ],
)
def test_r6_6_a_bundle_that_can_t_be_read_is_refused(
    opened: App, importer: Importer, tmp_path: Path, name: str, content: object, why: str
) -> None:
    source = tmp_path / name
    source.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    before = held(opened)
    with pytest.raises(InvalidInput, match=why):
        importer.run(source)
    assert held(opened) == before


def contexts(app: App) -> dict[str, str]:
    """What may be told in a private chat, in a group, and in a stranger's chat."""
    build = app.rooms.memory.build_prompt_context
    return {
        "private": build("neko", "10001", "qq_private_10001"),
        "group": build("neko", "10001", "qq_group_9"),
        "stranger": build("neko", "10002", "qq_private_10002"),
    }


def test_r1_17_untagged_is_told_everywhere_only_where_it_is_trusted(
    opened: App, importer: Importer, tmp_path: Path
) -> None:
    source = upstream(tmp_path / "old")
    importer.run(source)
    plain = contexts(opened)
    assert "喜欢茶" in plain["private"]
    assert "喜欢茶" not in plain["group"]
    assert not any("没写在哪儿" in text for text in plain.values())

    trusted = importer.run(source, Wish(trust_untagged=True))
    assert trusted.new == {"改为处处可见的条目": 3, "改为处处可见的便签": 2}
    told = contexts(opened)
    assert all("没写在哪儿" in text for text in told.values())
    assert "[*]" not in told["group"]
    assert "喜欢茶" in told["group"]
    assert "喜欢茶" not in told["stranger"]  # it is in the file of another person
    assert not any("一起看海" in text for text in told.values())  # this one says where it was said
    assert [
        n.content for n in opened.rooms.prompts.notes.find("user_10001") if n.conversation_id != "*"
    ] == []

    after = held(opened)
    assert importer.run(source, Wish(trust_untagged=True)).new == {}
    assert importer.run(source).new == {}  # and nobody's word is taken back
    assert held(opened) == after


def test_r1_17_trusted_at_once(opened: App, importer: Importer, tmp_path: Path) -> None:
    source = upstream(tmp_path / "old")
    assert importer.run(source, Wish(trust_untagged=True)).new == {"记忆文件": 2, "便签": 2, "提示词": 2}
    assert all("没写在哪儿" in text for text in contexts(opened).values())


def test_r7_4_what_is_known_everywhere_is_erased_with_its_person(
    opened: App, importer: Importer, tmp_path: Path
) -> None:
    importer.run(upstream(tmp_path / "old"), Wish(trust_untagged=True))
    opened.keeping.erase_person("10001")
    assert "喜欢茶" not in "".join(held(opened))
    assert "乌龙" not in "".join(held(opened))


def test_r2_20_nobody_speaks_everywhere(opened: App) -> None:
    with pytest.raises(InvalidInput, match="处处"):
        opened.rooms.graph.memory_commit(Scope("neko", "*", "10001", True), [])


def test_r6_6_import_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = upstream(tmp_path / "old")
    command = ["--data", str(tmp_path / "data"), "import", str(source)]
    assert main([*command, "--dry-run"]) == 0
    assert "没有写入" in capsys.readouterr().out
    assert main(command) == 0
    assert "记忆文件 2" in capsys.readouterr().out
    assert main(command) == 0
    assert "没有新的" in capsys.readouterr().out
    assert main([*command, "--trust-untagged"]) == 0
    assert "处处可见的条目 3" in capsys.readouterr().out
