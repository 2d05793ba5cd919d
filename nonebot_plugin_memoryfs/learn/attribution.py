"""From whom an item is: whose words hold what it says (R4.11).

A model may write about one person what another said, or what the character said. The words decide: what
somebody else's words hold and the person's own do not, is not theirs; what nobody's words hold is a guess.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from ..text.grams import grams, grams_for_query
from .batches import Line, turn_ids

_FRAMES = re.compile(
    r"不?(?:太|怎么|再|能)?(?:喜欢|爱吃|爱|吃)|讨厌|不?打算|想要|在[做学写看玩]|住在|在|养了|来自|过敏|名字|昵称|生日"
    r"|年龄|职业|用户|[是叫对了的：]"
)
CHARACTER = ""
"""Stands for the character among the speakers."""


class Verdict(Enum):
    """Whether a text may be filed as a person's."""

    THEIRS = auto()
    GUESSED = auto()
    FOREIGN = auto()


def judge(text: str, about: str, lines: Sequence[Line]) -> Verdict:
    """Whose words hold what a text says.

    Args:
        text: what is to be filed.
        about: the person.
        lines: what was said, by the character too.
    """
    held = _held(text, about, lines)
    if held.own < held.others / 2 or (not held.own and held.others):
        return Verdict.FOREIGN
    return Verdict.THEIRS if held.own else Verdict.GUESSED


def is_anothers(text: str, about: str, lines: Sequence[Line]) -> bool:
    """Whether one other speaker's words hold most of what a text says, and the person's own do not.

    Stricter than `judge`: for what a model may well put in words of its own.

    Args:
        text: what is to be filed.
        about: the person.
        lines: what was said, by the character only where its words count as another's.
    """
    held = _held(text, about, lines)
    return held.others >= held.all / 2 > 0 and held.own < held.others / 2


@dataclass(frozen=True, slots=True)
class _Held:
    """How much of what a text names stands in whose words; what several said counts less."""

    all: float
    own: float
    others: float
    """In those of the one other speaker who said most of it."""


def _held(text: str, about: str, lines: Sequence[Line]) -> _Held:
    said: dict[str, set[str]] = {}
    names: dict[str, str] = {}
    for line in lines:
        speaker = CHARACTER if line.by_character else line.user_id
        said.setdefault(speaker, set()).update(grams(line.text))
        names[speaker] = line.speaker
    told = _content(text) - _grams(name for who, name in names.items() if who != about)
    speakers = Counter(gram for words in said.values() for gram in words)
    held = {who: sum(1 / speakers[gram] for gram in told & words) for who, words in said.items()}
    own = held.pop(about, 0.0)
    return _Held(sum(1 / max(speakers[gram], 1) for gram in told), own, max(held.values(), default=0.0))


def sources(text: str, lines: Sequence[Line]) -> tuple[int, ...]:
    """The turns a text was learnt from: those whose words it shares most; without any, all of them."""
    told = set(grams_for_query(text))
    shared = [(len(told & set(grams_for_query(line.text))), line) for line in lines]
    best = max((count for count, _ in shared), default=0)
    return turn_ids(line for count, line in shared if count * 2 > best or not best)


def _content(text: str) -> set[str]:
    """The grams of what a text names; how it is put alone tells nobody apart (喜欢, 在学 …)."""
    named = set(grams_for_query(_FRAMES.sub(" ", text)))
    return named or set(grams_for_query(text))


def _grams(texts: Iterable[str]) -> set[str]:
    return {gram for text in texts for gram in grams_for_query(text)}
