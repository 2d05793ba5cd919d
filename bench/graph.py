"""Bench `graph`: commits and recalls of the memory graph, whatever the number of edges (R6.9).

Each size has a graph of its own, filled in bulk, closed and opened again. Then sizes take turns, call by
call, beside a bare transaction on the same disk, and a recall that reads all it can reach.
"""

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.storage import Store

from .facts import ASKER, HUB, MIDDLE, MISS, RARE, fill, groups, three
from .naive import Bare, naive_recall
from .report import RESULTS, Bound, Row, conclude, percentile

SIZES = (1_000, 10_000, 100_000)
"""Edges; with `--full` also a million."""
FULL = 1_000_000
ROUNDS = 30

FACTS, CHARACTERS, CHAIN = 40, 1_200, 1_600
"""What an answer may hold (R2.9, R2.15)."""

_PERSONA = "AI,人设,角色,性格,语气,说话风格"
_TASK = "TaskNode,工作记忆,任务链"
RECALLS: Mapping[str, str] = {
    "rare": RARE,
    "middle": MIDDLE,
    "hub": HUB,
    "persona": _PERSONA,
    "task": _TASK,
    "miss": MISS,
}
"""What is asked, by name."""
NAIVE = ("hub", "persona", "task")
"""The recalls that are measured in the naive form as well."""

_CALLS = 5
"""Calls of one kind in one round."""
_OPENINGS = 5
_NAIVE_LARGEST = 100_000
_NAIVE_ROUNDS = 3

Times = dict[str, list[float]]
"""What was measured, in ms, by name."""


