"""R3.1, R3.4, R3.5: what notes hold, when they end, how they are found, changed and cleared."""

import json
import logging
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.errors import InvalidInput, TooLong
from nonebot_plugin_memoryfs.prompt import Note, PromptManager
from nonebot_plugin_memoryfs.prompt.note import note_of, target_of
from nonebot_plugin_memoryfs.prompt.note_rows import former_forms
from nonebot_plugin_memoryfs.storage import Store

from ..conftest import Clock
from ..postgres import parametrise as pytest_generate_tests  # noqa: F401
from .on_disk import saved_notes

NOW = datetime(2026, 7, 8, 6, 30, tzinfo=UTC)


@pytest.fixture
def manager(store: Store) -> PromptManager:
    return PromptManager(store=store)


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine is in Tokyo."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def ids(manager: PromptManager, **filters: Any) -> list[str]:
    return [note["id"] for note in manager.get_memories(**filters)]


def titles(manager: PromptManager, **filters: Any) -> list[str]:
    return [note["title"] for note in manager.get_memories(**filters)]


def test_r3_01_the_seeds_example(manager: PromptManager) -> None:
    assert manager.add_memory(
        title="用户喜好",
        content="用户喜欢喝美式咖啡，每周去星巴克3次",
        target_id="user_123",
        summary="喜欢美式咖啡",
        mem_type="long",
        expire_days=7,
        character_name="neko",
    )
    [note] = manager.get_memories(target_id="user_123", mem_type="long", character_name="neko")
    assert note.pop("id").startswith("mem_")
    assert note == {
        "title": "用户喜好",
        "summary": "喜欢美式咖啡",
        "content": "用户喜欢喝美式咖啡，每周去星巴克3次",
        "target_id": "user_123",
        "type": "long",
        "expire_days": 7,
        "created_at": "2026-07-08T14:30:00+08:00",
        "character_name": "neko",
    }


def test_r3_01_defaults(manager: PromptManager) -> None:
    assert manager.add_memory("标题", "长" * 150, "user_123") is True
    [note] = manager.get_memories()
    assert (note["type"], note["expire_days"], note["summary"]) == ("long", 7, "长" * 100)
    assert "character_name" not in note


def test_r3_01_deletes_and_updates_say_whether_there_was_one(manager: PromptManager) -> None:
    manager.add_memory("标题", "内容", "user_123")
    [id] = ids(manager)
    assert manager.update_memory(id, {"title": "新"}) is True
    assert manager.delete_memory(id) is True
    assert manager.delete_memory(id) is False
    assert manager.update_memory(id, {"title": "新"}) is False
    assert manager.clear_memories() is False
    manager.add_memory("标题", "内容", "user_123")
    assert manager.clear_memories("group_123") is False
    assert manager.clear_memories("123") is True


def test_r3_04_every_change_stands_in_the_file_before_the_call_returns(
    store: Store, manager: PromptManager
) -> None:
    assert manager.add_memory("一", "1", "user_1")
    assert [note["title"] for note in saved_notes(store)] == ["一"]
    [id] = ids(manager)
    manager.update_memory(id, {"title": "二", "expire_days": 3})
    assert saved_notes(store) == manager.get_memories()
    assert saved_notes(store)[0]["title"] == "二"
    manager.delete_memory(id)
    assert saved_notes(store) == []


def test_r3_04_in_a_transaction_the_file_follows_its_commit(store: Store, manager: PromptManager) -> None:
    def add_and_fail() -> None:
        with store.database.write():
            manager.add_memory("没有", "x", "user_1")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        add_and_fail()
    assert titles(manager) == []
    with store.database.write():
        manager.add_memory("有", "x", "user_1")
    assert [note["title"] for note in saved_notes(store)] == ["有"]


def test_r3_04_ids_are_never_given_twice(manager: PromptManager) -> None:
    given = set[str]()
    for number in range(30):
        manager.add_memory(str(number), "x", "user_1")
        given.update(ids(manager))
        manager.delete_memory(ids(manager)[0])
    assert len(given) == 30


@pytest.mark.parametrize(
    ("written", "same"),
    [("123", "user_123"), (" 123 ", "user_123"), ("user_ 123", "user_123"), ("group_9", "group_9")],
)
def test_r3_04_a_target_has_one_form(manager: PromptManager, written: str, same: str) -> None:
    manager.add_memory("标题", "内容", written)
    assert titles(manager, target_id=same) == titles(manager, target_id=written) == ["标题"]
    assert manager.get_memories()[0]["target_id"] == same
    other = "user_9" if same.startswith("group") else "group_123"
    assert titles(manager, target_id=other) == []


@given(text=st.text(max_size=12))
def test_r3_04_the_form_of_a_target_is_its_own_form(text: str) -> None:
    try:
        target = target_of(text)
    except InvalidInput:
        return
    assert target_of(target) == target


def former(store: Store) -> list[tuple[str, str]]:
    """Title and content of the former forms that are kept."""
    with store.database.read() as connection:
        return [(note.title, note.content) for note in former_forms(connection)]


# ---- ending


