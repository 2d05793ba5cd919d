"""Which notes go into a prompt, and how they read there: the relevant and the newest first (R3.5)."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import lru_cache

from ..search.questions import evidence
from ..text.cleaning import clean
from ..text.folding import fold_sentence
from ..text.grams import grams
from ..text.neutral import neutralise, quote_line
from ..text.sentences import gist
from .note import SUMMARY_CHARACTERS, Note
from .slots import NOTES_TITLE

MAX_NOTES = 8
MAX_CHARACTERS = 800
"""Of all notes in a prompt, their heading included."""
HEADING = f"【{NOTES_TITLE}】"

_TITLE_SHOWN = 40
_CONTENT_SHOWN = 200
_COMPARED_CHARACTERS = 4000
_LEAST = 24
"""With less room than this, no further note is tried."""


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A note as it stands in a prompt."""

    note: Note
    text: str
    """What it says, on one line."""

    @property
    def line(self) -> str:
        """Its line in the prompt (R1.16)."""
        return neutralise(f"- {self.text}")


@dataclass(frozen=True, slots=True)
class ChosenNotes:
    """The notes of a prompt."""

    shown: tuple[ShownNote, ...] = ()
    """Best first."""
    left_out: int = 0
    """How many more the viewer may see."""

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each."""
        return tuple(shown.line for shown in self.shown)

    @property
    def text(self) -> str:
        """The lines under their heading; empty without notes."""
        return "\n".join((HEADING, *self.lines)) if self.shown else ""

    def with_texts(self, texts: Iterable[str]) -> "ChosenNotes":
        """The same notes, saying this (R1.19)."""
        changed = (replace(one, text=text) for one, text in zip(self.shown, texts, strict=True))
        return replace(self, shown=tuple(changed))


def choose_notes(notes: Sequence[Note], text: str, zone: tzinfo, known: Collection[str] = ()) -> ChosenNotes:
    """Of these notes, those a prompt has room for: at most 8, in at most 800 characters.

    Args:
        notes: what the viewer may see, newest first.
        text: what is being talked about.
        zone: the zone days are counted in.
        known: texts that stand in the prompt already; a note that says no more is left out (R3.10).
    """
    told = [fold_sentence(text) for text in known]
    new = [note for note in notes if not _is_told(note, told)]
    shown: list[ShownNote] = []
    room = MAX_CHARACTERS - len(HEADING)
    for note in _relevant_first(new, text):
        if len(shown) == MAX_NOTES or room < _LEAST:
            break
        one = ShownNote(note, _said(note, zone))
        if len(one.line) < room:
            shown.append(one)
            room -= len(one.line) + 1
    return ChosenNotes(tuple(shown), len(new) - len(shown))


def _is_told(note: Note, told: Iterable[str]) -> bool:
    said = _folded(note.content)
    return bool(said) and any(said in text for text in told)


def _said(note: Note, zone: tzinfo) -> str:
    """A note on one line: title, content (its summary where it is long), and the day it is from."""
    made = note.summary != note.content[:SUMMARY_CHARACTERS]
    content = note.summary if len(note.content) > _CONTENT_SHOWN and made else note.content
    parts = (gist(note.title, _TITLE_SHOWN), gist(quote_line(content), _CONTENT_SHOWN))
    return f"{'：'.join(filter(None, parts))}（{note.created_at.astimezone(zone):%Y-%m-%d}）"


def _relevant_first(notes: Sequence[Note], text: str) -> list[Note]:
    """By the words they share with a text, rare ones counting more; then as they come."""
    wanted = evidence(clean(text[:_COMPARED_CHARACTERS]))
    shared = [wanted.keys() & _grams_of(f"{n.title}\n{n.summary}\n{n.content}") for n in notes]
    holders = Counter(gram for held in shared for gram in held)

    def rarity(gram: str) -> float:
        return wanted[gram] * math.log(1 + len(notes) / holders[gram])

    scores = [sum(map(rarity, held)) for held in shared]
    return [notes[at] for at in sorted(range(len(notes)), key=lambda at: -scores[at])]


_folded = lru_cache(maxsize=2048)(fold_sentence)


@lru_cache(maxsize=2048)
def _grams_of(text: str) -> frozenset[str]:
    return frozenset(grams(text[:_COMPARED_CHARACTERS]))
