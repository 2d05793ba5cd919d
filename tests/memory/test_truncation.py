"""R1.10: both limits, oldest first, no entry cut in two, the newest never dropped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.memory.entries import Entry, format_entries
from nonebot_plugin_memoryfs.memory.truncation import truncate

from .conftest import SHANGHAI, entry

TEXTS = st.text("ab猫。！\n 😀", min_size=1, max_size=120).filter(lambda t: bool(t.strip()))


@st.composite
def tagged(draw: st.DrawFn) -> Entry:
    return entry(
        draw(TEXTS), draw(st.none() | st.integers(0, 999)), draw(st.sampled_from([None, "qq_group_1"])), *"12"
    )


@given(st.lists(tagged(), max_size=12), st.none() | st.integers(1, 8), st.integers(60, 300))
def test_r1_10_both_limits_hold_and_nothing_is_lost(
    entries: list[Entry], max_entries: int | None, max_characters: int
) -> None:
    result = truncate(entries, max_entries, max_characters)
    assert len(format_entries(result.kept, SHANGHAI)) <= max_characters
    assert max_entries is None or len(result.kept) <= max_entries
    assert bool(result.kept) == bool(entries)
    if result.kept and result.kept[-1].text != entries[-1].text:
        assert result.dropped == tuple(entries)  # the shortened newest is kept in full elsewhere
        assert result.kept[-1].text.endswith("…")
    else:
        assert (*result.dropped, *result.kept) == tuple(entries)


@given(st.lists(tagged(), min_size=2, max_size=12), st.integers(60, 300))
def test_r1_10_no_more_is_dropped_than_needed(entries: list[Entry], limit: int) -> None:
    result = truncate(entries, None, limit)
    if 0 < len(result.dropped) < len(entries):
        assert len(format_entries((result.dropped[-1], *result.kept), SHANGHAI)) > limit


LIMITS = [
    ("characters/a/diary/daily.md", 30),
    ("characters/a/plot/c.md", 50),
    ("characters/a/life_sim/c.md", 10),
    ("characters/a/timeline.md", 80),
    ("characters/a/events/c.md", 100),
    ("characters/diary_girl/users/plot/user_persona.md", 100),
]


@pytest.mark.parametrize(("path", "kept"), LIMITS)
@pytest.mark.parametrize("append", [True, False])
def test_r1_10_each_kind_keeps_its_number_at_every_write(
    fs: MemoryFS, path: str, kept: int, append: bool
) -> None:
    notes = [f"第{n}条" for n in range(100)]
    if append:
        for note in notes:
            fs.write(path, content=note, append=True)
    else:
        fs.write(path, content="\n\n".join(notes))
    assert [e.text for e in fs.entries(path)] == notes[-kept:]
    dropped = [e.text for e in fs.dropped_entries(path)]
    assert dropped == notes[:-kept][-50:]


def test_r1_10_all_kinds_keep_4000_characters(fs: MemoryFS) -> None:
    path = fs.path_important_events("a", "c")
    for n in range(60):
        fs.write(path, content=f"{n:03}" + "字" * 97, append=True)
    file = fs.read(path)
    assert file is not None
    assert len(file.content) == 39 * 100 + 38 * 2
    assert file.content.startswith("021字")


def test_r1_10_a_newest_entry_over_the_limit_is_shortened_not_dropped(fs: MemoryFS) -> None:
    path = fs.path_user_persona("a", "u")
    fs.write(path, content="旧的")
    fs.write(path, content="一句话。" * 1500, append=True)
    file = fs.read(path)
    assert file is not None
    assert len(file.content) <= 4000
    assert file.content.endswith("一句话。…")
    assert [len(e.text) for e in fs.dropped_entries(path)] == [2, 6000]
