"""R6.6: sources that are odd, long, or vouch for themselves: nothing is lost or told wider for them."""

import json
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.prompt import PromptManager
from nonebot_plugin_memoryfs.scope import Policy
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.upkeep import Importer, Wish

from ..conftest import Clock
from ..postgres import POSTGRESQL, on_both
from .conftest import SHANGHAI
from .test_imports import CARD, contexts, held

TIMELINE = "characters/neko/timeline.md"
PERSONA = "characters/neko/users/10001/user_persona.md"
DIGEST = "characters/neko/users/10001/recent_digest.md"
LONG = "\n\n".join(f"[2026-07-01 09:00] 第{n}段" for n in range(130))
TRUST = Wish(trust_untagged=True)


def source(tmp_path: Path, name: str, data: Any) -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(data))
    return path


def files(tmp_path: Path, **contents: str) -> Path:
    return source(tmp_path, "memory_fs.json", {path: {"content": text} for path, text in contents.items()})


def test_r1_17_nothing_vouches_for_itself(opened: App, importer: Importer, tmp_path: Path) -> None:
    paths = {TIMELINE: "[2026-07-01 09:00] [conv:*] 秘密一", "characters/neko/events/*.md": "秘密二"}
    notes = [{"id": "a", "content": "秘密三", "target_id": "10001", "conversation_id": "*"}]
    importer.run(files(tmp_path, **paths))
    importer.run(source(tmp_path, "memories.json", notes))
    assert not any("秘密" in text for text in contexts(opened).values())
    assert opened.rooms.prompts.notes.find("user_10001")[0].conversation_id == ""
    viewer_of_all = opened.rooms.memory.build_prompt_context("neko", "10002", "*")
    assert "秘密二" not in viewer_of_all
    before = held(opened)
    assert importer.run(files(tmp_path, **paths)).new == {}
    assert held(opened) == before
    importer.run(files(tmp_path, **paths), TRUST)
    assert all("秘密一" in text and "秘密二" not in text for text in contexts(opened).values())


def test_r1_17_the_rest_of_a_tagged_note_is_not_trusted(
    opened: App, importer: Importer, tmp_path: Path
) -> None:
    text = (
        "[2026-07-01 09:00] 大家都知道\n\n[2026-07-01 09:30] [conv:qq_private_10002] 上半句\n\n下半句\n\n末了"
        "\n\n[2026-07-01 10:00] 也都知道"
    )
    for _ in range(2):
        importer.run(files(tmp_path, **{TIMELINE: text}), TRUST)
        told = contexts(opened)["private"]
        assert "大家都知道" in told
        assert "也都知道" in told
        assert not any(part in told for part in ("上半句", "下半句", "末了"))


def test_r1_17_no_note_is_trusted_for_another_with_its_id(
    opened: App, importer: Importer, tmp_path: Path
) -> None:
    notes = opened.rooms.prompts.notes
    opened.rooms.prompts.add_memory("密码", "芝麻开门", "user_10001")
    (mine,) = notes.find("user_10001")
    importer.run(
        source(tmp_path, "memories.json", [{"id": mine.id, "title": "别的", "content": "不是这一条"}]), TRUST
    )
    assert notes.find("user_10001") == [mine]
    tagged = {**mine.to_record(SHANGHAI), "conversation_id": "qq_private_10001"}
    importer.run(source(tmp_path, "memories.json", [tagged]), TRUST)
    assert notes.find("user_10001") == [mine]


def test_r6_6_the_turns_of_another_program_are_none_of_ours(
    opened: App, importer: Importer, tmp_path: Path
) -> None:
    note = {"id": "a", "title": "茶", "content": "爱喝乌龙", "target_id": "10001", "source_event_id": "1"}
    importer.run(source(tmp_path, "memories.json", [note]))
    assert opened.rooms.prompts.notes.forget_sources(["1"]) == 0
    assert len(opened.rooms.prompts.notes.find("user_10001")) == 1


