"""Tokens of the text index (R2.21): two-character shingles for CJK, stemmed words otherwise.

No segmenter: those split names. Kana and Hangul count as CJK, an emoji is a word.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from nonebot_plugin_memoryfs.text.folding import fold_name

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U000323af"
)
_EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<word>[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)*)"
    rf"|(?P<emoji>[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}])"
)
_APOSTROPHES = str.maketrans("’ʼ", "''")
_LONGEST = 64
"""A longer word (an address, a hash) is cut here, so that a gram always fits its column."""

_COMMAS = re.compile(r"[,，、;；]+")
_SEPARATORS = re.compile(rf"(?:{_COMMAS.pattern}|\s)+")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


_stemmer = cast(_Stemmer, snowballstemmer.stemmer("english"))  # pyright: ignore[reportUnknownMemberType]
_stemming = threading.Lock()


def grams(text: str) -> Counter[str]:
    """All grams of a stored text with their counts: words, shingles and single characters.

    A single character and a shingle never meet, as they differ in length; a one-letter word
    is no CJK character.
    """
    found: Counter[str] = Counter()
    for token, is_cjk in _tokens(text):
        found.update(_shingles(token) + list(token) if is_cjk else [token])
    return found


def grams_for_query(text: str) -> list[str]:
    """The grams of a query that are evidence, each once, in order.

    Words and shingles, and a single character only where it stands alone between others.
    """
    found: dict[str, None] = {}
    for token, is_cjk in _tokens(text):
        found.update(dict.fromkeys((_shingles(token) or [token]) if is_cjk else [token]))
    return list(found)


def weak_grams(text: str) -> list[str]:
    """The single characters of a query's longer CJK runs, each once: they may only break ties."""
    runs = (token for token, is_cjk in _tokens(text) if is_cjk and len(token) > 1)
    return list(dict.fromkeys(char for run in runs for char in run))


def keywords(query: str) -> list[str]:
    """Split a query as `memory_recall` does: at `, ， 、 ; ；` and blanks, each once (R2.9)."""
    found: dict[str, str] = {}
    for word in filter(None, _SEPARATORS.split(query)):
        found.setdefault(fold_name(word), word)
    return list(found.values())


def phrases(query: str) -> list[str]:
    """The parts of a query between commas that hold blanks, each once: names of several words (R2.9)."""
    parts = (" ".join(part.split()) for part in _COMMAS.split(query))
    return list({fold_name(part): part for part in parts if " " in part}.values())


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """CJK runs (true) and stemmed words or emoji (false), in order."""
    for match in _TOKEN.finditer(fold_name(text).translate(_APOSTROPHES)):
        if match.lastgroup == "word":
            yield _stem(match[0][:_LONGEST]), False
        else:
            yield match[0], match.lastgroup == "cjk"


def _shingles(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


@lru_cache(maxsize=16384)
def _stem(word: str) -> str:
    """The stem of an English word; the stemmer keeps state, so one thread at a time."""
    if not (word.isascii() and word.replace("'", "").isalpha()):
        return word
    with _stemming:
        return _stemmer.stemWord(word)
