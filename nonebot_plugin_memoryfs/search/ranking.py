"""Ranking over the text index: BM25 on what may be seen, with an evidence gate.

Rarity and lengths are those of the places asked, not of the whole store: elsewhere a word may be
common. The cost is bounded: small places are read completely, of large ones the newest part.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, cast

from sqlalchemy import CompoundSelect, Connection, Select, bindparam, func, select, union_all

from ..storage.tables import documents, postings, shelves
from .bulk import read_rows
from .index import Kind
from .places import chunks
from .recipes import Recipe

_POSTING = (
    postings.c.gram,
    postings.c.place_id,
    postings.c.ref,
    postings.c.count,
    postings.c.length,
)
_WHOLE = select(*_POSTING).where(
    postings.c.gram.in_(bindparam("grams", expanding=True)),
    postings.c.place_id.in_(bindparam("place_ids", expanding=True)),
    postings.c.kind == bindparam("kind"),
)
_FIRST = _WHOLE.limit(bindparam("most"))
_SHELVES = select(shelves.c.place_id, shelves.c.documents, shelves.c.length).where(
    shelves.c.place_id.in_(bindparam("place_ids", expanding=True)),
    shelves.c.kind == bindparam("kind"),
)
_SINCE = select(func.count(), func.coalesce(func.sum(documents.c.length), 0)).where(
    documents.c.place_id == bindparam("place_id"),
    documents.c.kind == bindparam("kind"),
    documents.c.ref >= bindparam("since"),
)
_OF_PLACE = (documents.c.place_id == bindparam("place_id"), documents.c.kind == bindparam("kind"))
_RANGE = select(  # two seeks: asked for together, SQLite reads every document between them
    select(func.min(documents.c.ref)).where(*_OF_PLACE).scalar_subquery(),
    select(func.max(documents.c.ref)).where(*_OF_PLACE).scalar_subquery(),
)

_AT_ONCE = 16
"""Places of one statement about the newest documents of each."""
_GRAM = itemgetter(0)

_QUERY_GRAMS = 64
"""A longer query is cut: no statement grows with what a person sends."""

Document = tuple[int, int]
"""Place and ref."""
Posting = tuple[str, int, int, int, int]
"""Gram, place, ref, count, and length of the document."""


class Match(NamedTuple):
    """A document that answers a query."""

    place_id: int
    ref: int
    score: float
    share: float
    """How much of the query it holds, by rarity, 0–1."""


@dataclass(slots=True)
class _Postings:
    """What was read for a query."""

    since: Mapping[int, int]
    """Place → first ref that may be seen there."""
    rows: list[Posting] = field(default_factory=list[Posting])
    frequency: Counter[str] = field(default_factory=Counter[str])
    """Gram → in how many documents it stands (estimated where a place is not read completely)."""
    spans: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Place → its first and last ref, where one had to be estimated."""

    def take_all(self, rows: Sequence[Sequence[Any]]) -> None:
        """All postings of some grams in some places."""
        seen = [row for row in rows if row[2] >= self.since[row[1]]] if any(self.since.values()) else rows
        self.rows += cast("Iterable[Posting]", seen)
        self.frequency.update(map(_GRAM, seen))

    def take(self, rows: Iterable[Sequence[Any]], gram: str, frequency: int) -> None:
        """Some postings of a gram that may all be seen, and in how many documents it stands."""
        self.rows += cast("Iterable[Posting]", rows)
        self.frequency[gram] += frequency


def rank(
    connection: Connection,
    recipe: Recipe,
    kind: Kind,
    since: Mapping[int, int],
    query: Mapping[str, float],
) -> list[Match]:
    """The documents that answer a query, best first, then newest first.

    Args:
        connection: a read.
        recipe: how to rank.
        kind: which documents.
        since: place → first ref that may be seen there (0: all).
        query: the grams of the query and their weights.
    """
    weights = dict(islice(query.items(), _QUERY_GRAMS))
    sizes = _sizes(connection, recipe, kind, since)
    number = sum(size for size, _ in sizes.values())
    if not weights or not number:
        return []
    found = _read(connection, recipe, kind, since, sizes, list(weights))
    rarity = {gram: weights[gram] * _idf(found.frequency[gram], number) for gram in weights}
    average = sum(length for _, length in sizes.values()) / number
    scores, held = _score(recipe, found.rows, rarity, average)
    whole = sum(rarity.values())
    enough = recipe.gate * min(whole, recipe.plenty * _idf(1, number))
    if max(held.values(), default=0.0) < enough:
        return []
    matches = [
        Match(place_id, ref, score, held[place_id, ref] / whole)
        for (place_id, ref), score in scores.items()
        if held[place_id, ref] >= recipe.others * enough
    ]
    return in_order(matches)


def in_order(matches: Iterable[Match]) -> list[Match]:
    """Best first, then newest first."""
    return sorted(matches, key=lambda match: (-match.score, -match.ref, match.place_id))


