"""What is to be forgotten, as it may be said elsewhere: how its copies are known (R1.19). Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..text.folding import fold_sentence
from ..text.grams import grams
from ..text.statements import recognise

_TELLING = 4
"""So many characters are enough to know a statement by, wherever they stand."""
_HEAD = 20
"""So much is left of a text wherever it was told cut short."""
_ALIKE = 0.5
"""Of the grams of the shorter text: texts of one turn that share so many say the same."""


@dataclass(frozen=True, slots=True)
class Saying:
    """Statements and texts, folded."""

    facts: frozenset[tuple[str, str]] = frozenset()
    """Label and object of each fact."""
    texts: frozenset[str] = frozenset()
    """What an entry, a note or a line says."""
    others: frozenset[str] = frozenset()
    """Objects of facts that stay: 抹茶 is no 茶."""

    def with_facts(self, facts: Iterable[tuple[str, str]]) -> "Saying":
        """It, and these labels and objects."""
        folded = {(fold_sentence(label), fold_sentence(object)) for label, object in facts}
        return replace(self, facts=self.facts | {pair for pair in folded if pair[1]})

    def with_text(self, text: str) -> "Saying":
        """It, and this text."""
        return replace(self, texts=self.texts | {fold_sentence(text)} - {""})

    def beside(self, objects: Iterable[str]) -> "Saying":
        """It, beside facts with these objects, which stay."""
        return replace(self, others=self.others | {fold_sentence(object) for object in objects})

    def stated_by(self, text: str) -> bool:
        """Whether a text states it, wherever that stands."""
        folded = fold_sentence(text)
        for label, object in self.facts:
            if (label in folded or len(object) >= _TELLING) and self._tells(object, text, folded):
                return True
        return any(
            own == folded or _within(own[:_HEAD], folded) or _within(folded, own) for own in self.texts
        )

    def stated_beside(self, text: str) -> bool:
        """Whether a text of a turn it was said in, or was learnt from, states it: there less is enough."""
        folded = fold_sentence(text)
        if any(self._tells(object, text, folded) for _, object in self.facts):
            return True
        return self.stated_by(text) or any(_alike(own, folded) for own in self.texts)

    def hinted_by(self, text: str) -> bool:
        """Whether a text may hold it in any way: for texts that are easily spared."""
        folded = fold_sentence(text)
        said = (*(object for _, object in self.facts), *self.texts)
        return any(one[:_HEAD] in folded for one in said)

    def _tells(self, object: str, text: str, folded: str) -> bool:
        """Whether an object stands in a text, and not only as a part of another thing."""
        head = object[:_HEAD]
        if head not in folded:
            return False
        stated = recognise(text) or recognise(f"我{text}")  # entries leave the subject out
        things = self.others.union(fold_sentence(one.object) for one in stated)
        for thing in sorted(things, key=len, reverse=True):
            if head in thing and object != thing:
                folded = folded.replace(thing, "\0")
        return head in folded


def _within(short: str, long: str) -> bool:
    return len(short) >= _TELLING and short in long


def _alike(one: str, other: str) -> bool:
    ours, theirs = grams(one), grams(other)
    shorter = min(ours.total(), theirs.total())
    return bool(shorter) and (ours & theirs).total() >= _ALIKE * shorter
