"""What every bench reports with: percentiles, bounds on ratios, a plain table, a JSON file."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

RESULTS = Path("bench-results")
"""Where the JSON files go, below the current directory."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure and what it should be. Only a ratio within one run decides the exit status."""

    name: str
    value: float
    sense: Literal["at most", "at least"]
    limit: float
    unit: str = "×"
    """`×` for a ratio; an absolute figure has a unit of its own and is reported only."""

    @property
    def holds(self) -> bool:
        """Whether the figure is within its limit, which a missing one (NaN) never is."""
        return self.value <= self.limit if self.sense == "at most" else self.value >= self.limit

    @property
    def decides(self) -> bool:
        """Whether a failure fails the bench."""
        return self.unit == "×"

    @property
    def verdict(self) -> str:
        """What is printed behind it."""
        if self.holds:
            return "ok"
        return "FAILED" if self.decides else "short of the target"

    def as_text(self) -> str:
        """One line for people."""
        target = f"{self.sense} {self.limit:g} {self.unit}"
        return f"{self.name}: {self.value:.2f} {self.unit} ({target}) {self.verdict}"

    def as_record(self) -> dict[str, Any]:
        """The same for the JSON file."""
        return {**asdict(self), "holds": self.holds, "decides": self.decides}


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which this part of the values lies: the nearest rank. NaN of no values."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def table(rows: Sequence[Row]) -> str:
    """The rows under their keys, each column as wide as it must be, figures to the right."""
    heads = list(rows[0]) if rows else []
    lines = [heads, *([_cell(row[head]) for head in heads] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )


def write_json(path: Path, bench: str, rows: Sequence[Row], bounds: Sequence[Bound]) -> None:
    """Write the figures of a run, with the machine they are of."""
    data = {
        "bench": bench,
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
        "rows": rows,
        "bounds": [bound.as_record() for bound in bounds],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def conclude(bench: str, rows: Sequence[Row], bounds: Sequence[Bound], path: Path, legend: str = "") -> int:
    """Print and write what a bench found; the exit status: 1 if a ratio is out of its bound."""
    if legend:
        print(f"{legend}\n")
    print(table(rows))
    print()
    for bound in bounds:
        print(bound.as_text())
    write_json(path, bench, rows, bounds)
    print(f"\n{path}")
    return int(any(bound.decides and not bound.holds for bound in bounds))


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
