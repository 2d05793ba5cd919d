"""Keeping a file small: oldest entries go first, none is cut in two, the newest always stays (R1.10)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..text.sentences import shorten
from .entries import SEPARATOR, Entry, entry_length

MAX_CHARACTERS = 4000
"""Most code points of a file's content."""


@dataclass(frozen=True, slots=True)
class Truncated:
    """What truncation made of a list of entries."""

    kept: tuple[Entry, ...]
    dropped: tuple[Entry, ...]
    """What no longer stands in full in the file, oldest first."""


def truncate(
    entries: Sequence[Entry], max_entries: int | None = None, max_characters: int = MAX_CHARACTERS
) -> Truncated:
    """Drop the oldest entries until both limits hold (R1.10).

    Args:
        entries: oldest first.
        max_entries: how many may stay; `None` for any number.
        max_characters: how long they may be in all, tags and separators included.
    """
    last = len(entries) - 1
    first = max(0, min(last, len(entries) - max_entries)) if max_entries is not None else 0
    sizes = [entry_length(entry) for entry in entries]
    total = sum(sizes[first:]) + len(SEPARATOR) * max(0, last - first)
    while total > max_characters and first < last:
        total -= sizes[first] + len(SEPARATOR)
        first += 1
    if total <= max_characters:
        return Truncated(tuple(entries[first:]), tuple(entries[:first]))
    newest = entries[-1]
    room = max_characters - (sizes[-1] - len(newest.text))
    return Truncated((replace(newest, text=shorten(newest.text, max(room, 1))),), tuple(entries))
