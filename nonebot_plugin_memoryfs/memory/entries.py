"""The one grammar of memory: a file's content is entries, joined by one blank line (R1.7).

An entry is `[YYYY-MM-DD HH:MM] [conv:ID] [by:ID,ID] text`, each tag optional, in this order. Every value
of `Entry` is in the form that reading gives back, so `parse(format(e)) == e` holds for all of them (but
for what wall clocks can't tell: an hour repeated when clocks go back, offsets of odd seconds before 1901).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime, tzinfo
from functools import lru_cache

from ..errors import InvalidInput
from ..text.cleaning import clean
from ..text.folding import fold_sentence
from ..text.ids import decode_tag, encode_tag

SEPARATOR = "\n\n"
"""What stands between two entries."""

_MAX_IDS = 400
"""Most characters of the ids in one entry's tags: however they are encoded, a file has room for them."""

_BREAK = re.compile(r"\n\s*\n")
_NEWLINE = re.compile(r"\r\n?")
_HEAD = re.compile(
    r"(?:\[(?P<at>[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2})\]\s*)?"
    r"(?:\[conv:(?P<conversation>[^\]\s][^\]\n]*)\]\s*)?"
    r"(?:\[by:(?P<people>[^\]\s][^\]\n]*)\]\s*)?"
)
_MISWRITTEN = re.compile(r"(?:\[[^\]\n]{0,80}\]\s*){0,3}\[\s*conv\b", re.IGNORECASE)
NOWHERE = ""
"""The conversation of an entry whose tag names one but can't be read: nobody's, so nobody is told (R1.17)."""
_TAG_LIKE = re.compile(r"\A\[(?=[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}\]|conv:|by:)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One remembered thing, with when, where and from whom (R1.8).

    Raises:
        InvalidInput: blank text, a time without a zone, or ids of over 400 characters in all.
    """

    text: str
    """What is remembered. Blank lines are folded, and a beginning that reads like a tag is taken off its
    bracket (`〔`)."""
    _: KW_ONLY
    at: datetime | None = None
    """When, timezone-aware, to the minute."""
    conversation_id: str | None = None
    """Where it was said or happened."""
    people: tuple[str, ...] = ()
    """The user ids it is about or from."""

    def __post_init__(self) -> None:
        if self.at is not None and self.at.tzinfo is None:
            raise InvalidInput(f"记忆条目的时间 {self.at!r} 没有时区")
        if self.at is not None and not 1 < self.at.year < 9999:
            raise InvalidInput(f"记忆条目的时间 {self.at!r} 超出范围：应在 2 年到 9998 年之间")
        _set(self, "text", _tidy(self.text))
        _set(self, "at", self.at and self.at.replace(second=0, microsecond=0))
        _set(self, "conversation_id", None if self.conversation_id is None else clean(self.conversation_id))
        _set(self, "people", tuple(map(clean, self.people)))
        if not self.text:
            raise InvalidInput("记忆条目的内容不能为空")
        if len(self.conversation_id or "") + sum(len(person) + 1 for person in self.people) > _MAX_IDS:
            raise InvalidInput(f"记忆条目的会话与人物标识共超过 {_MAX_IDS} 个字符")


_set = object.__setattr__


@lru_cache(maxsize=256)  # most reads are of a few busy files that have not changed since
def parse_entries(content: str, timezone: tzinfo) -> tuple[Entry, ...]:
    """The entries of a file's content, oldest first.

    Args:
        content: the text of a file; a block that is no well-formed entry is kept whole, as text.
        timezone: the zone its times are written in.
    """
    blocks = _BREAK.split(_NEWLINE.sub("\n", content).strip())
    return tuple(_parse_entry(block, timezone) for block in blocks if block)


def format_entry(entry: Entry, timezone: tzinfo) -> str:
    """The entry as it stands in a file, its time in this zone."""
    return " ".join((*_tags(entry, timezone), entry.text))


def format_entries(entries: Iterable[Entry], timezone: tzinfo) -> str:
    """The content of a file with these entries."""
    return SEPARATOR.join(format_entry(entry, timezone) for entry in entries)


def format_time(at: datetime, timezone: tzinfo) -> str:
    """A time as it stands in a tag: `YYYY-MM-DD HH:MM` in this zone."""
    return at.astimezone(timezone).replace(tzinfo=None).isoformat(" ", "minutes")


def entry_length(entry: Entry) -> int:
    """How many characters the entry takes in a file."""
    time = len("[YYYY-MM-DD HH:MM] ") if entry.at is not None else 0
    return time + len(" ".join((*_id_tags(entry), entry.text)))


def same_saying(one: Entry, other: Entry) -> bool:
    """Whether two entries say the same: in one conversation, of the same people, in folded words (R1.9)."""
    return (
        one.conversation_id == other.conversation_id
        and set(one.people) == set(other.people)
        and _fold(one.text) == _fold(other.text)
    )


def repeats(one: Entry, other: Entry) -> bool:
    """Whether an entry says the same as another, which may be a shortened form of it."""
    start = other.text.removesuffix("…").rstrip()
    shortened = other.text.endswith("…") and one.text.startswith(start)
    return same_saying(replace(one, text=other.text) if shortened else one, other)


def newest_time(one: Entry, other: Entry) -> datetime | None:
    """The later of two entries' times; a missing one is no time at all."""
    return max((at for at in (one.at, other.at) if at is not None), default=None)


_fold = lru_cache(maxsize=1024)(fold_sentence)


def _parse_entry(block: str, timezone: tzinfo) -> Entry:
    head = _HEAD.match(block)
    assert head is not None  # every part of the pattern is optional
    at, conversation, people = head["at"], head["conversation"], head["people"]
    if conversation is None and _MISWRITTEN.match(block):
        return Entry(block, conversation_id=NOWHERE)
    try:
        return Entry(
            block[head.end() :],
            at=datetime.fromisoformat(at).replace(tzinfo=timezone) if at else None,
            conversation_id=decode_tag(conversation.strip()) if conversation else None,
            people=tuple(decode_tag(id.strip()) for id in (people or "").split(",") if id.strip()),
        )
    except ValueError:  # no such day, nothing behind the tags, endless tags
        return Entry(block, conversation_id=NOWHERE if conversation else None)


def _tags(entry: Entry, timezone: tzinfo) -> Iterator[str]:
    if entry.at is not None:
        yield f"[{format_time(entry.at, timezone)}]"
    yield from _id_tags(entry)


def _id_tags(entry: Entry) -> Iterator[str]:
    if entry.conversation_id is not None:
        yield f"[conv:{encode_tag(entry.conversation_id)}]"
    if entry.people:
        yield f"[by:{','.join(map(encode_tag, entry.people))}]"


def _tidy(text: str) -> str:
    """Text that is one entry: no blank line, no outer blanks, no beginning like a tag of ours."""
    text = clean(text).strip()
    if "\r" in text:
        text = _NEWLINE.sub("\n", text)
    if "\n" in text:
        text = _BREAK.sub("\n", text)
    return _TAG_LIKE.sub("〔", text) if text.startswith("[") else text
