"""Ranking over the text index: BM25 on what may be seen, with an evidence gate.

Rarity and lengths are those of the places asked, not of the whole store: elsewhere a word may be
common. The database counts and adds up; the cost is bounded, as of a gram that is common in a place
only its newest documents are read.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, Float, Integer, Text, bindparam, func, select, true

from ..storage.table_parameter import table_parameter
from ..storage.tables import documents, postings, shelves
from .bulk import read_rows
from .index import Kind
from .places import chunks
from .recipes import Recipe

_QUERY_GRAMS = 64
"""A longer query is cut: no statement grows with what a person sends."""
_COUNTED = 4_000
"""In a place with more documents, those from before somebody joined are not counted apart."""

_SHELVES = select(
    shelves.c.place_id,
    shelves.c.documents,
    shelves.c.length,
    *(  # one subquery for each end, each a seek: asked for together, SQLite reads all between them
        select(end(documents.c.ref))
        .where(documents.c.place_id == shelves.c.place_id, documents.c.kind == shelves.c.kind)
        .label(name)
        for name, end in (("first", func.min), ("last", func.max))
    ),
).where(
    shelves.c.place_id.in_(bindparam("place_ids", expanding=True)),
    shelves.c.kind == bindparam("kind"),
)
_SINCE = select(func.count(), func.coalesce(func.sum(documents.c.length), 0)).where(
    documents.c.place_id == bindparam("place_id"),
    documents.c.kind == bindparam("kind"),
    documents.c.ref >= bindparam("since"),
)

_GRAMS = table_parameter("grams", gram=Text())
_PLACES = table_parameter("places", place_id=Integer(), since=Integer())
_NEWEST = (
    select(postings.c.ref)
    .where(
        postings.c.place_id == _PLACES.c.place_id,
        postings.c.kind == bindparam("kind"),
        postings.c.gram == _GRAMS.c.gram,
        postings.c.ref >= _PLACES.c.since,
    )
    .order_by(postings.c.ref.desc())
)
_OF_PAIR = _NEWEST.correlate(_GRAMS, _PLACES)
_FREQUENCIES = (
    select(
        _GRAMS.c.gram,
        _PLACES.c.place_id,
        _PLACES.c.since,
        select(func.count()).select_from(_OF_PAIR.limit(bindparam("newest")).subquery()).scalar_subquery(),
        _OF_PAIR.limit(1).offset(bindparam("all_but_one")).scalar_subquery(),
    )
    .join_from(_GRAMS, _PLACES, true())
    .where(_OF_PAIR.limit(1).scalar_subquery().is_not(None))  # for EXISTS, PostgreSQL reads the whole table
)
"""In how many of a place's newest documents a gram stands; and the oldest of them, where there are more."""

_WEIGHED = table_parameter("weighed", gram=Text(), place_id=Integer(), since=Integer(), rarity=Float())
_HELD = func.sum(_WEIGHED.c.rarity)
_SCORE = func.sum(
    _WEIGHED.c.rarity
    * postings.c.count
    * bindparam("most_of_one", type_=Float())
    / (
        postings.c.count
        + bindparam("flat", type_=Float())
        + bindparam("slope", type_=Float()) * postings.c.length
    )
).label("score")
_BEST = (
    select(postings.c.place_id, postings.c.ref, _SCORE, _HELD)
    .join(
        _WEIGHED,
        (postings.c.gram == _WEIGHED.c.gram)
        & (postings.c.place_id == _WEIGHED.c.place_id)
        & (postings.c.ref >= _WEIGHED.c.since),
    )
    .where(postings.c.kind == bindparam("kind"))
    .group_by(postings.c.ref, postings.c.place_id)
    .having(bindparam("least", type_=Float()) <= _HELD)
    .order_by(_SCORE.desc(), postings.c.ref.desc())
    .limit(bindparam("most"))
)

MOST = 100
"""So many of the best documents are found: far more than anybody reads."""

Document = tuple[int, int]
"""Place and ref."""


class Match(NamedTuple):
    """A document that answers a query."""

    place_id: int
    ref: int
    score: float
    share: float
    """How much of the query it holds, by rarity, 0–1."""


class Shelf(NamedTuple):
    """The documents of a place that count."""

    documents: int
    length: int
    """Of all of them together."""
    first: int
    last: int
    """The first and last ref of these."""
    since: int
    """The first ref that may be seen (0: all)."""


@dataclass(frozen=True, slots=True)
class Shelves:
    """The documents of one kind among which is ranked."""

    kind: Kind
    of_place: Mapping[int, Shelf]

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(shelf.documents for shelf in self.of_place.values())

    @property
    def average(self) -> float:
        """How long they are, on average; never 0, though a name may hold no gram at all."""
        return sum(shelf.length for shelf in self.of_place.values()) / self.documents or 1.0


