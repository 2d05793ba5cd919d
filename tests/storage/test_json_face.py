"""R6.2: JSON files that people may edit, and that no crash can tear."""

import json
import threading
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import DataError, IntegrityError, OperationalError, StatementError

from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.face_source import MappingLayout
from nonebot_plugin_memoryfs.storage.json_face import JsonFace
from nonebot_plugin_memoryfs.storage.prompt_tables import layers
from nonebot_plugin_memoryfs.storage.written import Written

from ..postgres import parametrise as pytest_generate_tests  # noqa: F401


class Words(MappingLayout):
    """A small source over the layers table: key → text."""

    def __init__(self) -> None:
        self.puts: list[str] = []

    def rows(self, connection: Connection) -> Iterator[tuple[str, Hashable]]:
        query = select(layers.c.target_id, layers.c.content).order_by(layers.c.target_id)
        for row in connection.execute(query):
            yield row.target_id, row.content

    def record(self, row: Any) -> Any:
        return row

    def put(self, connection: Connection, key: str, record: Any) -> None:
        if not isinstance(record, str):
            raise InvalidInput(f"{key} 应是文字")
        self.puts.append(key)
        connection.execute(delete(layers).where(layers.c.target_id == key))
        set_word(connection, key, record)

    def remove(self, connection: Connection, key: str) -> None:
        connection.execute(delete(layers).where(layers.c.target_id == key))


def set_word(connection: Connection, key: str, text: str) -> None:
    from nonebot_plugin_memoryfs.storage.store import utc_now

    connection.execute(delete(layers).where(layers.c.target_id == key))
    connection.execute(insert(layers).values(level="user", target_id=key, content=text, updated_at=utc_now()))


def words_of(store: Store) -> dict[str, str]:
    with store.database.read() as c:
        return {r.target_id: r.content for r in c.execute(select(layers.c.target_id, layers.c.content))}


def put_word(store: Store, key: str, text: str) -> None:
    with store.database.write() as c:
        set_word(c, key, text)


@pytest.fixture
def source() -> Words:
    return Words()


@pytest.fixture
def face(store: Store, source: Words) -> JsonFace:
    return store.face("words.json", source)


def path_of(store: Store) -> Path:
    assert store.directory is not None
    return store.directory / "words.json"


def saved(store: Store) -> dict[str, Any]:
    return json.loads(path_of(store).read_text("utf-8"))


def test_r6_02_push_writes_before_it_returns(store: Store, face: JsonFace) -> None:
    put_word(store, "猫", "喵")
    face.push()
    assert saved(store) == {"猫": "喵"}
    assert "喵" in path_of(store).read_text("utf-8")
    assert path_of(store).stat().st_mode & 0o077 == 0


def test_r6_02_a_marked_face_follows_within_five_seconds(store: Store, face: JsonFace) -> None:
    put_word(store, "a", "1")
    face.push()
    put_word(store, "a", "2")
    face.mark()
    deadline = threading.Event()
    for _ in range(100):
        if saved(store) == {"a": "2"}:
            break
        deadline.wait(0.05)
    assert saved(store) == {"a": "2"}


def test_r6_02_an_edit_wins_and_other_records_keep_the_tables_version(store: Store, face: JsonFace) -> None:
    for key in "abcd":
        put_word(store, key, "old")
    face.push()
    put_word(store, "b", "newer in the tables")
    path_of(store).write_text(json.dumps({"a": "edited", "b": "old", "d": "old", "e": "added"}), "utf-8")
    face.pull()
    assert words_of(store) == {"a": "edited", "b": "newer in the tables", "d": "old", "e": "added"}
    face.push()
    assert saved(store) == words_of(store)


def test_r6_02_a_push_never_overwrites_an_edit_it_has_not_read(store: Store, face: JsonFace) -> None:
    put_word(store, "a", "old")
    face.push()
    path_of(store).write_text(json.dumps({"a": "by hand"}), "utf-8")
    put_word(store, "b", "by the bot")
    face.push()
    assert saved(store) == {"a": "by hand", "b": "by the bot"}


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[1]", b"\xff\xfe{}", b'{"a": "half', b"[" * 100_000, b"null"]
)
def test_r6_02_an_unreadable_file_is_set_aside_and_written_anew(
    store: Store, face: JsonFace, damage: bytes
) -> None:
    put_word(store, "a", "kept")
    face.push()
    path_of(store).write_bytes(damage)
    face.pull()
    face.push()
    assert saved(store) == {"a": "kept"}
    [aside] = path_of(store).parent.glob("words.json.unreadable-*")
    assert aside.read_bytes() == damage
    assert aside.name in store.notices[-1][1]


