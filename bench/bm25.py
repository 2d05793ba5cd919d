"""Plain BM25, the floor a search has to beat: two-character shingles or stemmed words, without stop words."""

import heapq
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import snowballstemmer

K1 = 1.2
B = 0.4

_ENGLISH = """
a about above after again against all am an and any are as at be because been before being below between
both but by can did do does doing don down during each few for from further had has have having he her here
hers herself him himself his how i if in into is it its itself just me more most my myself no nor not now of
off on once only or other our ours ourselves out over own s same she should so some such t than that the
their theirs them themselves then there these they this those through to too under until up very was we were
what when where which while who whom why will with you your yours yourself yourselves
"""
_STOP_WORDS = frozenset(_ENGLISH.split())
_PARTICLES = frozenset("的了吗呢吧啊么嘛呀是")
_RUN = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]+")
_stemmer = snowballstemmer.stemmer("english")


def terms(text: str) -> Counter[str]:
    """Two-character shingles of Chinese, stems of other words; stop words and particles left out."""
    found: Counter[str] = Counter()
    for run in _RUN.findall(text.lower()):
        if run[0] >= "\u4e00":
            shingles = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
            found.update(shingle for shingle in shingles if _PARTICLES.isdisjoint(shingle))
        elif run not in _STOP_WORDS:
            found[_stemmer.stemWord(run)] += 1
    return found


class Bm25:
    """The documents one person may see, ranked with the rarity of words among exactly these."""

    def __init__(self, documents: Sequence[tuple[str, Mapping[str, int]]]) -> None:
        """Documents as id and `terms`."""
        self._ids = [document_id for document_id, _ in documents]
        self._postings: dict[str, list[tuple[int, float]]] = {}
        lengths = [sum(counts.values()) for _, counts in documents]
        average = max(sum(lengths), 1) / max(len(lengths), 1)
        for number, (_, counts) in enumerate(documents):
            flat = K1 * (1 - B + B * lengths[number] / average)
            for term, count in counts.items():
                part = count * (K1 + 1) / (count + flat)
                self._postings.setdefault(term, []).append((number, part))

    def search(self, query: str, limit: int) -> list[str]:
        """Ids of the best documents that share a term with the query; equal ones as they were given."""
        scores: Counter[int] = Counter()
        for term in terms(query):
            held = self._postings.get(term, ())
            rarity = math.log(1 + (len(self._ids) - len(held) + 0.5) / (len(held) + 0.5))
            for number, part in held:
                scores[number] += rarity * part
        best = heapq.nsmallest(limit, scores.items(), key=lambda item: (-item[1], item[0]))
        return [self._ids[number] for number, _ in best]
