"""Taking in the memory files of another program, entry by entry (R6.6, R1.17 d)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from ..memory import MemoryFS
from ..memory.entries import Entry, format_entries, parse_entries
from ..memory.files import file_from_record
from ..memory.paths import MemoryPath, parse_memory_path
from ..scope import EVERYWHERE
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
    incoming = [_as_wished(place, entry, wish) for entry in parse_entries(read.content, zone)]
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
    known = {_saying(entry) for entry in (*memory.entries(key), *memory.dropped_entries(key))}
    new = [entry for entry in incoming if _saying(entry) not in known]
    for entry in new:
        memory.append(key, entry)
    imported.add("条目", len(new))
    imported.known += len(incoming) - len(new)


def _as_wished(place: MemoryPath, entry: Entry, wish: Wish) -> Entry:
    """An entry that neither its tag nor its path places may be known everywhere, if it is trusted.

    A digest is of one conversation, whichever that was, so it is never of all.
    """
    placed = entry.conversation_id is not None or place.conversation_id is not None
    placed = placed or place.kind.one_per_conversation
    return entry if placed or not wish.trust_untagged else _everywhere(entry)


def _trust(memory: MemoryFS, key: str, incoming: Iterable[Entry], zone: tzinfo) -> int:
    """Let entries that an earlier run took in without trust be known everywhere; how many."""
    trusted = {_saying(entry) for entry in incoming if entry.conversation_id == EVERYWHERE}
    entries = memory.entries(key)
    now = [_everywhere(entry) if entry in trusted else entry for entry in entries]
    changed = sum(new != old for new, old in zip(now, entries, strict=True))
    if changed:
        memory.write(key, content=format_entries(now, zone))
    return changed


def _everywhere(entry: Entry) -> Entry:
    return replace(entry, conversation_id=EVERYWHERE)


def _saying(entry: Entry) -> Entry:
    """What an entry says, whether it was trusted or not."""
    return replace(entry, conversation_id=None) if entry.conversation_id == EVERYWHERE else entry