def test_r3_04_a_short_note_ends_exactly_after_its_days(manager: PromptManager, clock: Clock) -> None:
    manager.add_memory("短", "x", "user_1", mem_type="short", expire_days=7)
    manager.add_memory("长", "x", "user_1", expire_days=7)
    [id, _] = ids(manager)
    clock.advance(days=7, microseconds=-1)
    assert titles(manager) == ["短", "长"]
    assert "短" in manager.load_memories("1")
    clock.advance(microseconds=1)
    assert titles(manager) == ["长"]
    assert "短" not in manager.load_memories("1")
    assert manager.update_memory(id, {"title": "改"}) is False
    assert manager.delete_memory(id) is False


@settings(max_examples=60, deadline=None)
@given(
    days=st.integers(0, 400),
    created=st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),
    offset=st.integers(-14, 14),
    kind=st.sampled_from(["long", "short"]),
)
def test_r6_15_expiry(days: int, created: datetime, offset: int, kind: str) -> None:
    at = created.isoformat() + f"{'-' if offset < 0 else '+'}{abs(offset):02}:00"
    note = note_of("a", {"content": "x", "type": kind, "expire_days": days, "created_at": at}, NOW)
    elapsed = timedelta(hours=24 * days)
    moment = datetime.fromisoformat(at)
    assert note.ends_at == (moment + elapsed if kind == "short" else None)


@pytest.mark.skipif(os.name != "posix", reason="POSIX: the zone of a process can be set")
def test_r3_04_a_naive_time_is_the_machines_local_time(
    store: Store, manager: PromptManager, clock: Clock, in_tokyo: None
) -> None:
    note = {"content": "x", "type": "short", "expire_days": 1, "target_id": "1"}
    manager.notes.add({**note, "title": "naive", "created_at": "2026-07-08T09:00:00"})
    assert saved_notes(store)[0]["created_at"] == "2026-07-08T08:00:00+08:00"
    clock.now = datetime(2026, 7, 8, 23, 59, 59, tzinfo=UTC)
    assert titles(manager) == ["naive"]
    clock.now = datetime(2026, 7, 9, 0, 0, 0, tzinfo=UTC)
    assert titles(manager) == []


def test_r3_04_what_has_ended_is_deleted_from_table_and_file(
    store: Store, manager: PromptManager, clock: Clock
) -> None:
    for days in (1, 2, 3):
        manager.add_memory(f"{days} 天", "x", "user_1", mem_type="short", expire_days=days)
    manager.add_memory("长", "x", "user_1")
    clock.advance(days=2)
    assert len(saved_notes(store)) == 4
    assert manager.notes.delete_expired() == 2
    assert [note["title"] for note in saved_notes(store)] == ["3 天", "长"]
    assert manager.notes.delete_expired() == 0
    assert manager.notes.delete_expired(clock.now + timedelta(days=1)) == 1


def test_r3_04_former_forms_are_kept_for_30_days_and_go_with_their_note(
    store: Store, manager: PromptManager, clock: Clock
) -> None:
    for title in ("甲", "乙"):
        manager.add_memory(title, "旧", "user_1")
        manager.update_memory(ids(manager)[-1], {"content": "新"})
    manager.update_memory(ids(manager)[-1], {"content": "新"})
    assert former(store) == [("甲", "旧"), ("乙", "旧")]
    manager.delete_memory(ids(manager)[0])
    assert former(store) == [("乙", "旧")]
    clock.advance(days=30)
    manager.notes.delete_expired()
    assert former(store) == [("乙", "旧")]
    clock.advance(seconds=1)
    manager.notes.delete_expired()
    assert former(store) == []


# ---- finding


def test_r3_05_all_filters_hold_together(manager: PromptManager) -> None:
    for target in ("user_1", "group_9"):
        for kind in ("long", "short"):
            for character in ("neko", "kitsune", None):
                title = f"{target} {kind} {character}"
                manager.add_memory(title, "x", target, mem_type=kind, character_name=character)
    assert len(ids(manager)) == 12
    assert len(ids(manager, target_id="1")) == 6
    assert len(ids(manager, target_id="1", mem_type="short")) == 3
    assert titles(manager, target_id="user_1", mem_type="short", character_name="neko") == [
        "user_1 short neko"
    ]
    assert titles(manager, target_id="user_1", mem_type="short", character_name="nek") == []


# ---- changing


