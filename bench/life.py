"""Bench `life`: a tick with nothing due, whatever the number of idle conversations (R5.1, R6.12)."""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from nonebot_plugin_memoryfs.character import Rhythm, built_in
from nonebot_plugin_memoryfs.life import Life, Rules
from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.model import ChatModel
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.life_tables import heartbeats

from .report import RESULTS, Bound, Row, conclude, percentile

SIZES = (100, 1_000, 10_000)
"""Conversations whose heartbeat is on and not due."""
TICKS = 200

_NOW = datetime(2026, 7, 8, 6, 30, tzinfo=UTC)


async def _no_model() -> ChatModel:
    raise AssertionError("nothing is due")


def _fill(store: Store, size: int) -> None:
    rng = random.Random(size)
    rows = [
        {
            "character_id": "neko",
            "conversation_id": f"qq_group_{number}",
            "chosen": True,
            "seen_at": _NOW - timedelta(hours=rng.uniform(1, 8)),
            "last_at": _NOW - timedelta(minutes=rng.uniform(1, 59)),
            "due_at": _NOW + timedelta(minutes=rng.uniform(1, 480)),
        }
        for number in range(size)
    ]
    with store.database.write() as connection:
        connection.execute(insert(heartbeats), rows)


async def _measure(lives: dict[int, Life], ticks: int) -> dict[int, list[float]]:
    """Ticks in ms by size, the sizes taking turns; the first round only warms up."""
    times: dict[int, list[float]] = {size: [] for size in lives}
    for number in range(ticks + 1):
        for size, life in lives.items():
            started = time.perf_counter()
            await life.tick()
            if number:
                times[size].append((time.perf_counter() - started) * 1000)
    return times


def run(sizes: Sequence[int], ticks: int, directory: Path) -> list[Row]:
    """Fill a store of each size below a directory and measure; one row for each."""
    with ExitStack() as opened:
        lives: dict[int, Life] = {}
        for size in sorted(set(sizes)):
            store = opened.enter_context(Store.open(directory / str(size), clock=lambda: _NOW))
            _fill(store, size)
            lives[size] = Life(
                store,
                MemoryFS(store),
                _no_model,
                rules=Rules(),
                card_of=lambda _: built_in(),
                rhythm_of=lambda _: Rhythm(),
                web_on=True,
            )
        times = asyncio.run(_measure(lives, ticks))
    return [
        {"conversations": size, "tick p50": percentile(spent, 0.5), "tick p95": percentile(spent, 0.95)}
        for size, spent in times.items()
    ]


def bounds_of(rows: Sequence[Row]) -> list[Bound]:
    """What must hold of a table, its rows by size."""
    first, last = rows[0], rows[-1]
    span = f"{first['conversations']:,} → {last['conversations']:,} conversations"
    return [
        Bound(f"growth of an idle tick, {span}", last["tick p50"] / first["tick p50"], "at most", 2),
        Bound(f"an idle tick at {last['conversations']:,}, p50", last["tick p50"], "at most", 10, "ms"),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench as the command line says; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.life", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="idle conversations, like 100,1000")
    parser.add_argument("--ticks", type=int, default=TICKS)
    parser.add_argument("--json", type=Path, default=RESULTS / "life.json", metavar="FILE")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="bench-life-") as directory:
        rows = run(options.sizes, options.ticks, Path(directory))
    return conclude("life", rows, bounds_of(rows), options.json, "Times in ms, the thread crossing included.")


def _sizes(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
