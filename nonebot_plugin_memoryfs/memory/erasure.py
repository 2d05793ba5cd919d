"""Erasing a person, or a conversation, from the memory files and their history (R7.3, R7.4)."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sqlalchemy import ColumnElement, Connection, Text, cast, or_, select

from ..scope import private_conversation
from ..storage.tables import file_history, files
from ..text.ids import encode_segment, encode_tag
from .entries import Entry
from .paths import MemoryPath, parse_memory_path
from .records import Records


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased."""

    files: int = 0
    """Whole files."""
    entries: int = 0
    """Single entries of other files."""


About = Callable[[MemoryPath, Entry], bool]
"""Whether an entry without a person's tag is about them all the same."""


def erase_person(
    connection: Connection, records: Records, user_id: str, now: datetime, about: About | None = None
) -> Erased:
    """Erase all that is theirs or names them, with its past, of every character.

    Whole files go below `users/{id}` and those of their private chat; elsewhere every entry that is from
    or about them, or from their private chat. The only call here that looks through all files.

    Args:
        connection: a write.
        records: the files.
        user_id: the person.
        now: the time.
        about: which further entries go; asked of all.
    """
    private = private_conversation(user_id)

    def is_theirs(place: MemoryPath) -> bool:
        return place.user_id == user_id or place.conversation_id == private

    def names_them(place: MemoryPath, entry: Entry) -> bool:
        tagged = user_id in entry.people or entry.conversation_id == private
        return tagged or (about is not None and about(place, entry))

    paths = _paths_naming(connection, user_id) if about is None else _all_paths(connection)
    return _erase(connection, records, paths, is_theirs, names_them, user_id, now)


def erase_conversation(
    connection: Connection, records: Records, conversation_id: str, now: datetime, about: About
) -> Erased:
    """Erase all that comes from a conversation, with its past, of every character.

    Whole files go that are the conversation's; elsewhere every entry that carries its tag.

    Args:
        connection: a write.
        records: the files.
        conversation_id: the conversation.
        now: the time.
        about: which further entries go; asked of all.
    """

    def is_there(place: MemoryPath) -> bool:
        return place.conversation_id == conversation_id

    def is_from_there(place: MemoryPath, entry: Entry) -> bool:
        return entry.conversation_id == conversation_id or about(place, entry)

    paths = _all_paths(connection)
    return _erase(connection, records, paths, is_there, is_from_there, conversation_id, now)


def count_of_conversation(connection: Connection, records: Records, conversation_id: str) -> int:
    """How many entries come from a conversation now."""
    whole = f"/{encode_segment(conversation_id)}.md"
    tag = f"[conv:{encode_tag(conversation_id)}]"
    query = select(files.c.path, files.c.content).where(
        or_(_holds(files.c.path, whole), _holds(files.c.content, tag))
    )
    return sum(
        parse_memory_path(path).conversation_id == conversation_id or entry.conversation_id == conversation_id
        for path, content in connection.execute(query)
        for entry in records.parse(content)
    )


def _erase(
    connection: Connection,
    records: Records,
    paths: Iterable[str],
    whole: Callable[[MemoryPath], bool],
    gone: About,
    target_id: str,
    now: datetime,
) -> Erased:
    """Erase whole files, and entries of the others; nobody is the target of a file any more who is erased."""
    counted = Erased()
    for path in paths:
        place = parse_memory_path(path)
        if whole(place):
            existed = records.read_to_change(connection, path) is not None
            records.erase(connection, place)
            counted = replace(counted, files=counted.files + existed)
        else:
            entries = _erase_entries(connection, records, place, partial(gone, place), target_id, now)
            counted = replace(counted, entries=counted.entries + entries)
    return counted


def _erase_entries(
    connection: Connection,
    records: Records,
    place: MemoryPath,
    gone: Callable[[Entry], bool],
    target_id: str,
    now: datetime,
) -> int:
    """Take entries out of a file, keeping no former version of it, and out of its history."""
    held_before = records.history.forget(connection, place, gone)
    file = records.read_to_change(connection, place.text)
    if file is None:
        return 0
    entries = records.parse(file.content)
    left = [entry for entry in entries if not gone(entry)]
    cleaned = file if file.target_id != target_id else replace(file, target_id="")
    if held_before or len(left) < len(entries):  # title and summary may repeat what was in them
        content, _ = records.fit(place, left)
        cleaned = replace(cleaned, content=content, title=place.kind.category.label, summary="")
    if cleaned != file:
        records.overwrite(connection, replace(cleaned, version=file.version + 1, updated_at=now.isoformat()))
    return len(entries) - len(left)


def _paths_naming(connection: Connection, user_id: str) -> list[str]:
    """Every path, of a file or of its history, that may hold something of this person."""
    segment, tag = encode_segment(user_id), encode_tag(user_id)
    in_json = json.dumps(tag)[1:-1]
    queries = (
        select(files.c.path).where(
            or_(
                _holds(files.c.path, segment),
                _holds(files.c.content, tag),
                files.c.target_id == user_id,
            )
        ),
        select(file_history.c.path).where(
            or_(
                _holds(file_history.c.path, segment),
                _holds(cast(file_history.c.body, Text), in_json),
                _holds(cast(file_history.c.body, Text), tag),
            )
        ),
    )
    return sorted({path for query in queries for path in connection.execute(query).scalars()})


def _all_paths(connection: Connection) -> list[str]:
    """Every path, of a file or of its history."""
    return sorted(
        {
            path
            for query in (select(files.c.path), select(file_history.c.path).distinct())
            for path in connection.execute(query).scalars()
        }
    )


def _holds(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    return column.contains(text, autoescape=True)
