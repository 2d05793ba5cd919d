"""The texts of an item as they are filed: without what another said, guesses marked, nothing twice (R4.9)."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ..text.folding import fold_sentence
from ..text.sentences import gist
from .attribution import Verdict, is_anothers, judge
from .batches import Line

GUESS = "[推测] "
GUESSES = 3
"""Guesses taken of one item: a model that guesses without end pushes nothing out of a file."""

_GUESSED = re.compile(r"\s*[\[【(（]\s*(?:推测|猜测)\s*[\]】)）]\s*[:：]?\s*")
_CLAUSES = re.compile(r"(?<=[，,；;。！!])")
_EDGES = " -·•\t"
_ONESELF = ("用户", "他", "她", "TA", "ta", "本人")


@dataclass(slots=True)
class Worded:
    """What of an item is filed, and what is not."""

    texts: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])


def about_person(content: str, person: str, lines: Sequence[Line], known: Collection[str]) -> Worded:
    """The lines of a content that are a person's.

    Args:
        content: what a model wrote, one thing a line.
        person: whose it is said to be.
        lines: what was said, by the character too.
        known: what their file says already; what says the same in other dress takes that form.
    """
    worded = Worded()
    name = next((line.speaker for line in lines if line.user_id == person and not line.by_character), "")
    forms = {_bare(text, person, name): text for text in known if not is_guess(text)}
    guesses: list[str] = []
    for line in content.splitlines():
        text = without_anothers(_GUESSED.sub("", line).strip(_EDGES), person, lines, worded.refused)
        if not text:
            continue
        verdict = judge(text, person, lines)
        if verdict is Verdict.FOREIGN:
            worded.refused.append(_not_theirs(person, text))
        elif verdict is Verdict.GUESSED or _GUESSED.search(line):
            guesses.append(text)
        else:
            worded.texts.append(forms.setdefault(_bare(text, person, name), text))
    unsaid = [text for text in dict.fromkeys(guesses) if _bare(text, person, name) not in forms]
    worded.texts = [*dict.fromkeys(worded.texts), *(GUESS + text for text in unsaid[:GUESSES])]
    return worded


def without_anothers(text: str, person: str, lines: Sequence[Line], refused: list[str]) -> str:
    """The clauses of a text but for those that are another speaker's."""
    clauses = _CLAUSES.split(text)
    kept = [clause for clause in clauses if not is_anothers(clause, person, lines)]
    if len(kept) == len(clauses):
        return text
    refused += (_not_theirs(person, clause) for clause in clauses if clause not in kept)
    return "".join(kept).strip(" ，,；;。")


def marked(content: str) -> str:
    """A content whose mark of a guess, if it has one, is written the one way (R2.4)."""
    return GUESS + _GUESSED.sub("", content).strip() if _GUESSED.match(content) else content


def is_guess(text: str) -> bool:
    """Whether a text is marked as a guess."""
    return text.startswith(GUESS)


def _bare(text: str, person: str, name: str) -> str:
    """What a text says of the person, whatever they are called in it."""
    folded = fold_sentence(text)
    for subject in map(fold_sentence, (f"{name}（{person}）", name, *_ONESELF)):
        if subject and folded.startswith(subject) and folded != subject:
            return folded.removeprefix(subject)
    return folded


def _not_theirs(person: str, text: str) -> str:
    return f"不是 {person} 说的：{gist(text, 40)}"
