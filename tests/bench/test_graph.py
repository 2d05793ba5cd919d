"""The bench of the graph: rows of small runs, the naive form, and ratios judged as they should be (R6.9)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from bench.facts import HUB, RARE, fill, told
from bench.graph import NAIVE, RECALLS, bounds_of, main, rows_of, run
from bench.naive import naive_recall
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import edges

CALLS = ["open", "bare", "commit", *RECALLS]
SCOPE = Scope("neko", "qq_private_1", "1", True)


def size(
    number: int, *, p50: float = 1.0, bare: float = 0.5, naive: float = 100.0, part: float = 0.5
) -> list[dict[str, Any]]:
    times = {name: [p50] for name in CALLS} | {f"naive {name}": [naive] for name in NAIVE}
    return [dict(row) for row in rows_of(number, times | {"bare": [bare]}, dict.fromkeys(RECALLS, part))]


def failed(*sizes: list[dict[str, Any]]) -> list[str]:
    rows = [row for rows in sizes for row in rows]
    return [bound.name for bound in bounds_of(rows) if bound.decides and not bound.holds]


def test_r6_09_a_small_run_has_the_rows_of_each_size(tmp_path: Path) -> None:
    rows = run([300, 100], rounds=1, directory=tmp_path)
    assert [(row["edges"], row["call"]) for row in rows] == [(n, call) for n in (100, 300) for call in CALLS]
    for row in rows:
        assert 0 < row["p50"] <= row["p95"]
        assert (row["against"] == "naive") == (row["call"] in NAIVE)
        assert (row["against"] == "bare") == (row["call"] == "commit")
        if row["call"] in RECALLS:
            assert 0 < row["of budget"] <= 1


def test_r6_09_the_command_prints_a_table_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["--sizes", "100,200", "--rounds", "1"])
    data = json.loads(Path("bench-results/graph.json").read_text(encoding="utf-8"))
    assert data["bench"] == "graph"
    assert {row["edges"] for row in data["rows"]} == {100, 200}
    assert status == any(bound["decides"] and not bound["holds"] for bound in data["bounds"])
    assert "persona" in capsys.readouterr().out


def test_r6_09_ratios_within_their_bounds_pass() -> None:
    assert failed(size(1_000, bare=0.1), size(10_000), size(100_000, p50=2, bare=0.2, part=1)) == []


@pytest.mark.parametrize(
    ("last", "names"),
    [
        ({"bare": 0.099}, ["a commit of 3 / a bare row at 100,000 edges"]),
        ({"part": 1.01}, ["the largest answer / its budget"]),
        ({"naive": 49.0}, [f"naive {name} / ours at 100,000 edges" for name in NAIVE]),
        (
            {"p50": 2.01, "naive": 200.0},
            [f"growth of {name}, 10,000 → 100,000 edges" for name in ("commit", *RECALLS)],
        ),
    ],
)
def test_r6_09_a_ratio_out_of_its_bound_fails(last: dict[str, float], names: list[str]) -> None:
    assert failed(size(1_000), size(10_000), size(100_000, **last)) == names


def test_r6_09_growth_is_from_10k_to_the_largest_and_naive_at_100k_only() -> None:
    names = [bound.name for bound in bounds_of([*size(10_000), *size(100_000), *size(1_000_000, naive=1)])]
    assert "growth of hub, 10,000 → 1,000,000 edges" in names
    assert failed(size(10_000), size(100_000), size(1_000_000, naive=1)) == []
    assert failed(size(1_000, p50=0.1), size(10_000, naive=1)) == []


def test_r6_09_opening_is_reported_and_never_decides() -> None:
    rows = size(100)
    rows[0]["p50"] = 500.0
    opening = bounds_of(rows)[-1]
    assert (opening.name, opening.holds, opening.decides) == ("opening 100 edges, p50", False, False)


def test_the_facts_are_always_the_same_and_a_quarter_is_about_the_hub() -> None:
    facts = list(told(1_000))
    assert facts == list(told(1_000))
    objects = Counter(fact["object"] for _, fact in facts)
    assert 245 <= objects[HUB] <= 250
    assert objects[RARE] == 3
    assert len({scope.conversation_id for scope, _ in facts}) == 9
    assert len({scope.user_id for scope, _ in facts}) > 5


def test_the_filled_graph_has_exactly_so_many_facts(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        assert fill(store, 500) == 500
        with store.database.read() as connection:
            facts = select(func.count()).select_from(edges).where(edges.c.kind == "RELATES_TO")
            assert connection.execute(facts).scalar() == 500


def test_the_naive_form_reads_two_steps_far_and_all_turns(tmp_path: Path) -> None:
    with MemoryGraph.open(tmp_path) as graph:
        facts = [("甲", "认识", "乙"), ("乙", "认识", "丙"), ("丙", "认识", "丁"), ("丁", "认识", "戊")]
        graph.memory_commit(SCOPE, facts)
        graph.task_create(SCOPE, "画猫", "画一只猫", ["丁"])
        turn = graph.open_turn(SCOPE, "小林", "早上好")
        graph.complete_turn(turn, reply="早", speaker="Neko")
        found = naive_recall(tmp_path / "memory.db", ["甲"])
        assert [line.split(" (")[0] for line in found.splitlines()] == ["甲 认识 乙", "乙 认识 丙"]
        chain = naive_recall(tmp_path / "memory.db", ["TaskNode"], tasks=True)
        assert "早上好" in chain
        assert "画猫 CONTAINS_INFO 丁" in chain
        assert "丙 认识 丁" in chain


@pytest.mark.parametrize("sizes", ["99", "x", ""])
def test_sizes_too_small_or_no_sizes_are_refused(sizes: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--sizes", sizes])
    assert "--sizes" in capsys.readouterr().err
