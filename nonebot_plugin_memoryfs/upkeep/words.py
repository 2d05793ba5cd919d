"""How "about a person" is decided where nothing but the text can tell (R7.4).

What others said stays theirs, so this is asked only of what the character wrote or was told: its replies to
others, gists, tasks, digests, traces. Such a text is about a person when, in a conversation they were seen
in, it holds their id or a name that is theirs alone there; or, wherever what they said may have come, when it
repeats their words: eight successive characters of what they said, or a thing only their facts name. Words
that somebody else used as well are nobody's.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from ..text.folding import fold_name, fold_sentence

SHARED = 8
"""So many successive characters, folded, are somebody's words."""
_NAME = 2
_THING = 3


class Words:
    """The names and words of one person."""

    def __init__(self, user_id: str, names: Mapping[str, frozenset[str]]) -> None:
        """Begin to gather.

        Args:
            user_id: the person; blank where it is nobody's in particular, and nothing names them.
            names: conversation they were seen in → what only they are called there, folded.
        """
        self._id = id_pattern(fold_name(user_id))
        self._names = names
        self._shingles: set[str] = set()
        self._things: dict[str, set[str]] = {}
        """By their first characters."""

    def add(self, texts: Iterable[str], things: Iterable[str] = ()) -> None:
        """What they said, and the things their facts name."""
        for text in texts:
            self._shingles.update(_shingles(text))
        for text in things:
            if len(thing := fold_sentence(text)) >= _THING:
                self._things.setdefault(thing[:_THING], set()).add(thing)

    def drop(self, text: str) -> None:
        """What somebody else said: it is not theirs alone."""
        self._shingles.difference_update(_shingles(text))
        for thing in list(self._things_in(fold_sentence(text))):
            self._things[thing[:_THING]].discard(thing)

    def named(self, conversation_id: str | None, text: str) -> bool:
        """Whether a text of a conversation they were seen in names them."""
        names = self._names.get(conversation_id or "")
        if names is None:
            return False
        folded = fold_name(text)
        return any(name in folded for name in names) or bool(self._id.search(folded))

    def repeated(self, text: str) -> bool:
        """Whether a text repeats what only they said."""
        folded = fold_sentence(text)
        return any(s in self._shingles for s in _shingles(folded)) or any(self._things_in(folded))

    def about(self, conversation_id: str | None, text: str) -> bool:
        """Either."""
        return self.named(conversation_id, text) or self.repeated(text)

    def _things_in(self, folded: str) -> Iterator[str]:
        for at in range(len(folded) - _THING + 1):
            for thing in self._things.get(folded[at : at + _THING], ()):
                if folded.startswith(thing, at):
                    yield thing


def id_pattern(user_id: str) -> re.Pattern[str]:
    """Finds an id that stands by itself: 10001, and not 100012."""
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(user_id)}(?![0-9A-Za-z])")


def usable_names(names: Iterable[str]) -> Iterator[str]:
    """Those of these names that are long enough to be looked for."""
    return (folded for name in names if len(folded := fold_name(name)) >= _NAME)


def _shingles(text: str) -> Iterator[str]:
    folded = fold_sentence(text)
    return (folded[at : at + SHARED] for at in range(len(folded) - SHARED + 1))
