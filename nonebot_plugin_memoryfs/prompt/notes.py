"""Notes: a local JSON store of small memories that people may edit while the bot runs (R3.4–R3.7).

Invariants:
- what a call changes stands in `memories.json` when it returns (inside a transaction: when that commits);
- an id is never given twice; reads skip notes that have ended, `delete_expired` deletes them;
- reads for a chat take a `Viewer`; `find` is the operator's view.
"""

import logging
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta, tzinfo
from itertools import islice
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection

from ..errors import InvalidInput, Outdated
from ..scope import Policy, Viewer, group_of, may_see, private_conversation
from ..storage import Store
from ..text.cleaning import clean
from ..text.folding import fold_name
from . import note_rows
from .note import FIELDS, Note, group_target, note_of, target_of, user_target
from .note_originals import Originals
from .notes_file import FILE, NotesFile

logger = logging.getLogger("nonebot_plugin_memoryfs")

CONSIDERED = 200
"""So many of the newest notes a viewer may see are looked at for a prompt."""
KEEP_FORMER = timedelta(days=30)
"""How long former forms of notes, and a file in the old form, are kept."""


def new_note_id() -> str:
    """An id that no note ever had."""
    return f"mem_{uuid4().hex}"


class Notes:
    """The notes of a store. Thread-safe."""

    def __init__(self, store: Store, timezone: tzinfo) -> None:
        """Open the notes of a store; edits and an old file made while nothing ran are taken in.

        Args:
            store: where they are kept.
            timezone: the zone times are written in.
        """
        self._store = store
        self._timezone = timezone
        self._originals = Originals(store, FILE)
        source = NotesFile(store.clock, timezone, new_note_id, self._originals.keep)
        self._face = store.face(FILE, source)

    def add(self, fields: Mapping[str, Any]) -> Note:
        """Keep a note, under a new id.

        Args:
            fields: as in the file (R3.4); `target_id` is needed. `conversation_id` says where it was said and
                `source_event_id` in which turn: without the first it counts as said in its person's private
                chat, or in its group (R1.17).

        Raises:
            InvalidInput: a field is unknown or of a wrong kind, or it is for nobody.
            TooLong: a text over its limit.
        """
        _check_names(fields)
        note = note_of(new_note_id(), fields, self._store.clock())
        if not note.target_id:
            raise InvalidInput("target_id 不能为空：应是某个人（user_123）或某个群（group_9）")
        with self._changing() as connection:
            note_rows.save_note(connection, None, note, self._store.clock())
        return note

    def get(self, id: str) -> Note | None:
        """The note of this id: the operator's view."""
        self._face.pull()
        with self._store.database.read() as connection:
            return self._live(connection, clean(id))

    def update(self, id: str, updates: Mapping[str, Any], *, expected: Note | None = None) -> bool:
        """Change fields of a note; whether there was one (R3.5).

        Args:
            id: which.
            updates: what it says from now on.
            expected: what it said as last seen; one that says something else is not touched.

        Raises:
            InvalidInput: a field that is unknown, or the id, or a value of a wrong kind.
            Outdated: it is not the expected one any more.
            TooLong: a text over its limit.
        """
        _check_names(updates)
        id = clean(id)
        with self._changing() as connection:
            former = self._live(connection, id)
            _check_expected(former, expected)
            if former is None:
                return False
            fields = former.to_record(self._timezone) | dict(updates)
            note = note_of(id, fields, former.created_at, former)
            if note != former:
                note_rows.save_note(connection, former, note, self._store.clock())
        return True

    def delete(self, id: str, *, expected: Note | None = None) -> bool:
        """Delete a note with its former forms; whether there was one.

        Raises:
            Outdated: it is not the expected one any more.
        """
        id = clean(id)
        with self._changing() as connection:
            found = self._live(connection, id)
            _check_expected(found, expected)
            note_rows.erase(connection, [id] if found else [])
        return found is not None

    def clear(self, target_id: str | None = None) -> int:
        """Delete the notes of a target, or all; how many there were. Clearing all is logged (R3.5).

        Raises:
            InvalidInput: `user_` or `group_` without a number.
        """
        target = None if target_id is None else target_of(target_id)
        with self._changing() as connection:
            ids = [n.id for n in note_rows.all_notes(connection) if target in (None, n.target_id)]
            note_rows.erase(connection, ids)
        if target is None:
            logger.warning("已清空全部便签，共 %d 条", len(ids))
        return len(ids)

    def find(
        self,
        target_id: str | None = None,
        mem_type: str | None = None,
        character_name: str | None = None,
    ) -> list[Note]:
        """The notes for which all that is given holds, in the order they were made.

        Raises:
            InvalidInput: `user_` or `group_` without a number.
        """
        target = None if target_id is None else target_of(target_id)
        self._face.pull()
        with self._store.database.read() as connection:
            return [
                note
                for note in note_rows.live_notes(connection, self._store.clock())
                if target in (None, note.target_id)
                and mem_type in (None, note.type)
                and character_name in (None, note.character_name)
            ]

    def newest(
        self,
        target_id: str | None = None,
        mem_type: str | None = None,
        character_name: str | None = None,
        *,
        find: str = "",
        limit: int,
        offset: int = 0,
    ) -> tuple[list[Note], int]:
        """A part of what `find` gives, the newest first, and how many there are in all.

        Args:
            target_id: for whom.
            mem_type: of which kind.
            character_name: of which character.
            find: what must be part of the title, the content, the target or the character's name.
            limit: at most so many.
            offset: how many of the newest to pass over.

        Raises:
            InvalidInput: `user_` or `group_` without a number.
        """
        target = None if target_id is None else target_of(target_id)
        fields = {"target_id": target, "type": mem_type, "character_name": character_name}
        self._face.pull()
        with self._store.database.read() as connection:
            return note_rows.newest(connection, self._store.clock(), fields, find, limit, offset)

    def visible_to(
        self, viewer: Viewer, policy: Policy, characters: Collection[str] | None = None
    ) -> list[Note]:
        """The newest notes of a viewer and of the group they are in that they may see there (R1.17).

        Args:
            viewer: for whom; someone without a user id sees the group's.
            policy: what the operator allows.
            characters: notes of a character that goes by none of these names are left out; `None` leaves
                none out.
        """
        group = group_of(viewer.conversation_id)
        targets = [user_target(viewer.user_id)] if viewer.user_id else []
        targets += [group_target(group)] if group else []
        names = None if characters is None else {"", *map(fold_name, characters)}
        self._face.pull()
        with self._store.database.read() as connection:
            found = note_rows.notes_for(connection, targets, self._store.clock())
            seen = (
                note
                for note in found
                if (names is None or fold_name(note.character_name) in names)
                and may_see(viewer, note.origin, policy)
            )
            return list(islice(seen, CONSIDERED))

    def delete_expired(self, now: datetime | None = None) -> int:
        """Delete the notes that have ended, and former forms older than 30 days; how many notes (R3.4)."""
        now = now or self._store.clock()
        self._face.pull()
        with self._store.database.write() as connection:
            ids = note_rows.ended(connection, now)
            note_rows.erase(connection, ids)
            note_rows.forget_before(connection, now - KEEP_FORMER)
            if ids:
                self._store.database.after_commit(self._face.push)
        self._originals.delete_before(now - KEEP_FORMER)
        return len(ids)

    def forget_sources(self, sources: Collection[str]) -> int:
        """Delete the notes that come from these turns or messages (`source_event_id`); how many (R1.19)."""
        with self._store.database.read() as connection:
            if not note_rows.of_sources(connection, sources):
                return 0
        with self._changing() as connection:
            ids = note_rows.of_sources(connection, sources)
            note_rows.erase(connection, ids)
        return len(ids)

    def erase_person(self, user_id: str) -> int:
        """Erase all notes about a person or from their private chat, with their past; how many (R7.4).

        A file in the old form that is still kept goes with them: all of it stands in today's.
        """
        target, private = user_target(user_id), private_conversation(user_id)

        def theirs(notes: Iterable[Note]) -> list[str]:
            return [n.id for n in notes if n.target_id == target or n.conversation_id == private]

        with self._changing() as connection:
            ids = theirs(note_rows.all_notes(connection))
            note_rows.erase(connection, ids)
            note_rows.forget(connection, theirs(note_rows.former_forms(connection)))
        self._originals.delete()
        return len(ids)

    @contextmanager
    def _changing(self) -> Generator[Connection]:
        """A write transaction over the file as it stands; the file is written when it commits."""
        self._face.pull()
        with self._store.database.write() as connection:
            yield connection
            self._store.database.after_commit(self._face.push)

    def _live(self, connection: Connection, id: str) -> Note | None:
        note = note_rows.note_by_id(connection, id)
        ended = note is None or (note.ends_at is not None and note.ends_at <= self._store.clock())
        return None if ended else note


def _check_expected(found: Note | None, expected: Note | None) -> None:
    if expected not in (None, found):
        raise Outdated("这张便签已经变了，什么也没有改；请看看现在的内容")


def _check_names(fields: Mapping[str, Any]) -> None:
    if unknown := [name for name in fields if name not in FIELDS]:
        raise InvalidInput(f"便签没有可改的 {unknown[0]!r}，只能是 {'、'.join(FIELDS)}")