class World:
    """A graph with a number of edges, and what is measured on it."""

    def __init__(self, directory: Path, size: int, bare: Bare) -> None:
        self.size = size
        self.times: Times = {}
        self.budget: dict[str, float] = {}
        """The largest part of its budget that an answer took, by name."""
        self._bare = bare
        self._database = directory / "memory.db"
        self._places = groups()
        self._said = 0
        with Store.open(directory) as store:
            fill(store, size)
        for _ in range(_OPENINGS):
            self._time("open", lambda: MemoryGraph.open(directory)).close()
        self._graph = MemoryGraph.open(directory)

    def close(self) -> None:
        """Close the graph."""
        self._graph.close()

    def commit(self) -> None:
        """Three facts in one of the asker's conversations, durable when the call returns; then a bare row."""
        self._said += 1
        place, triplets = self._places[self._said % len(self._places)], three(self._said)
        result = self._time("commit", lambda: self._graph.memory_commit(place, triplets))
        if not result.ok or result.added != len(triplets):
            raise RuntimeError(f"three new facts were not written: {result.text}")
        self._time("bare", self._bare.commit)

    def recall(self, name: str) -> None:
        """One of the six recalls, and what its answer takes of the budget."""
        answer = self._time(name, lambda: self._graph.memory_recall(ASKER, RECALLS[name]))
        limit = CHAIN if name == "task" else CHARACTERS
        part = max(len(answer.facts) / FACTS, len(answer.text) / limit)
        self.budget[name] = max(part, self.budget.get(name, 0.0))
        empty = not answer.facts and name != "task"
        if empty != (name == "miss"):
            raise RuntimeError(f"recall {name!r} of {self.size} edges answered {answer.text!r}")

    def naive(self, name: str) -> None:
        """The same recall in the naive form."""
        words = RECALLS[name].split(",")
        self._time(f"naive {name}", lambda: naive_recall(self._database, words, tasks=name == "task"))

    def _time(self, name: str, call: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        result = call()
        self.times.setdefault(name, []).append((time.perf_counter() - started) * 1000)
        return result


def measure(worlds: Sequence[World], bare: Bare, rounds: int) -> None:
    """Round by round, each kind of call on every size in turn; the first round only warms up."""
    _calls(worlds)
    for world in worlds:
        world.times = {"open": world.times["open"]}
    for number in range(rounds):
        _calls(worlds)
        bare.checkpoint()
        if number < _NAIVE_ROUNDS:
            for name in NAIVE:
                for world in worlds:
                    if world.size <= _NAIVE_LARGEST:
                        world.naive(name)


def _calls(worlds: Sequence[World]) -> None:
    for _ in range(_CALLS):
        for world in worlds:
            world.commit()
    for name in RECALLS:
        for _ in range(_CALLS):
            for world in worlds:
                world.recall(name)


def rows_of(size: int, times: Times, budget: Mapping[str, float]) -> list[Row]:
    """The lines of the table for one size, times in ms."""
    return [_row(size, name, times, budget) for name in ("open", "bare", "commit", *RECALLS)]


def _row(size: int, name: str, times: Times, budget: Mapping[str, float]) -> Row:
    row: dict[str, Any] = {"edges": size, "call": name, "calls": len(times[name])}
    row |= {"p50": percentile(times[name], 0.5), "p95": percentile(times[name], 0.95)}
    row |= {"of budget": budget.get(name, ""), "against": "", "its p50": "", "ratio": ""}
    if name == "commit":
        bare = percentile(times["bare"], 0.5)
        row |= {"against": "bare", "its p50": bare, "ratio": row["p50"] / bare}
    elif f"naive {name}" in times:
        naive = percentile(times[f"naive {name}"], 0.5)
        row |= {"against": "naive", "its p50": naive, "ratio": naive / row["p50"]}
    return row


def bounds_of(rows: Sequence[Row]) -> list[Bound]:
    """What must hold of a table, its rows by size; what needs a size that was left out is left out."""
    at = {(row["edges"], row["call"]): row for row in rows}
    sizes = sorted({row["edges"] for row in rows})
    last = sizes[-1]
    first = next((size for size in sizes if size >= 10_000), last)
    bounds = [
        Bound(f"a commit of 3 / a bare row at {size:,} edges", at[size, "commit"]["ratio"], "at most", 10)
        for size in sizes
    ]
    if first < last:
        span = f"{first:,} → {last:,} edges"
        growth = {name: at[last, name]["p50"] / at[first, name]["p50"] for name in ("commit", *RECALLS)}
        bounds += [Bound(f"growth of {name}, {span}", value, "at most", 2) for name, value in growth.items()]
    part = max(row["of budget"] for row in rows if row["call"] in RECALLS)
    bounds.append(Bound("the largest answer / its budget", part, "at most", 1))
    bounds += [
        Bound(f"naive {name} / ours at 100,000 edges", at[100_000, name]["ratio"], "at least", 50)
        for name in NAIVE
        if 100_000 in sizes
    ]
    opening = at[last, "open"]["p50"]
    return [*bounds, Bound(f"opening {last:,} edges, p50", opening, "at most", 100, "ms")]


def run(sizes: Sequence[int], rounds: int, directory: Path) -> list[Row]:
    """Fill a graph of each size below a directory and measure; the rows of each."""
    with ExitStack() as opened:
        bare = opened.enter_context(closing(Bare(directory / "bare.db")))
        worlds: list[World] = []
        for size in sorted(set(sizes)):
            print(f"filling {size:,} edges …", file=sys.stderr)
            worlds.append(opened.enter_context(closing(World(directory / str(size), size, bare))))
        gc.collect()
        print("measuring …", file=sys.stderr)
        measure(worlds, bare, rounds)
        return [row for world in worlds for row in rows_of(world.size, world.times, world.budget)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench as the command line says; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.graph", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="edges, like 1000,10000")
    parser.add_argument("--full", action="store_true", help=f"{FULL:,} edges as well")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, default=RESULTS / "graph.json", metavar="FILE")
    options = parser.parse_args(arguments)
    sizes = [*options.sizes, *([FULL] if options.full else [])]
    with tempfile.TemporaryDirectory(prefix="bench-graph-") as directory:
        rows = run(sizes, options.rounds, Path(directory).resolve())
    return conclude("graph", rows, bounds_of(rows), options.json)


def _sizes(text: str) -> list[int]:
    sizes = [int(part) for part in text.split(",")]
    if min(sizes) < 100:
        raise argparse.ArgumentTypeError("a size must be at least 100")
    return sizes


if __name__ == "__main__":
    sys.exit(main())
