"""The bench itself works: small runs have the right shape, and ratios are judged as they should be (R6.8)."""

import json
import math
from pathlib import Path

import pytest

from bench import __main__ as all_benches
from bench.report import Bound, conclude, percentile, table
from bench.store import bounds_of, main, row_of, run
from bench.stored import PER_USER, TIMELINE, make_records, users_of
from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.storage import Store

COLUMNS = [
    "files",
    "write p50",
    "rewrite p50",
    "rewrite/write",
    "context p50",
    "anyone p50",
    "context CPU p50",
]


def row(files: int, write: float = 1.0, times: float = 100.0, context: float = 0.5) -> dict[str, float]:
    return {
        "files": files,
        "write p50": write,
        "rewrite/write": times,
        "context p50": context,
        "anyone p50": context,
    }


def failed(*rows: dict[str, float]) -> list[str]:
    return [bound.name for bound in bounds_of(rows) if bound.decides and not bound.holds]


def test_r6_08_a_small_run_has_a_row_for_each_size(tmp_path: Path) -> None:
    rows = run([200, 50], rounds=1, seconds=0, directory=tmp_path)
    assert [line["files"] for line in rows] == [50, 200]
    for line in rows:
        assert line.keys() >= set(COLUMNS)
        assert all(value > 0 for value in line.values())


def test_r6_08_the_command_prints_a_table_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["--sizes", "50,200", "--rounds", "1", "--seconds", "0"])
    data = json.loads(Path("bench-results/store.json").read_text(encoding="utf-8"))
    assert data["bench"] == "store"
    assert [line["files"] for line in data["rows"]] == [50, 200]
    assert data["machine"].keys() == {"system", "architecture", "cores", "python"}
    assert status == any(bound["decides"] and not bound["holds"] for bound in data["bounds"])
    printed = capsys.readouterr().out
    assert "rewrite/write" in printed
    assert "growth of a write, 50 → 200 files" in printed


def test_r6_08_ratios_within_their_bounds_pass() -> None:
    assert failed(row(100), row(10_000, times=50), row(100_000, write=2.0, context=2.5)) == []


@pytest.mark.parametrize(
    ("middle", "last", "names"),
    [
        ({"times": 49.9}, {}, ["rewriting all / one write at 10,000 files"]),
        ({}, {"write": 2.01}, ["growth of a write, 100 → 100,000 files"]),
        (
            {},
            {"context": 2.51},
            ["growth of a context, 100 → 100,000 files", "growth of anyone's context, 100 → 100,000 files"],
        ),
    ],
)
def test_r6_08_a_ratio_out_of_its_bound_fails(
    middle: dict[str, float], last: dict[str, float], names: list[str]
) -> None:
    assert failed(row(100), row(10_000, **middle), row(100_000, **last)) == names


def test_r6_08_without_10k_its_bound_is_left_out() -> None:
    assert failed(row(100, times=1), row(1_000, times=1)) == []


def test_an_absolute_figure_is_reported_and_never_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(100, context=7.0), row(100_000, context=7.0)]
    assert conclude("store", rows, bounds_of(rows), tmp_path / "deep" / "store.json") == 0
    assert (
        "a context at 100,000 files, p50: 7.00 ms (at most 1 ms) short of the target"
        in capsys.readouterr().out
    )
    assert conclude("store", rows, [Bound("ratio", 3, "at most", 2)], tmp_path / "store.json") == 1
    assert "ratio: 3.00 × (at most 2 ×) FAILED" in capsys.readouterr().out


def test_a_missing_figure_never_passes() -> None:
    assert not Bound("x", math.nan, "at most", 2).holds
    assert not Bound("x", math.nan, "at least", 2).holds
    assert math.isnan(percentile([], 0.5))


def test_rows_are_medians_of_what_was_measured() -> None:
    names = ("write", "rewrite", "compact", "same", "anyone", "same cpu", "anyone cpu")
    line = row_of(10, {name: [9.0, 2.0, 4.0] if name == "rewrite" else [3.0, 1.0, 2.0] for name in names})
    assert line["rewrite/write"] == 2.0
    assert line["write p95"] == 3.0


def test_a_table_is_aligned() -> None:
    assert table([{"files": 1, "p50": 0.25}, {"files": 1000, "p50": 12.0}]) == (
        "files     p50\n    1   0.250\n 1000  12.000"
    )


def test_the_stored_files_are_what_the_product_reads(tmp_path: Path) -> None:
    records = make_records(50)
    assert len(records) == 50
    assert next(iter(records)) == TIMELINE
    assert list(make_records(20)) == list(records)[:20]
    assert users_of(50) == [str(n) for n in range(49 // PER_USER)]
    run([50], rounds=1, seconds=0, directory=tmp_path)
    with Store.open(tmp_path / "50") as store:
        text = MemoryFS(store).build_prompt_context("neko", "3", "qq_private_3")
    assert "【用户人格记忆】" in text
    assert "[qq_group_22]" in text  # from the timeline's past
    assert len(text) > 1500


@pytest.mark.parametrize("sizes", ["5", "x", ""])
def test_sizes_too_small_or_no_sizes_are_refused(sizes: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--sizes", sizes])
    assert "--sizes" in capsys.readouterr().err


def test_all_benches_run_by_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[str] = []
    benches = {"good": lambda _: ran.append("good") or 0, "bad": lambda _: ran.append("bad") or 1}
    monkeypatch.setattr(all_benches, "BENCHES", benches)
    assert all_benches.main([]) == 1
    assert all_benches.main(["good"]) == 0
    assert ran == ["good", "bad", "good"]
    with pytest.raises(SystemExit):
        all_benches.main(["none"])
    assert "good, bad" in capsys.readouterr().err
