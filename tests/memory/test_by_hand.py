"""R6.2, R6.15: whatever a person leaves in `memory_fs.json`, the bot reads on and starts again."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.storage import Store

from ..conftest import Clock
from .conftest import flush

PERSONA = "characters/neko/users/1/user_persona.md"
TIMELINE = "characters/neko/timeline.md"
FIELDS = (
    *("path", "character_id", "target_id", "title", "content", "summary", "tags", "importance", "version"),
    *("source_event_id", "memory_ids", "created_at", "updated_at"),
)
TIMES = (
    "0001-01-01T00:00:00",
    "0001-01-01T00:00:00+00:00",
    "0001-01-01T00:00:00-23:59",
    "9999-12-31T23:59:59.999999",
    "9999-12-31T23:59:59-23:59",
    "2026-07-08T09:30:00+00:00:00.000001",
    "2026-07-08",
    "20260708T09",
    "2026-W01-1",
    "24:00",
    "2026-02-30T00:00:00",
)
ODD: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, 1, -1, 2**31 - 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400]),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        ["\ud800", "\x00", "[0001-01-01 00:00] [conv:a] [by:1] 旧", "[9999-12-31 23:59] 新", "[by:"]
    ),
    st.sampled_from(TIMES),
    st.lists(st.none() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.none()), max_size=3),
    st.dictionaries(st.text(max_size=4), st.none() | st.integers(), max_size=2),
)
KEYS = st.sampled_from(
    [
        PERSONA,
        TIMELINE,
        "characters/neko/events/qq_group_1.md",
        "characters/a/x.md",
        "",
        "x",
        "characters/../b.md",
    ]
)
RECORDS = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, ODD))
FILES = st.one_of(st.dictionaries(KEYS, RECORDS | ODD, max_size=4), ODD)


def use(fs: MemoryFS) -> None:
    """Everything a turn and a list do."""
    fs.list_all()
    fs.entries(PERSONA)
    for conversation in ("qq_private_1", "qq_group_1"):
        fs.build_prompt_context("neko", "1", conversation)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonebot_plugin_memoryfs.storage.json_face._READ_PAUSE_SECONDS", 0)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with two files, to be copied."""
    directory = tmp_path_factory.mktemp("filled")
    with Store.open(directory) as store:
        fs = MemoryFS(store)
        fs.write(PERSONA, content="喜欢动漫")
        fs.write(TIMELINE, content="[2026-07-01 10:00] [conv:qq_private_1] [by:1] 去了海边")
    return directory


def survives(directory: Path, clock: Clock, text: str) -> None:
    """Put this text in the file's place, while the bot runs and while it does not."""
    file = directory / "memory_fs.json"
    with Store.open(directory, clock=clock) as store:
        fs = MemoryFS(store)
        file.write_text(text)
        use(fs)
        fs.write(PERSONA, content="后来")
    file.write_text(text)
    for _ in range(2):
        with Store.open(directory, clock=clock) as store:
            use(MemoryFS(store))
    json.loads(file.read_text("utf-8"))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=FILES)
@example(data={PERSONA: {"created_at": "0001-01-01T00:00:00", "content": "x"}})
@example(data={PERSONA: {"content": "x", "version": 2**31 - 1}})
@example(data={TIMELINE: {"content": "[0001-01-01 00:00] [conv:qq_private_1] [by:1] 旧"}})
def test_r6_15_whatever_a_person_saves_the_bot_reads_on_and_starts_again(
    clock: Clock, filled: Path, data: Any
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(filled, directory, dirs_exist_ok=True)
        survives(Path(directory), clock, json.dumps(data))


@pytest.mark.parametrize("depth", [100, 300, 600, 900, 3000, 100_000])
@pytest.mark.parametrize("field", ["content", "tags", "unknown"])
def test_r6_15_nested_as_deep_as_you_like(tmp_path: Path, clock: Clock, depth: int, field: str) -> None:
    nested = "[" * depth + "]" * depth
    survives(tmp_path, clock, f'{{"{PERSONA}": {{"{field}": {nested}}}}}')


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00", "9999-12-31T23:59:59-12:00"])
def test_r6_02_one_date_out_of_range_costs_that_record_alone(
    fs: MemoryFS, store: Store, clock: Clock, time: str
) -> None:
    fs.write(PERSONA, content="喜欢动漫")
    flush(store)
    assert store.directory is not None
    edited = {
        PERSONA: {"content": "手改", "created_at": time},
        "characters/neko/general.md": {"content": "新加"},
    }
    (store.directory / "memory_fs.json").write_text(json.dumps(edited), "utf-8")
    assert [e.text for e in fs.entries(PERSONA)] == ["喜欢动漫"]
    assert [e.text for e in fs.entries("characters/neko/general.md")] == ["新加"]
    assert PERSONA in store.notices[-1][1]
    [aside] = store.directory.glob("memory_fs.json.unreadable-*")
    assert json.loads(aside.read_text("utf-8")) == edited