_Part = tuple[str, int, int]
"""A gram, a place, and the first ref there that is read."""


def shelves_of(connection: Connection, kind: Kind, since: Mapping[int, int]) -> Shelves:
    """The documents of some places, for one or several rankings.

    Args:
        connection: a read.
        kind: which documents.
        since: place → first ref that may be seen there (0: all). In large places, all are counted.
    """
    found: dict[int, Shelf] = {}
    for chunk in chunks(since):
        for row in connection.execute(_SHELVES, {"place_ids": chunk, "kind": int(kind)}):
            found[row.place_id] = Shelf(row.documents, row.length, row.first, row.last, since[row.place_id])
    for place_id, shelf in found.items():
        if shelf.since and 0 < shelf.documents <= _COUNTED:
            where = {"place_id": place_id, "kind": int(kind), "since": shelf.since}
            number, length = connection.execute(_SINCE, where).one()
            first = max(shelf.first, shelf.since)
            found[place_id] = shelf._replace(documents=number, length=length, first=first)
    return Shelves(kind, {place_id: shelf for place_id, shelf in found.items() if shelf.documents})


def rank(
    connection: Connection,
    recipe: Recipe,
    shelves: Shelves,
    query: Mapping[str, float],
    most: int = MOST,
) -> list[Match]:
    """The documents that answer a query, best first, then newest first.

    Args:
        connection: a read.
        recipe: how to rank.
        shelves: among which documents.
        query: the grams of the query and their weights.
        most: at most so many.
    """
    weights = dict(islice(query.items(), _QUERY_GRAMS))
    number = shelves.documents
    if not weights or not number:
        return []
    parts, frequency = _frequencies(connection, recipe, shelves, list(weights))
    rarity = {gram: weights[gram] * _idf(frequency[gram], number) for gram in weights}
    whole = sum(rarity.values())
    enough = recipe.gate * min(whole, recipe.plenty * _idf(1, number))
    how = {
        "kind": int(shelves.kind),
        "most_of_one": recipe.k1 + 1,
        "flat": recipe.k1 * (1 - recipe.b),
        "slope": recipe.k1 * recipe.b / shelves.average,
        "least": recipe.others * enough,
        "most": max(MOST, most),  # whether any holds enough is not asked of fewer
    }
    rows: list[tuple[int, int, float, float]] = []
    for some in filter(None, parts):
        weighed = [(gram, place_id, first, rarity[gram]) for gram, place_id, first in some]
        rows += map(tuple, read_rows(connection.execute(_BEST, {**how, "weighed": weighed})))
    if max((held for _, _, _, held in rows), default=0.0) < enough:
        return []
    found = (Match(place_id, ref, round(score, 6), held / whole) for place_id, ref, score, held in rows)
    return in_order(found)[:most]


def in_order(matches: Iterable[Match]) -> list[Match]:
    """Best first, then newest first."""
    return sorted(matches, key=lambda match: (-match.score, -match.ref, match.place_id))


def _idf(frequency: int, number: int) -> float:
    """Rarity; a gram that stands nowhere counts like one that stands once."""
    frequency = max(frequency, 1)
    return math.log(1 + (number - frequency + 0.5) / (frequency + 0.5))


def _frequencies(
    connection: Connection, recipe: Recipe, shelves: Shelves, grams: Sequence[str]
) -> tuple[list[list[_Part]], Counter[str]]:
    """What is to be read, and in how many documents each gram stands."""
    parts: list[list[_Part]] = []
    frequency: Counter[str] = Counter()
    for some in chunks(shelves.of_place.items()):
        where = {
            "grams": [(gram,) for gram in grams],
            "places": [(place_id, shelf.since) for place_id, shelf in some],
            "kind": int(shelves.kind),
            "newest": recipe.newest,
            "all_but_one": recipe.newest - 1,
        }
        parts.append([])
        for gram, place_id, first, count, oldest in read_rows(connection.execute(_FREQUENCIES, where)):
            if oldest is not None:
                first, count = oldest, _estimate(shelves.of_place[place_id], oldest, count)
            parts[-1].append((gram, place_id, first))
            frequency[gram] += count
    return parts, frequency


def _estimate(shelf: Shelf, oldest: int, read: int) -> int:
    """How often a gram stands in a place, from how dense its newest documents lie."""
    covered = (shelf.last - oldest + 1) / (shelf.last - shelf.first + 1)
    return min(shelf.documents, round(read / covered))
