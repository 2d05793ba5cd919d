"""The bench itself works (R6.12)."""

from pathlib import Path

from bench.life import bounds_of, run


def test_r6_12_a_small_run_has_a_row_for_each_size(tmp_path: Path) -> None:
    rows = run([40, 10], ticks=3, directory=tmp_path)
    assert [row["conversations"] for row in rows] == [10, 40]
    assert all(row["tick p50"] > 0 for row in rows)


def test_r6_12_growth_decides_and_milliseconds_do_not() -> None:
    slow = [{"conversations": 10, "tick p50": 30.0}, {"conversations": 40, "tick p50": 40.0}]
    growing = [{"conversations": 10, "tick p50": 1.0}, {"conversations": 40, "tick p50": 3.0}]
    assert [b.name for b in bounds_of(slow) if b.decides and not b.holds] == []
    assert len([b.name for b in bounds_of(growing) if b.decides and not b.holds]) == 1