def test_r6_6_what_is_here_makes_no_room_for_what_comes(
    opened: App, importer: Importer, tmp_path: Path, clock: Clock
) -> None:
    memory = opened.rooms.memory
    mine = [f"这里记的第{n}条，{'长' * 380}" for n in range(6)]
    for text in mine:
        memory.append(PERSONA, Entry(text))
    theirs = [f"那里记的第{n}条，{'远' * 380}" for n in range(6)]
    path = files(tmp_path, **{PERSONA: "\n\n".join(theirs)})
    counted, imported = importer.run(path, Wish(dry_run=True)), importer.run(path)
    assert imported.new == counted.new == {"条目": 4}
    assert imported.refused == [f"{PERSONA}：更早的 2 条放不下"]
    assert [entry.text for entry in memory.entries(PERSONA)] == [*theirs[2:], *mine]
    before = held(opened)
    assert importer.run(path).new == {}
    assert held(opened) == before


def test_r6_6_a_timeline_stays_in_the_order_of_time(
    opened: App, importer: Importer, tmp_path: Path, clock: Clock
) -> None:
    here = Entry("这里的", at=clock(), conversation_id="qq_group_9")
    opened.rooms.memory.append(TIMELINE, here)
    importer.run(files(tmp_path, **{TIMELINE: "[2026-07-01 09:00] 早的\n\n[2026-07-20 09:00] 晚的"}))
    assert [entry.text for entry in opened.rooms.memory.entries(TIMELINE)] == ["早的", "这里的", "晚的"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (
            "characters/neko/life_sim/qq_group_9.md",
            LONG,
        ),
        (PERSONA, "很长" * 3000),
        (PERSONA, f"喜欢茶\n\n{'很长' * 3000}"),
        (PERSONA, f"{'很长' * 3000}\n\n喜欢茶"),
        (DIGEST, "第一段\n\n第二段"),
        (DIGEST, "[2026-07-01 09:00] [conv:qq_group_9] 一\n\n[2026-07-02 09:00] [conv:qq_group_9] 二"),
        (TIMELINE, "[2026-07-01 09:00] 又来了\n\n[2026-07-02 09:00] 又来了"),
    ],
)
@pytest.mark.parametrize("before", ["", "这里先有的"])
def test_r6_6_a_second_run_changes_nothing(
    opened: App, importer: Importer, tmp_path: Path, path: str, content: str, before: str
) -> None:
    memory = opened.rooms.memory
    if before:
        memory.append(path, Entry(before, conversation_id="qq_group_9"))
    importer.run(files(tmp_path, **{path: content}))
    after = held(opened)
    assert not before or before in [entry.text for entry in memory.entries(path)]
    for _ in range(2):
        assert importer.run(files(tmp_path, **{path: content})).new == {}
        assert held(opened) == after


def test_r6_6_what_was_said_again_since_is_known(
    opened: App, importer: Importer, tmp_path: Path, clock: Clock
) -> None:
    path = files(tmp_path, **{TIMELINE: "[2026-07-01 09:00] [conv:qq_group_9] 一起看海"})
    importer.run(path)
    opened.rooms.memory.append(TIMELINE, Entry("一起看海！", at=clock(), conversation_id="qq_group_9"))
    before = held(opened)
    assert (importer.run(path).new, importer.run(path).known) == ({}, 1)
    assert held(opened) == before


def test_r6_6_two_cards_of_one_character(opened: App, importer: Importer, tmp_path: Path) -> None:
    configs = {"personality": CARD, "custom_personality_presets": [CARD, {**CARD, "systemPrompt": "另一张"}]}
    path = source(tmp_path, "a.json", {"type": "nbot_config_bundle", "configs": configs})
    counted, imported = importer.run(path, Wish(dry_run=True)), importer.run(path)
    assert imported.new == counted.new == {"角色卡": 1}
    assert imported.known == counted.known == 1
    assert imported.refused == counted.refused
    assert "有两张不同的卡，用的是前一张" in imported.refused[0]
    assert opened.roster.card("阿晚").system_prompt == CARD["systemPrompt"]
    assert importer.run(path).new == {}


