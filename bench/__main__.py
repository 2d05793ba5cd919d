"""`python -m bench`: every bench there is, or the named ones, with their defaults."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from . import graph, life, retrieval, store, turn, web

BENCHES: Mapping[str, Callable[[Sequence[str]], int]] = {
    "store": store.main,
    "graph": graph.main,
    "retrieval": retrieval.main,
    "turn": turn.main,
    "life": life.main,
    "web": web.main,
}
"""Every bench: its command line, which gives the exit status."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run benches one after another; 1 if any of them failed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Run all benches, or those named.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}; default: all")
    names: list[str] = parser.parse_args(arguments).names
    if unknown := set(names) - BENCHES.keys():
        parser.error(f"no such bench: {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    return max([_run(name) for name in names or BENCHES])


def _run(name: str) -> int:
    print(f"== {name}")
    return BENCHES[name]([])


if __name__ == "__main__":
    sys.exit(main())
