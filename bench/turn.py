"""Bench `turn`: what a turn costs apart from its model, many at once, and what a request holds (R6.10)."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import turn_cost, turn_size
from .report import RESULTS, conclude


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the three parts; 1 if a ratio of one is out of its bound."""
    parser = argparse.ArgumentParser(prog="python -m bench.turn", description=__doc__)
    parser.add_argument(
        "--turns", type=int, default=turn_size.TURNS, help="turns whose requests are measured"
    )
    parser.add_argument("--stored", type=_sizes, default=turn_cost.STORED, help="stored turns, like 0,1000")
    parser.add_argument("--rounds", type=int, default=turn_cost.ROUNDS, help="turns of each size")
    parser.add_argument("--crowd", type=int, default=turn_cost.CROWD, help="conversations at once")
    parser.add_argument("--seconds", type=float, default=turn_cost.SECONDS, help="what their model takes")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIRECTORY")
    options = parser.parse_args(arguments)
    results: Path = options.results
    with tempfile.TemporaryDirectory(prefix="bench-turn-") as directory:
        cost = asyncio.run(turn_cost.cost(options.stored, options.rounds, Path(directory, "cost")))
        crowd = asyncio.run(
            turn_cost.crowd(options.crowd, options.rounds, options.seconds, Path(directory, "crowd"))
        )
        size = asyncio.run(turn_size.measure(options.turns, Path(directory, "size")))
    return max(
        conclude("turn cost", cost, turn_cost.bounds_of(cost), results / "turn-cost.json", turn_cost.LEGEND),
        conclude("turn crowd", crowd, turn_cost.crowd_bounds_of(crowd), results / "turn-crowd.json"),
        conclude("turn size", size, turn_size.bounds_of(size), results / "turn-size.json", turn_size.LEGEND),
    )


def _sizes(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