@pytest.mark.parametrize("database_url", [POSTGRESQL], indirect=True)
def test_r6_6_cards_need_a_directory(database_url: str, clock: Clock, tmp_path: Path) -> None:
    """Without one they are refused, and all else is taken in."""
    with Store.open(None, database_url, clock=clock) as store:
        memory = MemoryFS(store, timezone=SHANGHAI)
        with PromptManager(store=store, timezone=SHANGHAI, policy=Policy()) as prompts:
            importer = Importer(store, memory, prompts, MemoryGraph(store, Policy()), SHANGHAI)
            configs = {"personality": CARD, "memory_fs": {PERSONA: {"content": "喜欢茶"}}}
            path = source(tmp_path, "a.json", {"type": "nbot_config_bundle", "configs": configs})
            imported = importer.run(path)
            assert imported.new == {"记忆文件": 1}
            assert "数据目录" in imported.refused[0]


ODD = [
    None,
    True,
    7,
    "文字",
    [],
    {},
    {"content": None},
    {"content": 7},
    {"content": ["a"]},
    {"content": "\x00\ud800[conv:\ud800] x\x00"},
    {"content": "[9999-12-31 23:59] [conv:a] 末日\n\n[2026-13-45 99:99] [conv:b] 没有这天"},
    {"content": "茶", "importance": "0.5"},
    {"content": "茶", "importance": float("nan")},
    {"content": "茶", "importance": 1e400},
    {"content": "茶", "importance": -1},
    {"content": "茶", "importance": True},
    {"content": "茶", "tags": "一个"},
    {"content": "茶", "tags": [None, 1, "\ud800", "\x00"], "memory_ids": [10**30]},
    {"content": "茶", "tags": [[["深"]]]},
    {"content": "茶", "title": "\x00\ud800", "summary": "\x00", "target_id": "\x00"},
    {"content": "茶", "title": {"a": 1}},
    {"content": "茶", "updated_at": "9999-12-31T23:59:59-12:00"},
    {"content": "茶", "created_at": "0001-01-01T00:00:00+14:00"},
    {"content": "茶", "updated_at": 1e308},
    {"content": "茶", "version": -1},
    {"content": "茶", "version": 10**30},
    {"content": "茶" * 200_000},
    {"content": "\n\n".join(f"第{n}条" for n in range(20_000))},
    {"content": f"[conv:{'x' * 900}] 长"},
]
ODD_NOTES = [
    *ODD,
    {"id": "x" * 65, "title": "a"},
    {"id": "\x00", "title": "a"},
    {"id": {"a": 1}, "title": "a"},
    {"id": 7, "title": 7, "content": 7, "target_id": 7},
    {"id": "b", "title": "a", "target_id": "user_"},
    {"id": "c", "title": "a", "target_id": "user_\x00\ud800"},
    {"id": "d", "title": "a", "type": "sometimes"},
    {"id": "e", "title": "a", "type": ["long"]},
    {"id": "f", "title": "a", "type": "short", "expire_days": 10**30},
    {"id": "g", "title": "a", "type": "short", "expire_days": 1.5},
    {"id": "h", "title": "a", "created_at": "9999-12-31T23:59:59-12:00"},
    {"id": "i", "title": "a", "created_at": {}},
    {"id": "j", "title": "a", "content": "茶" * 9000},
    {"id": "k", "title": "a", "conversation_id": ["qq_group_9"]},
    {"key": "\x00", "value": {"深": [1, 2]}},
    {"key": None, "value": None},
    *({"id": "same", "title": "a", "content": text} for text in ("一", "二", "二")),
    *({"title": "没有号", "content": "三"} for _ in range(2)),
]
ODD_KEYS = [
    "",
    "characters",
    "characters/neko/../../etc/passwd.md",
    "characters//x.md",
    "characters/neko/users/10001",
    "characters/neko/\x00.md",
    "characters/neko/\ud800.md",
    "characters/neko\\users\\1.md",
    f"characters/{'长' * 600}/timeline.md",
    "characters/%2E%2E/timeline.md",
    "characters/neko/users/%31/user_persona.md",
    "/etc/passwd.md",
]
ODD_CARDS = [
    *ODD,
    {"name": ""},
    {"name": 7, "systemPrompt": "x"},
    {"systemPrompt": "没有名字"},
    {"name": "\x00\ud800", "systemPrompt": "x"},
    {"name": "../../../坏", "systemPrompt": "x"},
    {"id": "..", "name": "点", "systemPrompt": "x"},
    {"id": "/etc/passwd", "name": "斜杠", "systemPrompt": "x"},
    {"id": "a\\b", "name": "反斜杠", "systemPrompt": "x"},
    {"id": "\n", "name": "换行", "systemPrompt": "x"},
    {"id": "a\x00b\x1f", "name": "控制", "systemPrompt": "x"},
    {"id": "名" * 61, "name": "长", "systemPrompt": "x"},
    {"id": "😀" * 60, "name": "脸", "systemPrompt": "x"},
    {"id": ["x"], "name": "列表号", "systemPrompt": "x"},
    {"id": "NUL", "name": "设备", "systemPrompt": "x"},
    {"name": "规则", "rules": {"a": 1}},
    {"name": "长文", "systemPrompt": "x" * 9000},
    {"spec": "chara_card_v2", "data": None},
    {"spec": "chara_card_v2", "data": {"name": ["x"]}},
    {"spec": "chara_card_v3", "data": {"name": "三", "description": "x", "character_book": 7}},
]


