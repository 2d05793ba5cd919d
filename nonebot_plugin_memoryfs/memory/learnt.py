"""Entries learnt from turns: filed with a link to those turns, corrected and withdrawn with them (R1.19)."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from sqlalchemy import Connection, bindparam, delete, func, select

from ..scope import Policy, Viewer
from ..search.corrections import states, superseded_copies
from ..storage.learning_tables import copies, copy_turns
from ..storage.upserts import insert_or_ignore
from ..text.folding import fold_sentence
from .audience import visible
from .changes import with_entry
from .entries import Entry, repeats
from .file_store import FileStore
from .files import FileFields, MemoryFile
from .paths import parse_memory_path

_KEPT = 400
"""Links kept of a file: more than any file has entries."""

_ADD = insert_or_ignore(copies)
_LINK = insert_or_ignore(copy_turns)
_FIND = select(copies.c.id).where(copies.c.path == bindparam("of_path"), copies.c.key == bindparam("of_key"))
_DROP = delete(copies).where(copies.c.path == bindparam("of_path"), copies.c.key == bindparam("of_key"))
_older = copies.alias()
_TRIM = delete(copies).where(
    copies.c.path == bindparam("of_path"),
    copies.c.id
    <= select(_older.c.id)
    .where(_older.c.path == bindparam("of_path"))
    .order_by(_older.c.id.desc())
    .limit(1)
    .offset(_KEPT)
    .scalar_subquery(),
)
_OF_TURN = (
    select(copies.c.id, copies.c.path, copies.c.key, func.count().label("turns"))
    .join(copy_turns, copy_turns.c.copy_id == copies.c.id)
    .where(copies.c.id.in_(select(copy_turns.c.copy_id).where(copy_turns.c.turn_id == bindparam("of_turn"))))
    .group_by(copies.c.id, copies.c.path, copies.c.key)
)
_TURNS = (
    select(copy_turns.c.turn_id)
    .join(copies, copies.c.id == copy_turns.c.copy_id)
    .where(copies.c.path == bindparam("of_path"), copies.c.key.in_(bindparam("keys", expanding=True)))
)
_UNLINK = delete(copy_turns).where(copy_turns.c.turn_id == bindparam("of_turn"))


@dataclass(frozen=True, slots=True)
class Known:
    """An entry as an extraction is shown it."""

    path: str
    entry: Entry
    outdated: bool
    """Whether it states what was corrected since."""


class Learnt:
    """The entries of one store's memory files that were learnt. Thread-safe."""

    def __init__(self, files: FileStore, policy: Policy) -> None:
        self._files = files
        self._policy = policy

    def file(
        self,
        path: str,
        entries: Sequence[tuple[Entry, Iterable[int]]],
        *,
        replaced: Sequence[Entry] = (),
        **fields: Unpack[FileFields],
    ) -> MemoryFile:
        """Add entries to a file, each with the turns it was learnt from.

        Args:
            path: which file.
            entries: what is filed, oldest first; what the file says already only gets a later time (R1.9).
            replaced: entries that these take the place of; they stay in the file's former version.
            fields: as for `MemoryFS.write`.

        Raises:
            InvalidMemoryPath, InvalidInput: as for `MemoryFS.write`.
        """
        with self._files.changing(path) as found:
            connection, place, former = found
            kept = [entry for entry in self._files.entries_of(former) if entry not in replaced]
            for entry in replaced:
                connection.execute(_DROP, {"of_path": path, "of_key": copy_key(entry)})
            for entry, turn_ids in entries:
                kept = with_entry(kept, entry, place.kind)
                _link(connection, path, entry, turn_ids)
            connection.execute(_TRIM, {"of_path": path})
            return self._files.save(found, kept, fields, append=True)

    def known(self, viewer: Viewer, paths: Sequence[str]) -> list[Known]:
        """The entries of files this viewer may see, oldest first, file by file (R1.17)."""
        with self._files.reading() as connection:
            contents = self._files.records.contents(connection, paths)
            outdated = superseded_copies(connection, contents)
            return [
                Known(path, entry, is_outdated(path, entry, outdated))
                for path in paths
                for _, entry in visible(
                    parse_memory_path(path),
                    self._files.records.parse(contents.get(path, "")),
                    viewer,
                    self._policy,
                )
            ]

    def turns_of(self, path: str, text: str) -> frozenset[int]:
        """The turns from which the entries of a file that say this were learnt."""
        with self._files.reading() as connection:
            entries = self._files.entries_of(self._files.records.read(connection, path))
            keys = [copy_key(entry) for entry in entries if entry.text == text]
            return frozenset(connection.scalars(_TURNS, {"of_path": path, "keys": keys}))

    def withdraw(self, turn_id: int, gone: Callable[[Entry, bool], bool], *, whole: bool = True) -> int:
        """Take out what was learnt from a turn, its past included, and forget the links to it.

        Args:
            turn_id: the turn.
            gone: whether an entry goes, given whether it was learnt from this turn alone.
            whole: whether the turn itself is gone; else what stays keeps its link to it.

        Returns:
            How many entries went.
        """
        removed = 0
        with self._files.writing() as connection:
            for row in connection.execute(_OF_TURN, {"of_turn": turn_id}).all():
                removed += self._withdraw(connection, row.path, row.key, row.turns == 1, gone)
            if whole:
                connection.execute(_UNLINK, {"of_turn": turn_id})
        return removed

    def _withdraw(
        self, connection: Connection, path: str, key: str, alone: bool, gone: Callable[[Entry, bool], bool]
    ) -> int:
        place = parse_memory_path(path)
        former = self._files.records.read_to_change(connection, path)
        past = self._files.records.history.dropped(connection, place)
        entries = (*self._files.entries_of(former), *past)
        entry = next((entry for entry in entries if copy_key(entry) == key), None)
        if entry is None or not gone(entry, alone):
            return 0
        if former is not None:
            left = [other for other in self._files.entries_of(former) if copy_key(other) != key]
            self._files.save((connection, place, former), left, FileFields(title="", summary=""))
        self._files.records.history.forget(connection, place, lambda kept: repeats(kept, entry))
        connection.execute(_DROP, {"of_path": path, "of_key": key})
        return 1


def is_outdated(path: str, entry: Entry, outdated: Mapping[tuple[str, str], frozenset[str]]) -> bool:
    """Whether an entry states one of the objects that no longer hold (see `superseded_copies`)."""
    return bool(outdated) and states(entry.text, outdated.get((path, copy_key(entry)), ()))


def _link(connection: Connection, path: str, entry: Entry, turn_ids: Iterable[int]) -> None:
    key = copy_key(entry)
    connection.execute(_ADD.on(connection), {"path": path, "key": key})
    copy_id = connection.execute(_FIND, {"of_path": path, "of_key": key}).scalar_one()
    rows = [{"copy_id": copy_id, "turn_id": turn_id} for turn_id in sorted(set(turn_ids))]
    if rows:
        connection.execute(_LINK.on(connection), rows)


def copy_key(entry: Entry) -> str:
    """What entries that say the same have in common (R1.9); none of its text can be read from it."""
    said = (entry.conversation_id or "", *sorted(set(entry.people)), fold_sentence(entry.text))
    return hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()
