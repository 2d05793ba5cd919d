"""Taking in the memory files of another program, entry by entry (R6.6, R1.17 d)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from ..memory import MemoryFS
from ..memory.entries import Entry, format_entries, parse_entries, repeats
from ..memory.files import file_from_record
from ..memory.paths import MemoryPath, parse_memory_path
from ..memory.truncation import truncate
from ..scope import EVERYWHERE
from ..text.folding import fold_sentence
from .imported import Imported, Wish


def take_file(memory: MemoryFS, key: str, record: Any, now: datetime, wish: Wish, imported: Imported) -> None:
    """Take in the entries that a file has not yet, so that a run that was cut off can be repeated.

    Args:
        memory: the files here.
        key: the path.
        record: the file, as JSON.
        now: the time, in the zone of times that name none.
        wish: how.
        imported: counts what is new.

    Raises:
        InvalidMemoryPath, InvalidInput: it is no such file; says what is allowed.
    """
    place, zone = parse_memory_path(key), now.tzinfo
    assert zone is not None
    read = file_from_record(place, record, now, zone)
    incoming = _as_wished(place, parse_entries(read.content, zone), wish)
    if memory.read(key) is None:
        memory.write(
            key,
            content=format_entries(incoming, zone),
            title=read.title,
            summary=read.summary,
            tags=read.tags,
            importance=read.importance,
            target_id=read.target_id,
            memory_ids=read.memory_ids,
        )
        imported.add("记忆文件")
        return
    if wish.trust_untagged:
        imported.add("改为处处可见的条目", _trust(memory, key, incoming, zone))
    here = memory.entries(key)
    known = {_saying(entry) for entry in (*here, *memory.dropped_entries(key))}
    new = [entry for entry in incoming if _saying(entry) not in known and not _is_told(place, entry, here)]
    fitting = _fitting(place, new, here)
    if fitting:
        memory.write(key, content=format_entries(_in_order(fitting, here), zone))
    imported.add("条目", len(fitting))
    imported.known += len(incoming) - len(new)
    if left := len(new) - len(fitting):
        imported.refused.append(f"{key}：更早的 {left} 条放不下")


def _as_wished(place: MemoryPath, entries: Iterable[Entry], wish: Wish) -> list[Entry]:
    """Entries as they may be taken in: what neither tag nor path places is known everywhere if trusted.

    Nothing vouches for itself. A digest is of one conversation, whichever that was, so it is never of all.
    What follows a tagged entry and has no time may be the rest of it, behind a blank line.
    """
    placed = place.conversation_id is not None or place.kind.one_per_conversation
    taken: list[Entry] = []
    tagged = False
    for entry in map(_unvouched, entries):
        tagged = entry.conversation_id is not None or (tagged and entry.at is None)
        trusted = wish.trust_untagged and not placed and not tagged
        taken.append(_everywhere(entry) if trusted else entry)
    return taken


def _trust(memory: MemoryFS, key: str, incoming: Iterable[Entry], zone: tzinfo) -> int:
    """Let entries that an earlier run took in without trust be known everywhere; how many."""
    trusted = {_unvouched(entry) for entry in incoming if entry.conversation_id == EVERYWHERE}
    entries = memory.entries(key)
    now = [_everywhere(entry) if entry in trusted else entry for entry in entries]
    changed = sum(new != old for new, old in zip(now, entries, strict=True))
    if changed:
        memory.write(key, content=format_entries(now, zone))
    return changed


def _is_told(place: MemoryPath, entry: Entry, here: Sequence[Entry]) -> bool:
    """Whether a file says it already, cut short, or holds what it holds one of for a conversation."""
    if any(repeats(entry, one) for one in here if one.text.endswith("…")):
        return True
    conversations = {one.conversation_id for one in here} - {None}
    return place.kind.one_per_conversation and entry.conversation_id in conversations


def _fitting(place: MemoryPath, new: Sequence[Entry], here: Sequence[Entry]) -> list[Entry]:
    """The newest of these that a file has room for, so that nothing that is here makes room for them."""
    room = truncate((*new, *here), place.kind.max_entries).kept
    return list(new[max(0, len(new) + len(here) - len(room)) :])


def _in_order(new: Sequence[Entry], here: Sequence[Entry]) -> list[Entry]:
    """Both, by time where all have one; else what was remembered elsewhere comes first."""
    both = [*new, *here]
    timed = all(entry.at is not None for entry in both)
    return sorted(both, key=lambda entry: entry.at.timestamp() if entry.at else 0.0) if timed else both


def _everywhere(entry: Entry) -> Entry:
    return replace(entry, conversation_id=EVERYWHERE)


def _unvouched(entry: Entry) -> Entry:
    """An entry that says it is known everywhere, as one that does not say where it was said."""
    return replace(entry, conversation_id=None) if entry.conversation_id == EVERYWHERE else entry


def _saying(entry: Entry) -> tuple[str | None, frozenset[str], str]:
    """What an entry says where of whom, whenever, and whether it was trusted or not (R1.9)."""
    entry = _unvouched(entry)
    return entry.conversation_id, frozenset(entry.people), fold_sentence(entry.text)
