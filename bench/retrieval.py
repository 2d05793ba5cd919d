"""Bench `retrieval`: how much of what answers a question the bot's search over what was said finds (R6.11).

Each scope of the file is one person's private chat with the character; the questions are asked there,
through the search the bot uses. Noise was said in a group where everybody asking was from its first line.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from nonebot_plugin_memoryfs.storage import Store

from .bm25 import Bm25, terms
from .report import RESULTS, Bound, Row, conclude, percentile
from .said import LIMIT, Document, Loaded, Question, own, private_scope, read

VISIBLE = 2_000
"""Documents of one conversation among many (`--many`)."""
ALL, MANY = "all", "among many"
"""The lines of the table for all questions, and for those asked in the store filled up (`--many`)."""
MANY_MS = 5.0
"""What a search among so many should take at most, p50."""

_WARM_UP = 20


@dataclass(slots=True)
class Asked:
    """What came of one question."""

    type: str
    gold: frozenset[str]
    found: list[str]
    ms: float
    baseline: list[str] = field(default_factory=list)


def recall_at(found: Sequence[str], gold: frozenset[str], first: int) -> float:
    """Evidence recall: the share of what answers a question that is among the first so many."""
    return len(gold & set(found[:first])) / len(gold)


def ask_all(loaded: Loaded, questions: Sequence[Question]) -> list[Asked]:
    """Ask every question; the first few are asked before as well, to warm up."""
    for question in questions[:_WARM_UP]:
        loaded.ask(question.scope, question.text)
    asked: list[Asked] = []
    for question in questions:
        found, ms = loaded.ask(question.scope, question.text)
        asked.append(Asked(question.type, question.gold, found, ms))
    return asked


def ask_many(
    loaded: Loaded, documents: Sequence[Document], questions: Sequence[Question], many: int
) -> list[float]:
    """Fill the store up with so many documents of other people, and ask the questions there: ms of each."""
    people = [f"many-{number}" for number in range(-(-many // VISIBLE))]
    places = (private_scope(person) for person in people for _ in range(VISIBLE))
    loaded.add(islice(zip(places, cycle(documents), strict=False), many))
    pairs = list(zip(cycle(people), questions, strict=False))
    for person, question in pairs[:_WARM_UP]:
        loaded.ask(person, question.text)
    return [loaded.ask(person, question.text)[1] for person, question in pairs]


def add_baseline(
    asked: Sequence[Asked],
    documents: Sequence[Document],
    noise: Sequence[Document],
    questions: Sequence[Question],
) -> None:
    """Put beside every answer what plain BM25 finds among the same documents."""
    around = [_indexed(document) for document in noise]
    visible: dict[str, list[tuple[str, Mapping[str, int]]]] = {}
    for document in documents:
        visible.setdefault(document.scope, list(around)).append(_indexed(document))
    searches: dict[str, Bm25] = {}
    for answer, question in zip(asked, questions, strict=True):
        if question.scope not in searches:
            searches[question.scope] = Bm25(visible.pop(question.scope, around))
        answer.baseline = searches[question.scope].search(question.text, LIMIT)


def _indexed(document: Document) -> tuple[str, Mapping[str, int]]:
    return document.id, terms(f"{document.speaker}\n{document.text}")


def rows_of(asked: Sequence[Asked], *, baseline: bool) -> list[Row]:
    """A line of the table for each type of question, the last one for all."""
    types = sorted({answer.type for answer in asked})
    groups = [(name, [answer for answer in asked if answer.type == name]) for name in types]
    return [_row(name, group, baseline) for name, group in [*groups, (ALL, list(asked))]]


def _row(name: str, asked: Sequence[Asked], baseline: bool) -> Row:
    def mean(lists: Sequence[tuple[list[str], frozenset[str]]], first: int) -> float:
        return sum(recall_at(found, gold, first) for found, gold in lists) / len(lists)

    ours = [(answer.found, answer.gold) for answer in asked]
    plain = [(answer.baseline, answer.gold) for answer in asked]
    times = [answer.ms for answer in asked]
    row: dict[str, Any] = {
        "type": name,
        "questions": len(asked),
        "recall@5": mean(ours, 5),
        "recall@10": mean(ours, 10),
        "nothing": sum(not answer.found for answer in asked),
        "p50": percentile(times, 0.5),
        "p95": percentile(times, 0.95),
    }
    if baseline:
        row |= {"BM25@5": mean(plain, 5), "BM25@10": mean(plain, 10)}
    return row


def many_row(times: Sequence[float], *, baseline: bool) -> Row:
    """The line of the table for the questions asked among many documents of others."""
    row = {"type": MANY, "questions": len(times), "recall@5": "", "recall@10": "", "nothing": ""}
    plain = {"BM25@5": "", "BM25@10": ""} if baseline else {}
    return row | {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)} | plain


def bounds_of(rows: Sequence[Row], target: float | None = None) -> list[Bound]:
    """What is said of a table: better than plain BM25 decides, the rest is reported."""
    by_type = {row["type"]: row for row in rows}
    whole = by_type[ALL]
    bounds: list[Bound] = []
    if plain := whole.get("BM25@10"):
        bounds.append(Bound("recall@10 / that of plain BM25", whole["recall@10"] / plain, "at least", 1))
    if target is not None:
        bounds.append(Bound("recall@10", whole["recall@10"], "at least", target, "of the evidence"))
    if MANY in by_type:
        bounds.append(Bound("a search among many, p50", by_type[MANY]["p50"], "at most", MANY_MS, "ms"))
    return bounds


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench as the command line says; the exit status. Without a file there is nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.retrieval", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="documents and questions")
    parser.add_argument("--noise", type=Path, metavar="FILE", help="documents everybody sees")
    parser.add_argument("--noise-count", type=int, metavar="N", help="only the first N of them")
    parser.add_argument("--baseline", action="store_true", help="plain BM25 beside it")
    parser.add_argument("--many", type=int, default=0, metavar="N", help="N documents more, of others")
    parser.add_argument("--target", type=float, help="recall@10 to compare with")
    parser.add_argument("--json", type=Path, default=RESULTS / "retrieval.json", metavar="FILE")
    options = parser.parse_args(arguments)
    if options.file is None:
        print("no FILE of documents and questions was named: nothing measured")
        return 0
    documents, questions = read(options.file)
    noise = read(options.noise)[0][: options.noise_count] if options.noise else []
    times: list[float] = []
    with tempfile.TemporaryDirectory(prefix="bench-retrieval-") as directory, Store.open(directory) as store:
        print(f"adding {len(documents) + len(noise) + options.many:,} documents …", file=sys.stderr)
        loaded = Loaded(store)
        loaded.add_noise(noise, {question.scope for question in questions})
        loaded.add(own(documents))
        asked = ask_all(loaded, questions)
        if options.many:
            times = ask_many(loaded, documents, questions, options.many)
    if options.baseline:
        add_baseline(asked, documents, noise, questions)
    rows = rows_of(asked, baseline=options.baseline)
    if options.many:
        rows.append(many_row(times, baseline=options.baseline))
    return conclude("retrieval", rows, bounds_of(rows, options.target), options.json)


if __name__ == "__main__":
    sys.exit(main())
