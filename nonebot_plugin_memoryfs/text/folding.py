"""Folding: when two spellings are the same name, or the same sentence."""

import re
import unicodedata
from functools import lru_cache

_BLANKS = re.compile(r"\s+")
_UNSEEN = re.compile(r"[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
"""Soft hyphens, joiners and direction marks: two names that only differ in them look the same."""
_SHORT = 64


def fold_name(value: str) -> str:
    """Fold a name for comparison: width and form (NFKC), case, blanks, what isn't seen (R2.2)."""
    return _remembered(value) if len(value) <= _SHORT else _fold(value)


def _fold(value: str) -> str:
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", _UNSEEN.sub("", value)).casefold()).strip()


_remembered = lru_cache(maxsize=8192)(_fold)
"""The same few hundred names and labels are folded again and again in one turn."""


def fold_sentence(value: str) -> str:
    """Fold a sentence for comparison: as a name, and without blanks and punctuation (R1.9).

    Punctuation that makes a number another one (1.5, 3-5, -5) stays, and a text of nothing but
    punctuation keeps it, so that `？` and `！` stay different.
    """
    return _remembered_sentence(value) if len(value) <= _SHORT else _fold_sentence(value)


def _fold_sentence(value: str) -> str:
    folded = fold_name(value)
    letters = "".join(c for at, c in enumerate(folded) if not _is_idle(folded, at))
    return unicodedata.normalize("NFKC", letters or folded.replace(" ", ""))


_remembered_sentence = lru_cache(maxsize=8192)(_fold_sentence)
"""So are the clauses of the entries a person's prompt shows, turn after turn."""


def _is_idle(text: str, at: int) -> bool:
    """Whether a character is punctuation or a blank that changes nothing."""
    if unicodedata.category(text[at])[0] not in "PZC":
        return False
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return text[at] == " " or not after.isdigit() or not (before.isdigit() or text[at] == "-")