def _idf(frequency: int, number: int) -> float:
    """Rarity; a gram that stands nowhere counts like one that stands once."""
    frequency = max(frequency, 1)
    return math.log(1 + (number - frequency + 0.5) / (frequency + 0.5))


def _score(
    recipe: Recipe,
    rows: Sequence[Posting],
    rarity: Mapping[str, float],
    average: float,
) -> tuple[dict[Document, float], dict[Document, float]]:
    """Score, and rarity held, of each document."""
    scores: defaultdict[Document, float] = defaultdict(float)
    held: defaultdict[Document, float] = defaultdict(float)
    k1, flat, slope = recipe.k1, recipe.k1 * (1 - recipe.b), recipe.k1 * recipe.b / average
    for gram, place_id, ref, count, length in rows:
        document, rare = (place_id, ref), rarity[gram]
        scores[document] += rare * count * (k1 + 1) / (count + flat + slope * length)
        held[document] += rare
    return scores, held


def _sizes(
    connection: Connection, recipe: Recipe, kind: Kind, since: Mapping[int, int]
) -> dict[int, tuple[int, int]]:
    """Place → number and total length of the documents that may be seen there.

    In places too large to be read completely, all documents are counted.
    """
    sizes: dict[int, tuple[int, int]] = {}
    for chunk in chunks(since):
        for row in connection.execute(_SHELVES, {"place_ids": chunk, "kind": int(kind)}):
            sizes[row[0]] = (row[1], row[2])
    for place_id in [p for p, (n, _) in sizes.items() if since[p] and n <= recipe.whole]:
        where = {"place_id": place_id, "kind": int(kind), "since": since[place_id]}
        row = connection.execute(_SINCE, where).one()
        sizes[place_id] = (row[0], row[1])
    return {place_id: size for place_id, size in sizes.items() if size[0]}


def _read(
    connection: Connection,
    recipe: Recipe,
    kind: Kind,
    since: Mapping[int, int],
    sizes: Mapping[int, tuple[int, int]],
    grams: list[str],
) -> _Postings:
    found = _Postings(since)
    small = [place_id for place_id, (size, _) in sizes.items() if size <= recipe.whole]
    for chunk in chunks(small):
        where = {"grams": grams, "place_ids": chunk, "kind": int(kind)}
        found.take_all(read_rows(connection.execute(_WHOLE, where)))
    for chunk in chunks(sizes.keys() - set(small)):
        for gram in grams:
            where = {"grams": [gram], "place_ids": chunk, "kind": int(kind), "most": recipe.newest}
            rows = read_rows(connection.execute(_FIRST, where))
            if len(rows) < recipe.newest:
                found.take_all(rows)
            else:
                _read_newest(connection, recipe, kind, sizes, found, gram, chunk)
    return found


def _read_newest(
    connection: Connection,
    recipe: Recipe,
    kind: Kind,
    sizes: Mapping[int, tuple[int, int]],
    found: _Postings,
    gram: str,
    place_ids: Iterable[int],
) -> None:
    """A common gram in large places: its newest documents of each."""
    for some in chunks(place_ids, _AT_ONCE):
        where: dict[str, Any] = {"gram": gram, "kind": int(kind), "newest": recipe.newest}
        for number, place_id in enumerate(some):
            where |= {f"place_{number}": place_id, f"since_{number}": found.since[place_id]}
        by_place: defaultdict[int, list[Sequence[Any]]] = defaultdict(list)
        for row in read_rows(connection.execute(_newest_of(len(some)), where)):
            by_place[row[1]].append(row)
        for place_id, read in by_place.items():
            frequency = len(read)
            if frequency == recipe.newest:
                if place_id not in found.spans:
                    found.spans[place_id] = _span(connection, kind, place_id)
                frequency = _estimate(
                    found.spans[place_id], sizes[place_id][0], min(row[2] for row in read), frequency
                )
            found.take(read, gram, frequency)


@cache
def _newest_of(places: int) -> CompoundSelect[*tuple[Any, ...]]:
    """The newest postings of a gram in each of so many places, in any order."""
    return union_all(*(select(_newest_in(number).subquery()) for number in range(places)))


def _newest_in(number: int) -> Select[*tuple[Any, ...]]:
    return (
        select(*_POSTING)
        .where(
            postings.c.gram == bindparam("gram"),
            postings.c.place_id == bindparam(f"place_{number}"),
            postings.c.kind == bindparam("kind"),
            postings.c.ref >= bindparam(f"since_{number}"),
        )
        .order_by(postings.c.ref.desc())
        .limit(bindparam("newest"))
    )


def _span(connection: Connection, kind: Kind, place_id: int) -> tuple[int, int]:
    """The first and the last ref of a place."""
    row = connection.execute(_RANGE, {"place_id": place_id, "kind": int(kind)}).one()
    return row[0], row[1]


def _estimate(span: tuple[int, int], size: int, oldest: int, read: int) -> int:
    """How often a gram stands in a place, from how dense its newest documents lie."""
    first, last = span
    covered = (last - oldest + 1) / (last - first + 1)
    return min(size, round(read / covered))
