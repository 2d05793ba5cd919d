"""Folding: when two spellings are the same name, or the same sentence."""

import re
import unicodedata

_BLANKS = re.compile(r"\s+")


def fold_name(value: str) -> str:
    """Fold a name for comparison: width and form (NFKC), case, blanks (R2.2)."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", value).casefold()).strip()


def fold_sentence(value: str) -> str:
    """Fold a sentence for comparison: as a name, and without blanks and punctuation (R1.9).

    A text of nothing but punctuation keeps it, so that `？` and `！` stay different.
    """
    folded = fold_name(value)
    letters = "".join(c for c in folded if unicodedata.category(c)[0] not in "PZC")
    return unicodedata.normalize("NFKC", letters or folded.replace(" ", ""))
