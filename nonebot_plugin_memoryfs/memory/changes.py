"""What a write makes of a file's entries: pure functions on values (R1.8, R1.9)."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import InvalidInput, Outdated
from .categories import FileKind
from .entries import Entry, newest_time, same_saying


def with_entry(entries: Sequence[Entry], new: Entry, kind: FileKind) -> list[Entry]:
    """The entries with a new one at the end (R1.9).

    What says the same is kept, with the later time; in a digest, the conversation's former entry goes.
    """
    others: list[Entry] = []
    for entry in entries:
        if same_saying(entry, new):
            new = replace(entry, at=newest_time(entry, new))
        elif not _outdated(entry, new, kind):
            others.append(entry)
    return [*others, new]


def with_text(entries: Sequence[Entry], number: int, text: str, expected: Entry | None = None) -> list[Entry]:
    """The entries with another text at a number. Raises `InvalidInput` as `entry_at` does."""
    corrected = replace(entry_at(entries, number, expected), text=text)
    return [*entries[: number - 1], corrected, *entries[number:]]


def entry_at(entries: Sequence[Entry], number: int, expected: Entry | None = None) -> Entry:
    """The entry at a number, 1 being the oldest.

    Raises:
        InvalidInput: there is none.
        Outdated: it is not the expected one.
    """
    if not 1 <= number <= len(entries):
        allowed = f"可用 1 到 {len(entries)}" if entries else "这个文件里没有条目"
        raise InvalidInput(f"没有第 {number} 条记忆；{allowed}")
    entry = entries[number - 1]
    if expected is not None and entry != expected:
        raise Outdated(f"第 {number} 条记忆已经变了，请重新查看后再改")
    return entry


def _outdated(entry: Entry, new: Entry, kind: FileKind) -> bool:
    return (
        kind.one_per_conversation
        and new.conversation_id is not None
        and entry.conversation_id == new.conversation_id
    )