@pytest.mark.parametrize("name", ["id", "number", "ends_at", "importance", ""])
def test_r3_05_only_known_fields_are_changed(manager: PromptManager, name: str) -> None:
    manager.add_memory("标题", "内容", "user_1")
    before = manager.get_memories()
    with pytest.raises(InvalidInput, match=f"'{name}'，只能是 title、"):
        manager.update_memory(before[0]["id"], {"title": "新", name: "x"})
    assert manager.get_memories() == before


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("title", 1.5, "title 应是文字，实际是 1.5"),
        ("title", ["x"], "title 应是文字"),
        ("title", True, "title 应是文字"),
        ("title", "长" * 201, "title 有 201 字，最多 200 字"),
        ("content", "长" * 8001, "content 有 8001 字，最多 8000 字"),
        ("type", "forever", "type 应是 long 或 short，实际是 'forever'"),
        ("type", [], "type 应是 long 或 short"),
        ("expire_days", -1, "expire_days 应是 0 到 36500 的整数"),
        ("expire_days", 36_501, "expire_days 应是 0 到 36500 的整数"),
        ("expire_days", 1.5, "expire_days 应是 0 到 36500 的整数"),
        ("expire_days", True, "expire_days 应是 0 到 36500 的整数"),
        ("created_at", "昨天", "created_at 应是 ISO-8601 时间"),
        ("created_at", 5, "created_at 应是 ISO-8601 时间"),
        ("created_at", "0001-01-01T00:00:00", "created_at 应是 ISO-8601 时间"),
        ("created_at", "9990-01-01T00:00:00+00:00", "created_at 太晚"),
        ("target_id", "user_", "缺少号码"),
        ("target_id", "group_ ", "缺少号码"),
    ],
)
def test_r3_05_a_wrong_value_is_refused_by_name_and_changes_nothing(
    manager: PromptManager, field: str, value: Any, named: str
) -> None:
    manager.add_memory("标题", "内容", "user_1", expire_days=36_500)
    before = manager.get_memories()
    with pytest.raises(InvalidInput, match=named):
        manager.update_memory(before[0]["id"], {field: value})
    assert manager.get_memories() == before


def test_r3_05_a_summary_made_from_the_content_follows_it(manager: PromptManager) -> None:
    manager.add_memory("标题", "旧" * 120, "user_1")
    manager.add_memory("标题", "旧" * 120, "user_1", summary="自己写的")
    for id in ids(manager):
        manager.update_memory(id, {"content": "新" * 120})
    assert [note["summary"] for note in manager.get_memories()] == ["新" * 100, "自己写的"]


def test_r3_05_a_note_is_for_somebody_and_says_something(manager: PromptManager) -> None:
    with pytest.raises(InvalidInput, match="target_id 不能为空"):
        manager.add_memory("标题", "内容", " ")
    with pytest.raises(InvalidInput, match="不能都为空"):
        manager.add_memory(" ", " \n", "user_1")
    with pytest.raises(TooLong):
        manager.add_memory("标题", "长" * 8001, "user_1")
    assert manager.get_memories() == []
    assert manager.add_memory("", "只有内容", "user_1")
    assert manager.add_memory("只有标题", "", "user_1")


def test_r3_05_clearing_all_is_logged(manager: PromptManager, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("nonebot_plugin_memoryfs").addHandler(caplog.handler)
    try:
        for target in ("user_1", "user_2", "group_9"):
            manager.add_memory("标题", "内容", target)
        assert manager.clear_memories("2") is True
        assert caplog.messages == []
        assert manager.clear_memories(None) is True
    finally:
        logging.getLogger("nonebot_plugin_memoryfs").removeHandler(caplog.handler)
    assert caplog.messages == ["已清空全部便签，共 2 条"]
    assert manager.get_memories() == []


# ---- where a note comes from


def test_r1_19_notes_of_a_turn_go_with_it(manager: PromptManager) -> None:
    for turn in ("7", "77", None):
        manager.add_memory(f"第 {turn} 轮", "x", "user_1", source_event_id=turn)
    assert manager.notes.forget_sources(["7", "8"]) == 1
    assert titles(manager) == ["第 77 轮", "第 None 轮"]


def test_r7_04_erasing_a_person_reaches_notes_and_their_past(store: Store, manager: PromptManager) -> None:
    manager.add_memory("甲", "甲的秘密", "user_1")
    manager.add_memory("乙", "乙的", "user_2")
    manager.add_memory("转述", "甲在私聊里说的", "group_9", conversation_id="qq_private_1")
    manager.add_memory("改过", "甲的旧秘密", "user_1")
    manager.update_memory(ids(manager)[-1], {"target_id": "user_2", "content": "无关"})
    assert manager.notes.erase_person("1") == 2
    assert titles(manager) == ["乙", "改过"]
    assert "秘密" not in json.dumps(saved_notes(store), ensure_ascii=False)
    assert former(store) == []


def test_r3_04_a_note_stands_in_the_file_as_it_is_read(store: Store) -> None:
    note = note_of("a", {"title": 1, "content": "x\ny", "target_id": 5, "source_event_id": 3}, NOW)
    assert isinstance(note, Note)
    assert (note.title, note.target_id, note.source_turn) == ("1", "user_5", 3)
    assert note_of("a", note.to_record(UTC), datetime.now(UTC)) == note


def test_r3_06_writers_say_where_and_in_which_turn(store: Store, manager: PromptManager) -> None:
    manager.add_memory(
        *("约定", "周五一起看球", "group_9"),
        mem_type="short",
        expire_days=3,
        conversation_id="qq_group_9",
        source_event_id="42",
    )
    [note] = saved_notes(store)
    assert (note["conversation_id"], note["source_event_id"]) == ("qq_group_9", "42")
    assert manager.notes.find("group_9")[0].source_turn == 42
    assert "周五一起看球" in manager.load_memories("1", "9")
