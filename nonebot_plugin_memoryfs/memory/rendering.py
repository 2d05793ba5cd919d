"""How entries look in a prompt: lines under a note that says what they are (R1.14, R1.15).

Stored text is data there: what looks like structure is marked (R1.16).
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, tzinfo
from functools import lru_cache

from ..scope import EVERYWHERE
from ..text.ids import encode_tag
from ..text.neutral import neutralise, quote_line
from .entries import Entry, format_time, parse_entries

PER_CONVERSATION = 2
"""How many timeline entries of one conversation are shown."""
TIMELINE_LINES = 10
"""How many timeline entries are shown in all."""
LIFE_LINES = 5
"""How many life fragments are shown."""

TIMELINE_NOTE = (
    "下面是角色在别的聊天里的近况，不属于当前这段对话；每个聊天至多两条，合计至多十条，"
    "每条依次写着时间、聊天标识和经过。当前对话里的事以上文的重要事件和剧情摘要为准，这里不再重复。"
    "它们只是背景：对方提起时可以自然地想起或承认；没有提起，就不要说成刚刚发生，也不要添上没有写到的细节。"
)
LIFE_NOTE = (
    "下面是对方不在场时，角色独自度过的时光：想法、举动、心情和状态，至多五条，更早的已经收起。"
    "当前对话里的事以上文为准。聊到相关的话题时可以想起或提起；没有聊到，就不要说成刚刚发生，也不要添上没有写到的细节。"
)


def format_timeline_for_prompt(timeline_content: str, current_conversation_id: str) -> str:
    """The timeline block of a prompt (R1.14); `""` when no other conversation has an entry.

    Args:
        timeline_content: entries the reader may see (R1.17 is the caller's part).
        current_conversation_id: the conversation to leave out.
    """
    chosen = recent_elsewhere(parse_entries(timeline_content, UTC), current_conversation_id)
    return _block(TIMELINE_NOTE, (timeline_line(entry, UTC) for entry in chosen))


def format_life_sim_for_prompt(life_sim_content: str) -> str:
    """The life block of a prompt: the newest 5 fragments (R1.15); `""` when there is none."""
    entries = parse_entries(life_sim_content, UTC)
    return _block(LIFE_NOTE, (life_line(entry, UTC) for entry in entries[-LIFE_LINES:]))


def recent_elsewhere(entries: Iterable[Entry], current_conversation_id: str) -> list[Entry]:
    """The newest 2 entries of each other conversation, the newest 10 in all, oldest first (R1.14).

    Entries without a conversation share one bucket; those without a time count as the oldest.
    """
    counts: Counter[str | None] = Counter({current_conversation_id: PER_CONVERSATION})
    chosen: list[Entry] = []
    oldest_first = sorted(entries, key=_moment)
    for entry in oldest_first[::-1]:
        if counts[entry.conversation_id] < PER_CONVERSATION and len(chosen) < TIMELINE_LINES:
            counts[entry.conversation_id] += 1
            chosen.append(entry)
    return chosen[::-1]


def timeline_line(entry: Entry, timezone: tzinfo) -> str:
    """`- [time] [conversation] text`"""
    said_in = entry.conversation_id
    where = "" if said_in in (None, EVERYWHERE) else f"[{encode_tag(said_in)}] "
    return f"- {_time(entry, timezone)}{where}{_one_line(entry)}"


def life_line(entry: Entry, timezone: tzinfo) -> str:
    """`- [time] text`"""
    return f"- {_time(entry, timezone)}{_one_line(entry)}"


def plain_lines(entry: Entry, _timezone: tzinfo) -> str:
    """The text alone, its line breaks kept."""
    return _neutral(entry.text)


def _block(note: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f"{note}\n\n{body}" if body else ""


def _time(entry: Entry, timezone: tzinfo) -> str:
    return "" if entry.at is None else f"[{format_time(entry.at, timezone)}] "


def _one_line(entry: Entry) -> str:
    return _neutral_line(entry.text)


_neutral = lru_cache(maxsize=1024)(neutralise)  # the same few entries go into most prompts


@lru_cache(maxsize=256)
def _neutral_line(text: str) -> str:
    return neutralise(quote_line(text))


def _moment(entry: Entry) -> float:
    return float("-inf") if entry.at is None else entry.at.timestamp()