def test_r6_02_one_bad_record_does_not_cost_the_other_edits(store: Store, face: JsonFace) -> None:
    put_word(store, "a", "old")
    face.push()
    edited = json.dumps({"a": ["not a text"], "b": "good"})
    path_of(store).write_text(edited, "utf-8")
    face.pull()
    assert words_of(store) == {"a": "old", "b": "good"}
    [aside] = path_of(store).parent.glob("words.json.unreadable-*")
    assert aside.read_text("utf-8") == edited
    assert "a 应是文字" in store.notices[-1][1]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("odd"),
        OverflowError("date value out of range"),
        RecursionError("too deep"),
        StatementError("wrapped", "INSERT", {}, OverflowError("date value out of range")),
        IntegrityError("INSERT", {}, Exception("unique")),
        DataError("INSERT", {}, Exception("out of range")),
    ],
)
def test_r6_02_what_the_tables_cannot_hold_is_refused_by_name(
    store: Store, face: JsonFace, source: Words, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    put_word(store, "a", "old")
    face.push()
    put = source.put

    def put_or_fail(connection: Connection, key: str, record: Any) -> None:
        put(connection, key, record)
        if key == "a":
            raise error

    monkeypatch.setattr(source, "put", put_or_fail)
    path_of(store).write_text('{"a": "bad", "b": "good"}', "utf-8")
    face.pull()
    assert words_of(store) == {"a": "old", "b": "good"}
    [aside] = path_of(store).parent.glob("words.json.unreadable-*")
    assert json.loads(aside.read_text("utf-8")) == {"a": "bad", "b": "good"}
    assert "a 存不下" in store.notices[-1][1]


def test_r6_02_trouble_of_the_database_is_no_refusal(
    store: Store, face: JsonFace, source: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    with monkeypatch.context() as patch:
        patch.setattr(source, "put", fail)
        path_of(store).write_text('{"a": "by hand"}', "utf-8")
        with pytest.raises(OperationalError):
            face.pull()
    face.pull()
    assert words_of(store) == {"a": "by hand"}


def test_r6_02_a_deleted_file_is_no_edit(store: Store, face: JsonFace) -> None:
    put_word(store, "a", "kept")
    face.push()
    path_of(store).unlink()
    face.pull()
    face.push()
    assert saved(store) == {"a": "kept"}


def test_r6_02_without_a_database_the_json_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text('\ufeff{"a": "from the file"}', "utf-8")
    with Store.open(tmp_path) as store:
        store.face("words.json", Words())
        assert words_of(store) == {"a": "from the file"}


def test_r6_02_an_edit_made_while_nothing_runs_is_taken_in(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.face("words.json", Words())
        put_word(store, "a", "old")
    (tmp_path / "words.json").write_text('{"a": "edited"}', "utf-8")
    with Store.open(tmp_path) as store:
        store.face("words.json", Words())
        assert words_of(store) == {"a": "edited"}


@pytest.mark.parametrize("moment", ["before the swap", "after the swap"])
def test_r6_13_a_crash_around_the_swap_is_not_taken_for_an_edit(
    tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(Exception):
        pass

    def crash(*_: object) -> None:
        raise Crash

    with Store.open(tmp_path) as store:
        face = store.face("words.json", Words())
        for key in "abc":
            put_word(store, key, "1")
        face.push()
        put_word(store, "a", "2")
        with store.database.write() as c:
            Words().remove(c, "b")
        target = "os.replace" if moment == "before the swap" else None
        with monkeypatch.context() as patch:
            if target:
                patch.setattr(target, crash)
            else:
                patch.setattr(Written, "settle", crash)
            with pytest.raises(Crash):
                face.push()
        put_word(store, "a", "3")
        put_word(store, "b", "back again")
        source = Words()
        fresh = JsonFace(tmp_path / "words.json", store.database, source, store.clock, store.report)
        fresh.pull()
        assert source.puts == []
        assert words_of(store) == {"a": "3", "b": "back again", "c": "1"}
        fresh.push()
        assert saved(store) == words_of(store)


texts = st.text(st.characters(), max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tables=st.dictionaries(texts, texts, max_size=6),
    edited=st.dictionaries(texts, texts, max_size=6),
)
def test_r6_15_edit_after_write_gives_exactly_the_edit(
    store: Store, face: JsonFace, tables: dict[str, str], edited: dict[str, str]
) -> None:
    from nonebot_plugin_memoryfs.text.cleaning import clean_json

    with store.database.write() as c:
        c.execute(delete(layers))
        for key, text in clean_json(tables).items():
            set_word(c, key, text)
    face.push()
    assert saved(store) == words_of(store)
    path_of(store).write_text(json.dumps(edited), "utf-8")
    face.pull()
    assert words_of(store) == clean_json(edited)


def test_r6_02_an_edit_is_not_taken_in_by_a_transaction_that_may_roll_back(
    store: Store, face: JsonFace
) -> None:
    put_word(store, "a", "old")
    face.push()
    path_of(store).write_text('{"a": "by hand"}', "utf-8")
    with store.database.write():
        face.pull()
        assert words_of(store) == {"a": "old"}
    face.push()
    assert saved(store) == {"a": "by hand"}
