"""R1.20, R6.2: `memory_fs.json`, readable and editable; the upstream's file loads as it is."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete

from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.memory import HistoryLimits, MemoryFS
from nonebot_plugin_memoryfs.memory.history import History
from nonebot_plugin_memoryfs.memory.records import Records
from nonebot_plugin_memoryfs.memory.source import FilesSource
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import files

from ..conftest import Clock
from .conftest import SHANGHAI, entry, flush

PERSONA = "characters/neko_girl/users/user_123/user_persona.md"
SEED_RECORD = {
    "path": PERSONA,
    "character_id": "neko_girl",
    "target_id": "user_123",
    "title": "用户人格记忆",
    "content": "喜欢动漫",
    "summary": "……",
    "importance": 0.8,
    "version": 3,
    "updated_at": "2026-06-27T14:30:00",
}


def upstream() -> dict[str, Any]:
    return {
        PERSONA: SEED_RECORD,
        "characters/猫娘/timeline.md": {
            **SEED_RECORD,
            "path": "characters/neko_girl/elsewhere.md",
            "character_id": "显示名",
            "target_id": "",
            "content": "[2026-06-27 22:15] [conv:web_abc] 收到礼物\n\n[2026-06-27 22:20] 没有会话\n\n旧格式",
            "tags": ["auto", "auto"],
            "source_event_id": None,
            "memory_ids": ["m2", "m1"],
            "updated_at": "2026-06-27T06:30:00+00:00",
            "unknown_field": {"kept": False},
        },
        "characters/猫娘/events/web:session.md": {"content": "最少的记录"},
        "characters/猫娘/users/10001.md": {"target_id": 10001, "updated_at": "2026-06-27T06:30:00Z"},
    }


def open_with(directory: Path, data: object, clock: Clock) -> tuple[Store, MemoryFS]:
    directory.mkdir()
    (directory / "memory_fs.json").write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    store = Store.open(directory, clock=clock)
    return store, MemoryFS(store)


def saved(store: Store) -> dict[str, Any]:
    assert store.directory is not None
    return json.loads((store.directory / "memory_fs.json").read_text("utf-8"))


def test_r1_20_the_upstreams_file_loads_as_it_is(tmp_path: Path, clock: Clock) -> None:
    store, fs = open_with(tmp_path / "bot", upstream(), clock)
    with store:
        file = fs.read(PERSONA)
        assert file is not None
        assert (file.title, file.content, file.version, file.importance) == (
            "用户人格记忆",
            "喜欢动漫",
            3,
            0.8,
        )
        assert file.updated_at == file.created_at == "2026-06-27T14:30:00+08:00"
        timeline = fs.read("characters/猫娘/timeline.md")
        assert timeline is not None
        assert (timeline.character_id, timeline.tags, timeline.memory_ids) == (
            "猫娘",
            ("auto",),
            ("m2", "m1"),
        )
        assert timeline.updated_at == "2026-06-27T14:30:00+08:00"
        assert [e.conversation_id for e in fs.entries(timeline.path)] == ["web_abc", None, None]
        least = fs.read("characters/猫娘/events/web:session.md")
        assert least is not None
        assert (least.title, least.importance, least.version) == ("重要事件", 0.5, 1)
        assert least.updated_at == "2026-07-08T14:30:00+08:00"
        old = fs.read("characters/猫娘/users/10001.md")
        assert old is not None
        assert old.target_id == "10001"
        assert len(fs.list_for_character("猫娘")) == 3


def test_r1_20_read_write_read_is_the_identity(tmp_path: Path, clock: Clock) -> None:
    store, fs = open_with(tmp_path / "one", upstream(), clock)
    with store:
        before = {file.path: file for name in ("猫娘", "neko_girl") for file in fs.list_for_character(name)}
    written = json.loads((tmp_path / "one" / "memory_fs.json").read_text("utf-8"))
    again, copy = open_with(tmp_path / "two", written, clock)
    with again:
        assert {path: copy.read(path) for path in before} == before
    assert (tmp_path / "two" / "memory_fs.json").read_bytes() == (
        tmp_path / "one" / "memory_fs.json"
    ).read_bytes()


def test_r1_20_the_file_is_indented_utf8_with_the_seeds_fields(fs: MemoryFS, store: Store) -> None:
    fs.write(PERSONA, content="喜欢动漫", tags=["a"], importance=0.8)
    flush(store)
    assert store.directory is not None
    text = (store.directory / "memory_fs.json").read_text("utf-8")
    assert f'\n  "{PERSONA}": {{\n    "path": "{PERSONA}",\n' in text
    assert '    "content": "喜欢动漫",\n' in text
    record = saved(store)[PERSONA]
    assert SEED_RECORD.keys() <= record.keys()
    assert (record["tags"], record["memory_ids"]) == (["a"], [])


def edit(store: Store, change: Any) -> None:
    """Change the JSON file as a person does, while the bot runs."""
    flush(store)
    assert store.directory is not None
    path = store.directory / "memory_fs.json"
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=4), "utf-8")


def test_r1_20_an_edit_by_hand_counts_and_keeps_what_it_replaces(
    fs: MemoryFS, store: Store, clock: Clock
) -> None:
    fs.write(PERSONA, content="喜欢动漫")
    other = fs.write("characters/neko_girl/general.md", content="不动")
    clock.advance(hours=1)
    edit(store, lambda data: data[PERSONA].update(content="[conv:g] 喜欢猫", title="改"))
    file = fs.read(PERSONA)
    assert file is not None
    assert (file.content, file.title, file.version) == ("[conv:g] 喜欢猫", "改", 2)
    assert file.updated_at == "2026-07-08T15:30:00+08:00"
    assert fs.entries(PERSONA) == (entry("喜欢猫", None, "g"),)
    assert [v.content for v in fs.versions(PERSONA)] == ["喜欢动漫"]
    assert fs.read(other.path) == other
    assert fs.restore(PERSONA).content == "喜欢动漫"


def test_r1_20_a_record_taken_out_is_deleted_and_can_come_back(fs: MemoryFS, store: Store) -> None:
    fs.write(PERSONA, content="喜欢动漫")
    edit(store, lambda data: data.pop(PERSONA))
    assert fs.read(PERSONA) is None
    assert fs.restore(PERSONA).content == "喜欢动漫"


def test_r1_20_a_record_put_in_is_a_new_file(fs: MemoryFS, store: Store) -> None:
    edit(store, lambda data: data.update({PERSONA: {"content": "一\n\n\n\n二"}}))
    assert [e.text for e in fs.entries(PERSONA)] == ["一", "二"]


def test_r1_10_an_imported_file_is_truncated_and_loses_nothing(fs: MemoryFS, store: Store) -> None:
    content = "\n\n".join(f"片段{n}" for n in range(25))
    edit(store, lambda data: data.update({"characters/a/life_sim/c.md": {"content": content}}))
    assert len(fs.entries("characters/a/life_sim/c.md")) == 10
    assert len(fs.dropped_entries("characters/a/life_sim/c.md")) == 15


# ---- the source itself


@pytest.fixture
def source(store: Store) -> FilesSource:
    return FilesSource(Records(SHANGHAI, History(SHANGHAI, HistoryLimits())), store.clock)


def records_of(source: FilesSource, connection: Connection) -> dict[str, Any]:
    return {key: source.record(row) for key, row in source.rows(connection)}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "JSON 对象"),
        ("text", "JSON 对象"),
        ({"content": ["a"]}, "content 应是文字"),
        ({"title": True}, "title 应是文字"),
        ({"importance": 2}, "importance 应是0 到 1 之间的数，实际是 2"),
        ({"importance": "high"}, "importance 应是0 到 1 之间的数"),
        ({"version": 0}, "version 应是正整数"),
        ({"version": "3"}, "version 应是正整数"),
        ({"version": 10**30}, "version 应是正整数"),
        ({"tags": "a"}, "tags 应是文字的列表"),
        ({"memory_ids": [{}]}, "memory_ids 应是文字的列表"),
        ({"updated_at": "yesterday"}, "updated_at 应是ISO-8601"),
        ({"created_at": 5}, "created_at 应是ISO-8601"),
        ({"updated_at": "0001-01-01T00:00:00+14:00"}, "updated_at 应是ISO-8601"),
        ({"created_at": "0001-01-01T00:00:00"}, "created_at 应是ISO-8601"),
        ({"created_at": "0001-01-01T12:00:00+00:00"}, "created_at 应是ISO-8601"),
        ({"updated_at": "9999-12-31T23:59:59-12:00"}, "updated_at 应是ISO-8601"),
        ({"version": 2**31 - 1}, "version 应是正整数"),
        ({"title": ["长" * 500]}, "title 应是文字，实际是 .{80}$"),
    ],
)
def test_r1_20_a_record_that_is_wrong_is_refused_by_name(
    store: Store, source: FilesSource, record: Any, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message) as error, store.database.write() as connection:
        source.put(connection, PERSONA, record)
    assert PERSONA in str(error.value)


@pytest.mark.parametrize("key", ["", "neko.md", "characters/a/../b.md", "characters/a/x.txt"])
def test_r1_20_a_malformed_key_is_refused(store: Store, source: FilesSource, key: str) -> None:
    with pytest.raises(InvalidInput, match="记忆路径"), store.database.write() as connection:
        source.put(connection, key, {"content": "x"})


def test_r6_06_taking_the_same_file_in_twice_changes_nothing(
    fs: MemoryFS, store: Store, source: FilesSource
) -> None:
    for _ in range(2):
        with store.database.write() as connection:
            for key, record in upstream().items():
                if "updated_at" in record:
                    source.put(connection, key, record)
    assert [file.version for file in fs.list_for_character("猫娘")] == [3, 1]
    assert fs.versions(PERSONA) == []


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "target_id": TEXT,
        "title": TEXT,
        "content": TEXT,
        "summary": TEXT,
        "tags": st.lists(TEXT, max_size=3),
        "importance": st.floats(0, 1),
        "version": st.integers(1, 99),
        "source_event_id": TEXT,
        "memory_ids": st.lists(TEXT, max_size=3),
        "created_at": st.datetimes().filter(lambda t: 1970 < t.year < 2200).map(str),
        "updated_at": st.datetimes().filter(lambda t: 1970 < t.year < 2200).map(str),
    },
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from([PERSONA, "characters/a/timeline.md", "characters/a/x.md"]), RECORDS))
def test_r6_15_what_is_put_in_comes_out_the_same_for_ever(
    store: Store, source: FilesSource, data: dict[str, Any]
) -> None:
    with store.database.write() as connection:
        for key, record in data.items():
            source.put(connection, key, record)
        once = records_of(source, connection)
        for key, record in once.items():
            source.put(connection, key, json.loads(json.dumps(record)))
        assert records_of(source, connection) == once
        assert once.keys() == data.keys()
        connection.execute(delete(files))
