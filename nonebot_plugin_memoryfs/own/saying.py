"""What is to be forgotten, as it may be said elsewhere: how its copies are known (R1.19). Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..text.folding import fold_sentence
from ..text.grams import grams

_TELLING = 4
"""So many characters are enough to know a statement by, wherever they stand."""
_ALIKE = 0.5
"""Of the grams of the shorter text: texts of one turn that share so many say the same."""


@dataclass(frozen=True, slots=True)
class Saying:
    """Statements and texts, folded."""

    facts: frozenset[tuple[str, str]] = frozenset()
    """Label and object of each fact."""
    texts: frozenset[str] = frozenset()
    """What an entry, a note or a line says."""

    def with_facts(self, facts: Iterable[tuple[str, str]]) -> "Saying":
        """It, and these labels and objects."""
        folded = {(fold_sentence(label), fold_sentence(object)) for label, object in facts}
        return Saying(self.facts | {pair for pair in folded if pair[1]}, self.texts)

    def with_text(self, text: str) -> "Saying":
        """It, and this text."""
        return Saying(self.facts, self.texts | {fold_sentence(text)} - {""})

    def stated_by(self, text: str) -> bool:
        """Whether a text states it, wherever that stands."""
        folded = fold_sentence(text)
        for label, object in self.facts:
            if object in folded and (label in folded or len(object) >= _TELLING):
                return True
        return any(own == folded or _within(own, folded) or _within(folded, own) for own in self.texts)

    def stated_beside(self, text: str) -> bool:
        """Whether a text of a turn it was said in, or was learnt from, states it: there less is enough."""
        folded = fold_sentence(text)
        if any(object in folded for _, object in self.facts):
            return True
        return self.stated_by(text) or any(_alike(own, folded) for own in self.texts)


def _within(short: str, long: str) -> bool:
    return len(short) >= _TELLING and short in long


def _alike(one: str, other: str) -> bool:
    ours, theirs = grams(one), grams(other)
    shorter = min(ours.total(), theirs.total())
    return bool(shorter) and (ours & theirs).total() >= _ALIKE * shorter
