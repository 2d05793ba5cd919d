"""The bench of turns works: its three parts, and growth is judged as it should be (R6.10)."""

import json
from pathlib import Path

import pytest

from bench import turn_cost, turn_size
from bench.turn import main
from bench.turn_size import WINDOW, measure


def row(turns: str, characters: float, recalled: float = 0.0) -> dict[str, object]:
    return {
        "turns": turns,
        "characters": characters,
        "recalled": recalled,
        "tokens": characters / 2,
        "messages array": 1.0,
    }


def failed(*sizes: float, recalled: tuple[float, ...] = ()) -> list[str]:
    found = recalled or (0.0,) * len(sizes)
    rows = [row(str(n), *both) for n, both in enumerate(zip(sizes, found, strict=True))]
    return [bound.name for bound in turn_size.bounds_of(rows) if bound.decides and not bound.holds]


async def test_r6_10_a_row_for_each_window_of_turns(tmp_path: Path) -> None:
    rows = await measure(WINDOW * 2, tmp_path)
    assert [line["turns"] for line in rows] == ["1-25", "26-50"]
    for line in rows:
        assert line["most"] >= line["characters"] > line["tokens"] > 0
        assert line["characters"] > line["recalled"] > 0
    assert rows[1]["messages array"] > rows[0]["messages array"]


def test_r6_10_only_what_is_recalled_may_grow_and_not_beyond_its_budget() -> None:
    filling = (0, 50, 80, 100, 100, 100, 100, 100)
    assert failed(100, 150, 180, 200, 200, 200, 200, 200, recalled=filling) == []
    assert len(failed(100, 150, 180, 200, 200, 200, 200, 200)) == 1
    beyond = tuple(n + turn_size.BUDGET for n in filling)
    assert len(failed(*(n + 100 for n in beyond), recalled=beyond)) == 1
    assert turn_size.bounds_of([row("1", 1), row("2", 1)]) == []


def cost(*p50: float) -> list[str]:
    sizes = (0, 1_000, 10_000, 100_000)
    rows = [{"stored turns": size, "turn p50": ms} for size, ms in zip(sizes, p50, strict=False)]
    return [bound.name for bound in turn_cost.bounds_of(rows) if not bound.holds]


def test_r6_10_a_turn_must_cost_the_same_whatever_is_stored() -> None:
    assert cost(10, 20, 25, 35) == []
    assert cost(10, 20, 20, 31) == ["growth of a turn, 10,000 → 100,000 stored"]
    assert cost(10, 41) == ["a turn at 1,000 stored, p50"]


def test_r6_10_turns_at_once_are_judged_by_the_cpu_of_one_alone() -> None:
    row = {"conversations": 200, "model s": 1.0, "total s": 6.0, "CPU alone ms": 20, "CPU at once ms": 25}
    row |= {"loop lag p99": 10}
    assert all(bound.holds for bound in turn_cost.crowd_bounds_of([row]))
    for worse in ({"total s": 6.3}, {"CPU at once ms": 27}, {"loop lag p99": 51}):
        assert sum(not bound.holds for bound in turn_cost.crowd_bounds_of([row | worse])) == 1


def test_r6_10_the_command_prints_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = ["--turns", "25", "--stored", "0,120", "--rounds", "2", "--crowd", "3", "--seconds", "0"]
    main(small)
    parts = {
        name: json.loads(Path(f"bench-results/turn-{name}.json").read_text("utf-8"))["rows"]
        for name in ("cost", "crowd", "size")
    }
    assert [line["stored turns"] for line in parts["cost"]] == [0, 120]
    for line in parts["cost"]:
        steps = [line[f"{step} p50"] for step in ("heard", "recalled", "answered", "sent", "recorded")]
        assert 0 < max(steps) < line["turn p50"] <= line["turn p95"]
    assert parts["crowd"][0]["conversations"] == 3
    assert "messages array" in capsys.readouterr().out
