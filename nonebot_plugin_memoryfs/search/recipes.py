"""How matches are ranked: named sets of numbers, apart from the machinery that uses them."""

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The settings of one kind of ranking."""

    k1: float
    """How soon a repeated gram stops counting (BM25)."""
    b: float
    """How much long documents are held back (BM25), 0–1."""
    gate: float
    """The evidence gate: the share of the query, by rarity, that some document must hold."""
    others: float = 1.0
    """Once one does, the part of it that is asked of the others."""
    plenty: float = math.inf
    """The gate takes a query for no longer than so many of its rarest possible grams: a long
    question needs no more evidence than a short one."""
    neighbours: tuple[float, ...] = ()
    """What a document gets of the scores of those one, two … places away from it."""
    seeds: int = 16
    """How many of the best matches lift their neighbours."""
    newest: int = 400
    """How many of a gram's newest documents are read in each place."""


LINES = Recipe(k1=1.2, b=0.4, gate=0.28, others=0.5, plenty=3.0, neighbours=(0.5, 0.25))
"""What was said: questions in plain words against single lines.

The lines beside a match come along at a part of its score, although they may share no word with the
question: an answer often stands there. Without them, `bench.retrieval` finds less than plain BM25.
"""

WORDS_ALONE = replace(LINES, neighbours=())
"""The same for a list that a person reads: only lines that share words with what was asked for."""

NAMES = Recipe(k1=0.6, b=0.3, gate=0.15, plenty=2.0, newest=60)
"""Names, aliases and relation labels: short texts against the words of a query."""
