"""The bench of turns works: rows by windows, and growth is judged as it should be (R6.10)."""

import json
from pathlib import Path

import pytest

from bench.turn import WINDOW, bounds_of, main, measure


def row(turns: str, characters: float, array: float = 1.0) -> dict[str, object]:
    return {"turns": turns, "characters": characters, "tokens": characters / 2, "messages array": array}


def failed(*sizes: float) -> list[str]:
    rows = [row(str(number), size) for number, size in enumerate(sizes)]
    return [bound.name for bound in bounds_of(rows) if bound.decides and not bound.holds]


async def test_r6_10_a_row_for_each_window_of_turns(tmp_path: Path) -> None:
    rows = await measure(WINDOW * 2, tmp_path)
    assert [line["turns"] for line in rows] == ["1-25", "26-50"]
    for line in rows:
        assert line["most"] >= line["characters"] > line["tokens"] > 0
    assert rows[1]["messages array"] > rows[0]["messages array"]


def test_r6_10_growth_fails_and_a_plateau_does_not() -> None:
    assert failed(100, 150, 190, 200, 200, 201, 205, 202) == []
    assert len(failed(*range(100, 900, 100))) == 2
    assert bounds_of([row("1", 1), row("2", 1)]) == []


def test_r6_10_the_command_prints_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--turns", "25"]) == 0
    data = json.loads(Path("bench-results/turn.json").read_text(encoding="utf-8"))
    assert data["bench"] == "turn"
    assert "messages array" in capsys.readouterr().out
