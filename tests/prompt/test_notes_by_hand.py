"""R3.4, R6.2: people edit `memories.json` while the bot runs, and get things wrong; R3.7: the old form."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from nonebot_plugin_memoryfs.prompt import PromptManager
from nonebot_plugin_memoryfs.prompt.note_rows import former_forms
from nonebot_plugin_memoryfs.prompt.notes_file import FILE
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.prompt_tables import notes
from nonebot_plugin_memoryfs.text.cleaning import clean_json

from ..conftest import Clock
from .on_disk import edit_notes, notes_path, saved_notes


@pytest.fixture
def manager(store: Store) -> PromptManager:
    return PromptManager(store=store)


def contents(manager: PromptManager) -> list[str]:
    return [note["content"] for note in manager.get_memories()]


def kept_beside(store: Store, why: str = "unreadable") -> list[Path]:
    return sorted(notes_path(store).parent.glob(f"{FILE}.{why}-*"))


def former(store: Store) -> list[str]:
    with store.database.read() as connection:
        return [note.content for note in former_forms(connection)]


def test_r3_04_edits_by_hand_are_seen_by_the_next_read(store: Store, manager: PromptManager) -> None:
    for content in ("旧", "删掉", "留下"):
        manager.add_memory("标题", content, "user_1")
    changed, _, same = saved_notes(store)
    edit_notes(store, [{**changed, "content": "手改"}, same, {"content": "手加", "target_id": 1}])
    assert contents(manager) == ["手改", "留下", "手加"]
    assert former(store) == ["旧", "删掉"]
    assert "手改" in manager.load_memories("1")


def test_r3_04_a_bare_record_gets_all_it_lacks(store: Store, manager: PromptManager) -> None:
    edit_notes(store, [{"content": "手加", "target_id": 123}])
    [note] = manager.get_memories("user_123")
    assert note.pop("id").startswith("mem_")
    assert note == {
        "title": "",
        "summary": "手加",
        "content": "手加",
        "target_id": "user_123",
        "type": "long",
        "expire_days": 7,
        "created_at": "2026-07-08T14:30:00+08:00",
    }
    manager.add_memory("又一条", "x", "user_1")
    assert saved_notes(store) == manager.get_memories()


def test_r3_04_a_save_does_not_lose_an_edit(store: Store, manager: PromptManager) -> None:
    manager.add_memory("标题", "旧", "user_1")
    edit_notes(store, [{**saved_notes(store)[0], "content": "手改"}])
    manager.add_memory("标题", "新", "user_1")
    assert [note["content"] for note in saved_notes(store)] == ["手改", "新"]


def test_r3_04_a_copied_record_is_a_note_of_its_own(store: Store, manager: PromptManager) -> None:
    manager.add_memory("标题", "原来的", "user_1")
    [record] = saved_notes(store)
    edit_notes(store, [record, {**record, "content": "照着写的"}])
    assert contents(manager) == ["原来的", "照着写的"]
    first, second = manager.get_memories()
    assert first["id"] == record["id"] != second["id"]


def test_r3_04_a_time_is_kept_where_the_edit_drops_it(
    store: Store, manager: PromptManager, clock: Clock
) -> None:
    manager.add_memory("标题", "短", "user_1", mem_type="short", expire_days=1)
    [record] = saved_notes(store)
    del record["created_at"]
    clock.advance(hours=23)
    edit_notes(store, [{**record, "title": "改"}])
    assert contents(manager) == ["短"]
    clock.advance(hours=1)
    assert contents(manager) == []


def test_r3_04_a_summary_made_from_the_content_follows_an_edit(store: Store, manager: PromptManager) -> None:
    manager.add_memory("标题", "旧的说法" * 60, "user_1")
    [record] = saved_notes(store)
    edit_notes(store, [{**record, "content": "新的说法" * 60}])
    assert "新的说法" in manager.load_memories("1")
    assert "旧的" not in manager.load_memories("1")


@pytest.mark.parametrize("data", [{}, {"memories": []}, "文字", None, 5])
def test_r3_04_a_file_of_the_wrong_form_is_set_aside_and_changes_nothing(
    store: Store, manager: PromptManager, data: Any
) -> None:
    manager.add_memory("标题", "留下", "user_1")
    edit_notes(store, data)
    assert contents(manager) == ["留下"]
    manager.add_memory("标题", "新", "user_1")
    assert [note["content"] for note in saved_notes(store)] == ["留下", "新"]
    assert "应是一个列表" in store.notices[-1][1]
    assert len(kept_beside(store)) == 1


@pytest.mark.parametrize("damage", [b"", b'[{"id": "mem_1", "cont', b"\xff\xfe\x00", b"[" * 50_000])
def test_r3_04_a_damaged_file_is_set_aside(store: Store, manager: PromptManager, damage: bytes) -> None:
    manager.add_memory("标题", "留下", "user_1")
    notes_path(store).write_bytes(damage)
    assert contents(manager) == ["留下"]
    [aside] = kept_beside(store)
    assert aside.read_bytes() == damage


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ("文字", "第 2 条 应是一个 JSON 对象，实际是 str"),
        ({"id": "a", "content": "x", "type": "forever"}, "便签 a 的 type 应是 long 或 short"),
        ({"id": "a", "content": "x", "expire_days": "7"}, "便签 a 的 expire_days 应是 0 到 36500 的整数"),
        ({"id": "a", "content": ["x"]}, "便签 a 的 content 应是文字"),
        ({"id": "a", "content": "长" * 8001}, "有 8001 字，最多 8000 字"),
        ({"id": "a", "content": " "}, "title 和 content 不能都为空"),
        ({"id": "a" * 65, "content": "x"}, "id 应是 1 到 64 个字"),
        ({"id": "a", "content": "x", "target_id": "user_"}, "缺少号码"),
    ],
)
def test_r3_04_one_bad_note_does_not_cost_the_others(
    store: Store, manager: PromptManager, bad: Any, named: str
) -> None:
    manager.add_memory("标题", "留下", "user_1")
    edit_notes(store, [*saved_notes(store), bad, {"content": "好"}])
    assert contents(manager) == ["留下", "好"]
    assert named in store.notices[-1][1]
    assert json.loads(kept_beside(store)[0].read_text("utf-8"))[1] == bad


def test_r3_04_a_bad_edit_leaves_the_note_as_it_was(store: Store, manager: PromptManager) -> None:
    manager.add_memory("标题", "原来的", "user_1")
    edit_notes(store, [{**saved_notes(store)[0], "content": None, "title": ""}])
    assert contents(manager) == ["原来的"]
    manager.add_memory("标题", "新", "user_1")
    assert [note["content"] for note in saved_notes(store)] == ["原来的", "新"]


# ---- the old form


OLD = [
    {"key": "喜好", "value": "美式咖啡", "target_id": "123"},
    {"key": "数字", "value": 5, "type": "short"},
    {"value": {"猫": ["小黑"]}, "target_id": "group_9", "character_name": "neko"},
    {"title": "新的", "content": "已是新格式", "target_id": "user_1", "id": "mem_1"},
]


def write_old(directory: Path) -> bytes:
    directory.mkdir(exist_ok=True)
    raw = json.dumps(OLD).encode()
    (directory / FILE).write_bytes(raw)
    return raw


def test_r3_07_an_old_file_is_converted_once_and_kept_beside(tmp_path: Path, clock: Clock) -> None:
    directory = tmp_path / "data"
    raw = write_old(directory)
    for _ in range(2):
        with Store.open(directory, clock=clock) as store:
            found = PromptManager(store=store).get_memories()
            assert [(note["title"], note["content"], note["target_id"]) for note in found] == [
                ("喜好", "美式咖啡", "user_123"),
                ("数字", "5", ""),
                ("", '{"猫": ["小黑"]}', "group_9"),
                ("新的", "已是新格式", "user_1"),
            ]
            assert [note["type"] for note in found] == ["long", "short", "long", "long"]
            assert all(note["id"] and note["created_at"] == "2026-07-08T14:30:00+08:00" for note in found)
            assert len({note["id"] for note in found}) == 4
            assert found[3]["id"] == "mem_1"
        assert saved_notes(store) == found
        [original] = kept_beside(store, "old-form")
        assert original.read_bytes() == raw
        assert original.stat().st_mode & 0o077 == 0


def test_r3_07_converted_notes_can_be_deleted_by_id(tmp_path: Path, clock: Clock) -> None:
    write_old(tmp_path)
    with PromptManager(tmp_path) as manager:
        for note in manager.get_memories():
            assert manager.delete_memory(note["id"])
        assert manager.get_memories() == []


def test_r3_07_an_old_file_is_taken_while_the_bot_runs_too(store: Store, manager: PromptManager) -> None:
    assert manager.get_memories() == []
    edit_notes(store, OLD)
    assert "美式咖啡" in manager.load_memories("123")
    assert len(kept_beside(store, "old-form")) == 1
    assert "4 条" not in store.notices[-1][1]
    assert "有 3 条是旧格式" in store.notices[-1][1]


def test_r3_07_the_original_goes_after_30_days(store: Store, manager: PromptManager, clock: Clock) -> None:
    edit_notes(store, OLD)
    manager.get_memories()
    clock.advance(days=30)
    manager.notes.delete_expired()
    assert len(kept_beside(store, "old-form")) == 1
    clock.advance(seconds=1)
    manager.notes.delete_expired()
    assert kept_beside(store, "old-form") == []


def test_r3_07_the_original_goes_when_somebody_is_erased(store: Store, manager: PromptManager) -> None:
    edit_notes(store, OLD)
    assert len(manager.get_memories()) == 4
    assert manager.notes.erase_person("123") == 1
    assert kept_beside(store, "old-form") == []
    assert len(manager.get_memories()) == 3


# ---- properties


texts = st.text(max_size=12)
records = st.fixed_dictionaries(
    {"content": texts.filter(lambda text: bool(text.strip()))},
    optional={
        "id": st.sampled_from(["a", "b", "c", 5, "", None]),
        "title": texts,
        "summary": texts,
        "type": st.sampled_from(["long", "short"]),
        "target_id": st.sampled_from(["1", "user_1", "group_9", 7, ""]),
        "expire_days": st.integers(1, 400),
        "created_at": st.sampled_from(["2026-07-08T06:30:00", "2026-07-08T06:00:00+00:00"]),
        "unknown": st.none() | texts,
    },
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.lists(records, max_size=4), edited=st.lists(records, max_size=4))
def test_r6_15_what_a_person_saved_is_what_is_read(
    store: Store, manager: PromptManager, before: list[dict[str, Any]], edited: list[dict[str, Any]]
) -> None:
    with store.database.write() as c:
        c.execute(delete(notes))
    manager.notes.clear()
    for data in (before, edited):
        edit_notes(store, data)
        manager.add_memory("写", "推", "user_2")
        manager.clear_memories("user_2")
    wanted = [record["content"] for record in clean_json(edited)]
    assert Counter(contents(manager)) == Counter(wanted)
    assert saved_notes(store) == manager.get_memories()
    edit_notes(store, saved_notes(store))
    assert Counter(contents(manager)) == Counter(wanted)


odd: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["\ud800", "\x00", "长" * 8001, 10**400, [[[[]]]], {"a": {"b": None}}]),
    st.sampled_from(["0001-01-01T00:00:00", "9999-12-31T23:59:59-23:59", "24:00", "user_", "short"]),
    st.lists(st.integers(), max_size=2),
)
NAMES = (
    *("id", "title", "summary", "content", "target_id", "type", "expire_days", "created_at"),
    *("character_name", "conversation_id", "source_event_id", "key", "value"),
)
odd_files = odd | st.lists(odd | st.dictionaries(st.sampled_from(NAMES), odd, max_size=6), max_size=3)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=odd_files)
def test_r6_15_whatever_a_person_saves_notes_are_read_and_opened_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: Clock, data: Any
) -> None:
    monkeypatch.setattr("nonebot_plugin_memoryfs.storage.json_face._READ_PAUSE_SECONDS", 0)
    file = tmp_path / FILE
    for _ in range(2):
        with PromptManager(store=(opened := Store.open(tmp_path, clock=clock))) as manager, opened:
            file.write_text(json.dumps(data))
            assert all(isinstance(note["content"], str) for note in manager.get_memories())
            manager.load_prompt("1", "9", text="你好")
            assert manager.add_memory("写", "推", "user_2")
            manager.notes.delete_expired()
            assert json.loads(file.read_text("utf-8")) == manager.get_memories()
        file.write_text(json.dumps(data))