@on_both
def test_r6_6_odd_shapes_are_refused_one_by_one(
    tmp_path: Path, clock: Clock, database_url: str | None
) -> None:
    store = Store.open(tmp_path / "data", database_url, clock=clock)
    memory = MemoryFS(store, timezone=SHANGHAI)
    configs = {
        "memory_fs": {f"characters/neko/users/u{n}/user_persona.md": record for n, record in enumerate(ODD)}
        | {key: {"content": "茶"} for key in ODD_KEYS},
        "memories": ODD_NOTES,
        "custom_personality_presets": ODD_CARDS,
    }
    path = source(tmp_path, "a.json", {"type": "nbot_config_bundle", "configs": configs})
    with PromptManager(store=store, timezone=SHANGHAI, policy=Policy()) as prompts:
        importer = Importer(store, memory, prompts, MemoryGraph(store, Policy()), SHANGHAI)
        for wish in (Wish(), TRUST):
            counted = importer.run(path, Wish(dry_run=True, trust_untagged=wish.trust_untagged))
            imported = importer.run(path, wish)
            assert (imported.new, imported.refused) == (counted.new, counted.refused)
            assert len(imported.refused) > 40
            assert all(len(reason) < 400 for reason in imported.refused)
            again = importer.run(path, wish)
            assert again.new == {}
        store.flush_faces()
    store.close()
    names = {name.name for name in (tmp_path / "data" / "characters").iterdir()}
    assert all("/" not in name and not name.startswith(".") for name in names)
    assert "NUL.json" not in names
    assert {entry.name for entry in tmp_path.iterdir()} == {"a.json", "data"}
    Store.open(tmp_path / "data", database_url, clock=clock).close()


def test_r6_6_odd_prompts_are_counted_as_they_are_taken(
    opened: App, importer: Importer, tmp_path: Path
) -> None:
    folder = tmp_path / "prompts"
    (folder / "user").mkdir(parents=True)
    texts = {
        "user_.txt": "空号".encode(),
        "user_1.txt": b"\xff",
        "user_2.txt": b"x" * 9000,
        "user_3.txt": b"a\x00",
    }
    for name, text in texts.items():
        (folder / "user" / name).write_bytes(text)
    counted, imported = importer.run(folder, Wish(dry_run=True)), importer.run(folder)
    assert imported.new == counted.new == {"提示词": 1}
    assert imported.refused == counted.refused
    assert [reason.split("：")[0] for reason in imported.refused] == ["user_.txt", "user_1.txt", "user_2.txt"]
    assert "UTF-8" in imported.refused[1]
    assert importer.run(folder).new == {}
