"""Bench `store`: one durable write, and the memory of one prompt, whatever the number of files (R6.8).

Each size has a store of its own, filled in bulk, closed and opened again. Then sizes take turns, round by
round, with everything running that runs in a bot: history, the following JSON file, the WAL copied back.
"""

import argparse
import gc
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any

from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.scope import private_conversation
from nonebot_plugin_memoryfs.storage import Store

from .report import RESULTS, Bound, Row, conclude, percentile
from .stored import CHARACTER, PER_USER, TIMELINE, Records, content, fill, make_records, users_of

SIZES = (100, 1_000, 10_000, 100_000)
"""Stored files."""
ROUNDS = 40
SECONDS = 120.0
"""How long rounds go on; three are always made."""

_CALLS = 15
"""Calls of one kind in one round."""
_REWRITE_MS = 15_000.0
"""How long each kind of rewriting goes on at each size; three are always made."""

Times = dict[str, list[float]]
"""What was measured, in ms, by name."""


class World:
    """A store with a number of files, and what is measured on it."""

    def __init__(self, directory: Path, records: Records) -> None:
        self.size = len(records)
        self.times: Times = {}
        self._records = records
        self._random = random.Random(self.size)
        self._directory = directory
        self._users = users_of(self.size)
        self._paths = [path for path in records if path != TIMELINE]
        with Store.open(directory) as store:
            fill(store, records)
        self._store = Store.open(directory)
        self._fs = MemoryFS(self._store)

    def close(self) -> None:
        """Close the store, which writes its JSON file."""
        self._store.close()

    def write(self) -> None:
        """Give one file another 1 KB of content: durable when the call returns."""
        number = self._random.randrange(len(self._paths))
        text = content(self._random, str(number // PER_USER))
        self._time("write", lambda: self._fs.write(self._paths[number], content=text))

    def same(self) -> None:
        """The memory of one user's prompt, who spoke just before."""
        self._context("same", self._users[0])

    def anyone(self) -> None:
        """The memory of any user's prompt; where there are many, one who has not spoken for long."""
        self._context("anyone", self._random.choice(self._users))

    def rewrite(self) -> None:
        """What a plain JSON store does for one record: all of them, as `memory_fs.json` looks."""
        self._rewrite("rewrite", lambda file: json.dump(self._records, file, ensure_ascii=False, indent=2))

    def compact(self) -> None:
        """The same as fast as the standard library can: one string, no indentation."""
        self._rewrite("compact", lambda file: file.write(json.dumps(self._records, ensure_ascii=False)))

    def _context(self, name: str, user: str) -> None:
        where = private_conversation(user)
        self._time(name, lambda: self._fs.build_prompt_context(CHARACTER, user, where))

    def _rewrite(self, name: str, dump: Callable[[Any], Any]) -> None:
        done = self.times.get(name, [])
        if len(done) < 3 or sum(done) < _REWRITE_MS:
            self._time(name, lambda: _replace(self._directory / "plain.json", dump))

    def _time(self, name: str, call: Callable[[], Any]) -> None:
        started, spent = time.perf_counter(), time.thread_time()
        call()
        ended, used = time.perf_counter(), time.thread_time()
        self.times.setdefault(name, []).append((ended - started) * 1000)
        self.times.setdefault(f"{name} cpu", []).append((used - spent) * 1000)


def _replace(path: Path, dump: Callable[[Any], Any]) -> None:
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        dump(file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def measure(worlds: Sequence[World], rounds: int, seconds: float) -> None:
    """Round by round, each kind of call on every size in turn; the first round only warms up."""
    _calls(worlds)
    for world in worlds:
        world.times.clear()
    deadline = time.perf_counter() + seconds
    for number in range(rounds):
        _calls(worlds)
        for world in worlds:
            world.rewrite()
            world.compact()
        if number >= 2 and time.perf_counter() > deadline:
            break


def _calls(worlds: Sequence[World]) -> None:
    for call in (World.write, World.same, World.anyone):
        for _ in range(_CALLS):
            for world in worlds:
                call(world)


def row_of(size: int, times: Times) -> Row:
    """A line of the table, times in ms."""

    def at(name: str, part: float = 0.5) -> float:
        return percentile(times[name], part)

    return {
        "files": size,
        "write p50": at("write"),
        "write p95": at("write", 0.95),
        "rewrite p50": at("rewrite"),
        "rewrite/write": at("rewrite") / at("write"),
        "compact p50": at("compact"),
        "context p50": at("same"),
        "context p95": at("same", 0.95),
        "context CPU p50": at("same cpu"),
        "anyone p50": at("anyone"),
        "anyone p95": at("anyone", 0.95),
        "anyone CPU p50": at("anyone cpu"),
    }


def bounds_of(rows: Sequence[Row]) -> list[Bound]:
    """What must hold of a table, its rows by size; what needs a size that was left out is left out."""
    first, last = rows[0], rows[-1]
    span = f"{first['files']:,} → {last['files']:,} files"

    def growth(column: str) -> float:
        return last[column] / first[column]

    rewrites = [
        Bound("rewriting all / one write at 10,000 files", row["rewrite/write"], "at least", 50)
        for row in rows
        if row["files"] == 10_000
    ]
    return [
        *rewrites,
        Bound(f"growth of a write, {span}", growth("write p50"), "at most", 2),
        Bound(f"growth of a context, {span}", growth("context p50"), "at most", 5),
        Bound(f"growth of anyone's context, {span}", growth("anyone p50"), "at most", 5),
        Bound(f"a context at {last['files']:,} files, p50", last["context p50"], "at most", 1, "ms"),
        Bound(f"anyone's context at {last['files']:,} files, p50", last["anyone p50"], "at most", 1, "ms"),
    ]


LEGEND = """Times in ms.
write     one 1 KB entry appended through MemoryFS, durable when it returns
rewrite   the whole JSON file written anew, indented as the product writes it; compact: without indentation
context   build_prompt_context for one user again and again; anyone: for another user each time"""


def run(sizes: Sequence[int], rounds: int, seconds: float, directory: Path) -> list[Row]:
    """Fill a store of each size below a directory and measure; one row for each."""
    records = make_records(max(sizes))
    with ExitStack() as opened:
        worlds: list[World] = []
        for size in sorted(set(sizes)):
            print(f"filling {size:,} files …", file=sys.stderr)
            world = World(directory / str(size), dict(islice(records.items(), size)))
            worlds.append(opened.enter_context(closing(world)))
        gc.collect()
        gc.freeze()  # what plain JSON needs in memory must not slow down everything else
        print("measuring …", file=sys.stderr)
        try:
            measure(worlds, rounds, seconds)
        finally:
            gc.unfreeze()
        return [row_of(world.size, world.times) for world in worlds]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench as the command line says; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.store", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="stored files, like 100,1000")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="no new round after this time")
    parser.add_argument("--json", type=Path, default=RESULTS / "store.json", metavar="FILE")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="bench-store-") as directory:
        rows = run(options.sizes, options.rounds, options.seconds, Path(directory))
    return conclude("store", rows, bounds_of(rows), options.json, LEGEND)


def _sizes(text: str) -> list[int]:
    sizes = [int(part) for part in text.split(",")]
    if min(sizes) < 10:
        raise argparse.ArgumentTypeError("a size must be at least 10")
    return sizes


if __name__ == "__main__":
    sys.exit(main())
