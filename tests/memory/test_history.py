"""R1.11: what is kept of the past, and that it stays bounded."""

import pytest

from nonebot_plugin_memoryfs.memory import HistoryLimits, MemoryFS
from nonebot_plugin_memoryfs.scope import Viewer
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import file_history

from .conftest import at, entry

TIMELINE = "characters/neko/timeline.md"
LIFE = "characters/neko/life_sim/c.md"


def rows(store: Store) -> int:
    with store.database.read() as connection:
        return len(connection.execute(file_history.select()).all())


def test_r1_11_the_newest_20_versions_are_kept(fs: MemoryFS) -> None:
    for n in range(30):
        fs.write(LIFE, content=f"{n}")
    assert [v.version for v in fs.versions(LIFE)] == list(range(29, 9, -1))


def test_r1_11_dropped_entries_have_their_own_limit(store: Store) -> None:
    fs = MemoryFS(store, history=HistoryLimits(versions=0, entries=5))
    for n in range(30):
        fs.append(LIFE, entry(f"{n}", n))
    assert [e.text for e in fs.dropped_entries(LIFE)] == ["15", "16", "17", "18", "19"]
    assert fs.dropped_entries(LIFE)[0] == entry("15", 15)
    assert fs.versions(LIFE) == []
    assert rows(store) == 5


def test_r1_11_it_can_be_turned_off(store: Store) -> None:
    fs = MemoryFS(store, history=HistoryLimits(versions=0, entries=0))
    for n in range(30):
        fs.append(LIFE, entry(f"{n}", n))
    fs.delete(LIFE)
    assert rows(store) == 0


def test_r1_11_a_huge_entry_is_kept_only_in_part(fs: MemoryFS) -> None:
    fs.write(LIFE, content="字" * 100_000, append=True)
    assert [len(e.text) for e in fs.dropped_entries(LIFE)] == [16_000]


def test_r1_11_a_timeline_keeps_what_it_drops_by_conversation(store: Store) -> None:
    fs = MemoryFS(store, history=HistoryLimits(entries=3))
    fs.append(TIMELINE, entry("安静的人说的", 0, "qq_private_1", "1"))
    for n in range(200):
        fs.append(TIMELINE, entry(f"热闹{n}", n, "qq_group_9", "2"))
    dropped = [e.text for e in fs.dropped_entries(TIMELINE)]
    first_left = int(fs.entries(TIMELINE)[0].text.removeprefix("热闹"))
    assert dropped == ["安静的人说的", *(f"热闹{first_left - n}" for n in (3, 2, 1))]


@pytest.mark.parametrize("path", [TIMELINE, LIFE])
def test_r7_03_forgetting_reaches_dropped_entries(fs: MemoryFS, path: str) -> None:
    fs.append(path, entry("秘密", 0, "qq_group_9", "1"))
    for n in range(85 if path == TIMELINE else 12):
        fs.append(path, entry(f"{n}", n, "qq_group_9", "2"))
    assert "秘密" in repr(fs.dropped_entries(path)) + repr(fs.versions(path))
    fs.append(path, entry("秘密", 0, "qq_group_9", "1"))
    fs.remove_entry(path, len(fs.entries(path)), forget=True)
    assert "秘密" not in repr(fs.dropped_entries(path)) + repr(fs.versions(path))


def test_r1_11_a_conversation_with_an_endless_id_is_kept_too(fs: MemoryFS) -> None:
    for n in range(90):
        fs.append(TIMELINE, entry(f"{n}", n, "群" * 390))
    assert len(fs.dropped_entries(TIMELINE)) == 50
    viewer = Viewer("neko", "1", "qq_private_1", {"群" * 390: at(-1)})
    assert fs.build_context(viewer).text == ""
