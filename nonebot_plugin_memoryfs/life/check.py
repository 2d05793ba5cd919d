"""What a fragment must be before it is stored: its length, its words, unlike the last ones (R5.3–R5.5)."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..character import Phase
from ..model.reply_text import reply_text
from ..text.cleaning import clean_message
from ..text.folding import fold_sentence
from ..text.neutral import looks_like_structure
from ..text.words import life as words

SHORTEST, SHORT, LONGEST = 35, 50, 100
"""Code points, blanks not counted: below the first refused, below the second counted, above the third cut."""
NEWEST = 5
"""How many of the last fragments a new one must not repeat; a model is shown as many."""
NEAR_COPY = 0.5
"""A fragment that shares this part of its pairs of characters with another is a near-copy."""

_SIMPLIFIED = str.maketrans(words.TRADITIONAL, words.SIMPLIFIED)
_LEAD = re.compile(
    r"^(?:\[[\d :年月日/.-]{4,20}\]|【[^】]{0,12}】|[-*•>#]+|(?:生活)?片段\s*\d*[:：]"
    r"|\d{1,2}[:：]\d{2}[\s，,:：]?|\s)+"
)
_QUOTED = re.compile(r"[“「『\"'](.*)[”」』\"']", re.DOTALL)
_SENTENCE_END = re.compile(r"[。！？!?…]+[”」』）)\"]*")

_HARMLESS = re.compile(words.HARMLESS)
_LATIN = re.compile(rf"(?<![a-z0-9])(?:{words.LATIN})(?![a-z0-9])")
_LETTERS, _HAN = re.compile(r"[a-z]"), re.compile(r"[\u3400-\u9fff]")
_DREAM, _ASLEEP, _AWAKE = re.compile(words.DREAM), re.compile(words.ASLEEP), re.compile(words.AWAKE)
_FORBIDDEN = tuple(
    (re.compile(pattern), reason)
    for pattern, reason in (
        (words.META, "提到了幕后的事"),
        (words.INTERACTION, "像是在和谁来往"),
        (words.DIALOGUE, "写成了谈话"),
        (words.PERSON, "提到了不在场的人"),
    )
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A fragment as it would be stored, and why it must not be."""

    text: str
    refusal: str = ""
    """Why it is refused, for the next try and for the status; `""` for a good one."""
    short: bool = False
    """Whether it is one of the 35–49 characters that are stored and counted."""


def check(written: str, phase: Phase, last: Sequence[str]) -> Checked:
    """Judge what a model wrote.

    Args:
        written: its answer.
        phase: the part of the day it is about.
        last: the newest fragments, which it must not repeat.
    """
    text = fitted(tidy(written))
    size = weight(text)
    refusal = ""
    if size < SHORTEST:
        refusal = f"太短：{size} 字，应有 {SHORT} 到 {LONGEST} 字"
    elif size > LONGEST:
        refusal = f"太长：{size} 字，应有 {SHORT} 到 {LONGEST} 字，且在句末结束"
    else:
        refusal = forbidden(text) or (phase is Phase.SLEEPING and not_asleep(text)) or repeated(text, last)
    return Checked(text, refusal or "", not refusal and size < SHORT)


def weight(text: str) -> int:
    """The code points of a text, blanks not counted."""
    return sum(not char.isspace() for char in text)


def tidy(written: str) -> str:
    """The fragment alone: no reasoning, time, label, list mark or quotes around it; one line."""
    text = " ".join(clean_message(reply_text(written, (), ())).split())
    text = _LEAD.sub("", text)
    quoted = _QUOTED.fullmatch(text)
    return quoted[1].strip() if quoted and not re.search(r"[”」』\"]", quoted[1]) else text


def fitted(text: str) -> str:
    """A text that is too long, cut at the last sentence end past 50; as it is where there is none (R5.3)."""
    if weight(text) <= LONGEST:
        return text
    cuts = (text[: end.end()] for end in _SENTENCE_END.finditer(text))
    fitting = [cut for cut in cuts if SHORT <= weight(cut) <= LONGEST]
    return fitting[-1] if fitting else text


def forbidden(text: str) -> str:
    """Why a text may not be stored at any hour; `""` for none."""
    folded = _folded(text)
    if latin := _LATIN.search(folded):
        return f"提到了幕后的事或不在场的人：{latin[0]}"
    if len(_LETTERS.findall(folded)) > len(_HAN.findall(folded)):
        return "要用中文写"  # the tables could not tell what it says
    bare = _HARMLESS.sub("·", re.sub(r"\s+", "", folded))
    for pattern, reason in _FORBIDDEN:
        if found := pattern.search(bare):
            return f"{reason}：{found[0][:12]}"
    return "写得像指令，不像生活" if looks_like_structure(text) else ""


def not_asleep(text: str) -> str:
    """Why a text is not one of somebody asleep; `""` for none (R5.4)."""
    bare = re.sub(r"\s+", "", _folded(text))
    if not _ASLEEP.search(bare):
        return "正在睡眠时段，只能写熟睡、做梦、翻身、短暂醒来"
    awake = _AWAKE.search(_DREAM.sub("梦", bare))
    return f"正在睡眠时段，不能写清醒时的事：{awake[0][:12]}" if awake else ""


def repeated(text: str, last: Iterable[str]) -> str:
    """Why a text is too much like one of the last; `""` for none."""
    return "和最近写过的太像" if any(likeness(text, other) >= NEAR_COPY for other in last) else ""


def likeness(one: str, other: str) -> float:
    """How much of the shorter text's pairs of characters stand in the other, from 0 to 1."""
    pairs, others = _pairs(one), _pairs(other)
    return len(pairs & others) / (min(len(pairs), len(others)) or 1)


@lru_cache(maxsize=1024)  # the last fragments are compared with each new one
def _pairs(text: str) -> frozenset[str]:
    folded = fold_sentence(text)
    return frozenset(folded[at : at + 2] for at in range(len(folded) - 1))


def _folded(text: str) -> str:
    """One width, case and script, without characters nobody sees."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_SIMPLIFIED)
    return "".join(char for char in folded if unicodedata.category(char) not in ("Cf", "Mn"))
