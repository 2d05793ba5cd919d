"""R6.2: what a rewrite of a JSON file costs: changed records only, in slices, at a share of the time."""

import json
import threading
from collections.abc import Hashable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from nonebot_plugin_memoryfs.storage import Store, face_source
from nonebot_plugin_memoryfs.storage.face_source import MappingLayout, Serialiser, dump
from nonebot_plugin_memoryfs.storage.pace import SHARE, SLICE_SECONDS, Pace
from nonebot_plugin_memoryfs.storage.written import digest_record

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


class Numbers(MappingLayout):
    """Keys and numbers, kept in memory; counts what is made of them."""

    def __init__(self, **numbers: int) -> None:
        self.numbers = numbers
        self.made: list[int] = []

    def rows(self, connection: Connection) -> Iterator[tuple[str, Hashable]]:
        yield from self.numbers.items()

    def record(self, row: Any) -> Any:
        self.made.append(row)
        return {"number": row}

    def put(self, connection: Connection, key: str, record: Any) -> None:
        self.numbers[key] = record["number"]

    def remove(self, connection: Connection, key: str) -> None:
        del self.numbers[key]


@given(value=JSON)
def test_r6_15_a_record_stands_in_the_file_as_the_standard_library_writes_it(value: Any) -> None:
    assert dump(value) == json.dumps(value, ensure_ascii=False, indent=2)


@given(records=st.dictionaries(st.text(), JSON, max_size=4))
def test_r6_15_a_file_is_that_of_the_standard_library(records: dict[str, Any]) -> None:
    texts = ((key, dump(record, "  ")) for key, record in records.items())
    assert "".join(MappingLayout().pack(texts)) == json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def test_r6_02_only_changed_records_are_made_again(store: Store) -> None:
    source = Numbers(a=1, b=2, c=3)
    face = store.face("numbers.json", source)
    face.push()
    source.made.clear()
    source.numbers |= {"b": 20, "d": 4}
    del source.numbers["c"]
    face.push()
    assert source.made == [20, 4]
    assert store.directory is not None
    saved = json.loads((store.directory / "numbers.json").read_text("utf-8"))
    assert saved == {"a": {"number": 1}, "b": {"number": 20}, "d": {"number": 4}}
    source.numbers["c"] = 3
    face.push()
    assert source.made == [20, 4, 3]


def test_r6_02_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Numbers()
    monkeypatch.setattr(face_source, "_REMEMBERED_CHARACTERS", 60)
    serialiser = Serialiser(source)
    for _ in range(3):
        for number in range(9):
            made = serialiser.of(str(number), number)
            assert made.text == dump({"number": number}, "  ")
            assert made.digest == digest_record({"number": number})
    remembered = len(made.text) * 9 // 60
    assert len(source.made) < 27 - remembered
    serialiser.keep({})
    source.made.clear()
    serialiser.of("0", 0)
    assert source.made == [0]


def test_r6_02_edits_of_two_files_at_once_are_both_taken_in(store: Store) -> None:
    sources = [Numbers(a=1), Numbers(a=1)]
    faces = [store.face(f"{n}.json", source) for n, source in enumerate(sources)]
    assert store.directory is not None
    for number, face in enumerate(faces):
        face.push()
        (store.directory / f"{number}.json").write_text(f'{{"a": {{"number": {number + 7}}}}}')
    threads = [threading.Thread(target=face.push) for face in (*faces, *faces)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [source.numbers for source in sources] == [{"a": 7}, {"a": 8}]
    assert list(store.directory.glob("*.unreadable-*")) == []


def test_r6_02_paced_work_takes_its_share_in_short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    slices: list[float] = []
    pauses: list[float] = []
    monkeypatch.setattr("time.thread_time", lambda: now)
    begun = 0.0

    def pause(seconds: float) -> None:
        nonlocal begun
        slices.append(now - begun)
        pauses.append(seconds)
        begun = now

    pace = Pace(pause)
    for _ in pace.over(range(1000)):
        now += SLICE_SECONDS / 3.5
    pace.rest()
    assert max(slices) < 1.5 * SLICE_SECONDS
    assert sum(slices) == pytest.approx(now)
    assert sum(slices) / (sum(slices) + sum(pauses)) == pytest.approx(SHARE)


def test_r6_02_who_waits_for_a_file_does_not_wait_for_pauses(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A push while the follower writes slowly: the pauses of a minute end at once."""
    monkeypatch.setattr("nonebot_plugin_memoryfs.storage.pace.SLICE_SECONDS", 0)
    monkeypatch.setattr("nonebot_plugin_memoryfs.storage.pace.SHARE", 1e-9)
    source = Numbers(**{str(number): number for number in range(200)})
    face = store.face("numbers.json", source)
    begun = threading.Event()
    rows = source.rows

    def slow(connection: Connection) -> Iterator[tuple[str, Hashable]]:
        begun.set()
        return rows(connection)

    monkeypatch.setattr(source, "rows", slow)
    face.mark()
    writer = threading.Thread(target=face.follow)
    writer.start()
    assert begun.wait(30)
    face.push()
    face.hurry()
    writer.join(30)
    assert not writer.is_alive()


def test_r6_02_an_edit_made_during_a_write_is_seen_by_the_next_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Numbers(a=1)
    face = store.face("numbers.json", source)
    face.push()
    writing, edited = threading.Event(), threading.Event()
    rows = source.rows

    def slow(connection: Connection) -> Iterator[tuple[str, Hashable]]:
        writing.set()
        assert edited.wait(30)
        return rows(connection)

    monkeypatch.setattr(source, "rows", slow)
    face.mark()
    writer = threading.Thread(target=face.follow)
    writer.start()
    assert writing.wait(30)
    assert store.directory is not None
    (store.directory / "numbers.json").write_text('{"a": {"number": 2}}', "utf-8")
    reader = threading.Thread(target=face.pull)
    reader.start()
    reader.join(0.2)  # one that does not wait for the write is through by now
    edited.set()
    reader.join(30)
    assert source.numbers == {"a": 2}
    writer.join(30)
    assert not writer.is_alive()
