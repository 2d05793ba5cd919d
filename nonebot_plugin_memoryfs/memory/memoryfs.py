"""MemoryFS: what a character remembers for long, as files of entries at paths (R1.1, R1.6, R1.8).

Invariants:
- every write is one transaction: the file, its former version, and what truncation dropped;
- a call touches the files it names, never all of them;
- reads for a chat take a `Viewer`; `read`, `entries` and the lists are the operator's view.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Unpack
from zoneinfo import ZoneInfo

from ..errors import InvalidInput, Outdated
from ..scope import Policy, Viewer, scope_in
from ..storage import Store
from ..storage.presence import note_presence, viewer_of
from . import paths, rendering
from .audience import visible
from .changes import entry_at, with_entry, with_text
from .context import DEFAULT_BUDGET, DEFAULT_SHARES, MemoryContext, Recipe, build_context
from .entries import Entry, repeats
from .erasure import About, Erased, count_of_conversation, erase_conversation, erase_person
from .file_store import FileStore
from .files import FileFields, MemoryFile
from .history import HistoryLimits
from .learnt import Learnt
from .paths import parse_memory_path

DEFAULT_TIMEZONE = ZoneInfo("Asia/Shanghai")


class MemoryFS:
    """The memory files of one store. Thread-safe; made once per store (see `get_memory_fs`)."""

    path_user = staticmethod(paths.path_user)
    path_user_persona = staticmethod(paths.path_user_persona)
    path_character_persona = staticmethod(paths.path_character_persona)
    path_recent_digest = staticmethod(paths.path_recent_digest)
    path_important_events = staticmethod(paths.path_important_events)
    path_timeline = staticmethod(paths.path_timeline)
    path_life_sim = staticmethod(paths.path_life_sim)
    path_diary_daily = staticmethod(paths.path_diary_daily)
    path_diary_weekly = staticmethod(paths.path_diary_weekly)
    path_plot = staticmethod(paths.path_plot)
    path_world_events = staticmethod(paths.path_world_events)
    path_general = staticmethod(paths.path_general)
    format_timeline_for_prompt = staticmethod(rendering.format_timeline_for_prompt)
    format_life_sim_for_prompt = staticmethod(rendering.format_life_sim_for_prompt)

    def __init__(
        self,
        store: Store,
        *,
        timezone: tzinfo = DEFAULT_TIMEZONE,
        policy: Policy = Policy(),  # noqa: B008  (frozen)
        budget: int = DEFAULT_BUDGET,
        shares: Mapping[str, float] = DEFAULT_SHARES,
        history: HistoryLimits = HistoryLimits(),  # noqa: B008  (frozen)
    ) -> None:
        """Open the files of a store.

        Args:
            store: where they are kept; it stays the caller's to close.
            timezone: the zone entries' times are written in.
            policy: what the operator allows beyond the default isolation (R1.17).
            budget: characters of memory in a prompt (R1.13).
            shares: how they are shared out, by kind of file.
            history: how much of the past is kept (R1.11).
        """
        self._files = FileStore(store, timezone, history)
        self._records = self._files.records
        self._recipe = Recipe(self._records, policy, budget, shares)
        self.learnt = Learnt(self._files, policy)
        """The entries that were learnt from turns (R1.19)."""

    @property
    def directory(self) -> Path | None:
        """The data directory."""
        return self._files.directory

    # ---- the seed's calls

    def read(self, path: str) -> MemoryFile | None:
        """The file at a path, or `None`. Raises `InvalidMemoryPath` for a malformed path."""
        parse_memory_path(path)
        with self._files.reading() as connection:
            return self._records.read(connection, path)

    def write(
        self,
        path: str,
        *,
        character_id: str | None = None,
        target_id: str | None = None,
        title: str | None = None,
        content: str | None = None,
        summary: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        source_event_id: str | None = None,
        memory_ids: Sequence[str] | None = None,
        append: bool = False,
    ) -> MemoryFile:
        """Create or change a file; `None` leaves a field as it is, any other value replaces it (R1.6).

        Args:
            path: where.
            character_id: the character; must be the path's.
            target_id: whom or what the file is about.
            title: its title; blank for the category's label.
            content: all entries of the file, or with `append` the text of one more, without tags.
            summary: a summary for lists; it never stands for the content in a prompt.
            tags: free labels.
            importance: 0 to 1; on append the larger counts.
            source_event_id: the turn it comes from.
            memory_ids: related memories; on append they are added.
            append: add `content` as one entry instead of replacing what there is.

        Raises:
            InvalidMemoryPath: the path is malformed.
            InvalidInput: the importance is outside 0–1, or the character is not the path's.
        """

        fields = FileFields(
            character_id=character_id,
            target_id=target_id,
            title=title,
            summary=summary,
            tags=tags,
            importance=importance,
            source_event_id=source_event_id,
            memory_ids=memory_ids,
        )
        with self._files.changing(path) as found:
            _, place, former = found
            entries: Iterable[Entry] = self._files.entries_of(former)
            if content is not None and not append:
                entries = self._records.parse(content)
            elif content and content.strip():
                entries = with_entry(tuple(entries), Entry(content), place.kind)
            return self._files.save(found, entries, fields, append=append)

    def delete(self, path: str, *, expected: int | None = None) -> bool:
        """Delete a file, whose last version is kept (R1.11); whether there was one.

        Args:
            path: where.
            expected: the version as last seen; a file of another one is not touched.

        Raises:
            Outdated: the file has another version by now.
        """
        with self._files.changing(path) as (connection, _, former):
            _check_version(former, expected)
            if former is not None:
                self._records.delete(connection, former, self._files.now())
        return former is not None

    def list_for_character(self, char_id: str) -> list[MemoryFile]:
        """A character's files by importance, then newest, then path."""
        with self._files.reading() as connection:
            return self._records.of_character(connection, char_id)

    def list_all(self) -> list[MemoryFile]:
        """The files of every character, by path."""
        with self._files.reading() as connection:
            return list(self._records.all(connection))

    def paths(self, under: str) -> list[str]:
        """The paths of the files below a directory, in order."""
        with self._files.reading() as connection:
            return self._records.paths(connection, under)

    def build_prompt_context(self, char_id: str, user_id: str, conversation_id: str) -> str:
        """The memory for this user's prompt in this conversation; `""` for none (R1.12)."""
        scope = scope_in(char_id, conversation_id, user_id)
        with self._files.reading() as connection:
            return build_context(connection, self._recipe, viewer_of(connection, scope)).text

    # ---- for a viewer

    def build_context(self, viewer: Viewer, budget: int | None = None) -> MemoryContext:
        """The memory for a viewer's prompt, with what it shows and leaves out (R1.12, R1.13).

        Args:
            viewer: the user and conversation it is for (R1.17).
            budget: most characters in all; the one of this MemoryFS by default.
        """
        with self._files.reading() as connection:
            return build_context(connection, self._recipe, viewer, budget)

    def visible_entries(self, viewer: Viewer, path: str) -> list[tuple[int, Entry]]:
        """The entries of a file this viewer may see, each with its number in the file (R1.17)."""
        place = parse_memory_path(path)
        if place.character_id != viewer.character_id:
            return []
        return visible(place, self.entries(path), viewer, self._recipe.policy)

    # ---- entries

    def entries(self, path: str) -> tuple[Entry, ...]:
        """The entries of a file, oldest first; none for a missing file (R1.8)."""
        return self._files.entries_of(self.read(path))

    def parse(self, file: MemoryFile) -> tuple[Entry, ...]:
        """The entries of a file that was read before, or of a former version."""
        return self._files.entries_of(file)

    def append(
        self, path: str, entry: Entry, *, spoken: bool = False, **fields: Unpack[FileFields]
    ) -> MemoryFile:
        """Add an entry; saying again what the file says only refreshes its time (R1.8, R1.9).

        Args:
            path: where.
            entry: what; in a digest it replaces the former entry of its conversation.
            spoken: whether its people spoke in its conversation, which then counts as one they were
                seen in (R1.17); leave it off for people merely talked about.
            fields: as for `write`.

        Raises:
            InvalidMemoryPath, InvalidInput: as for `write`.
        """
        with self._files.changing(path) as found:
            connection, place, former = found
            if spoken and entry.conversation_id is not None:
                for person in entry.people:
                    note_presence(connection, person, entry.conversation_id, entry.at or self._files.now())
            entries = with_entry(self._files.entries_of(former), entry, place.kind)
            return self._files.save(found, entries, fields, append=True)

    def edit_entry(self, path: str, number: int, text: str, *, expected: Entry | None = None) -> MemoryFile:
        """Correct the text of an entry; its time, conversation and people stay.

        Args:
            path: which file.
            number: which entry, 1 being the oldest.
            text: what it says from now on.
            expected: the entry as last seen; another one at this number is not touched.

        Raises:
            InvalidInput: there is no such entry, it is not the expected one, or the text is blank.
        """
        with self._files.changing(path) as found:
            entries = with_text(self._files.entries_of(found[2]), number, text, expected)
            return self._files.save(found, entries, {})

    def remove_entry(
        self, path: str, number: int, *, expected: Entry | None = None, forget: bool = False
    ) -> MemoryFile:
        """Take an entry out.

        Args:
            path: which file.
            number: which entry, 1 being the oldest.
            expected: the entry as last seen; another one at this number is not touched.
            forget: beyond undoing: also take it out of former versions and of what was dropped, and
                blank the title and summary, which may repeat it (R7.3).

        Raises:
            InvalidInput: there is no such entry, or it is not the expected one.
        """
        with self._files.changing(path) as found:
            connection, place, former = found
            entries = self._files.entries_of(former)
            entry = entry_at(entries, number, expected)
            fields = FileFields(title="", summary="") if forget else FileFields()
            file = self._files.save(found, [*entries[: number - 1], *entries[number:]], fields)
            if forget:
                self._records.history.forget(connection, place, lambda kept: repeats(kept, entry))
        return file

    def forget_entries(self, path: str, gone: Callable[[Entry], bool]) -> int:
        """Take entries out of a file for good: out of what it says and of all its past (R7.3).

        Args:
            path: which file.
            gone: which entries.

        Returns:
            How many of those it says now went.
        """
        with self._files.changing(path) as found:
            connection, place, former = found
            entries = self._files.entries_of(former)
            left = [entry for entry in entries if not gone(entry)]
            if len(left) < len(entries):
                self._files.save(found, left, FileFields(title="", summary=""))
            self._records.history.forget(connection, place, gone)
        return len(entries) - len(left)

    def erase_person(self, user_id: str, about: About | None = None) -> Erased:
        """Erase all that is from or about a person, of every character, with its past (R7.4).

        Args:
            user_id: the person.
            about: which entries go beside those that carry their tag.
        """
        with self._files.writing() as connection:
            return erase_person(connection, self._records, user_id, self._files.now(), about)

    def erase_conversation(self, conversation_id: str, about: About) -> Erased:
        """Erase all that comes from a conversation, of every character, with its past (R7.3).

        Args:
            conversation_id: the conversation.
            about: which entries go beside those that carry its tag.
        """
        with self._files.writing() as connection:
            return erase_conversation(connection, self._records, conversation_id, self._files.now(), about)

    def count_of_conversation(self, conversation_id: str) -> int:
        """How many entries come from a conversation, of every character."""
        with self._files.reading() as connection:
            return count_of_conversation(connection, self._records, conversation_id)

    # ---- the past

    def versions(self, path: str) -> list[MemoryFile]:
        """The former versions of a file, newest first (R1.11)."""
        parse_memory_path(path)
        with self._files.reading() as connection:
            return self._records.history.versions(connection, path)

    def dropped_entries(self, path: str) -> list[Entry]:
        """The entries truncation dropped from a file, oldest first (R1.11)."""
        with self._files.reading() as connection:
            return self._records.history.dropped(connection, parse_memory_path(path))

    def restore(self, path: str, version: int | None = None, *, expected: int | None = None) -> MemoryFile:
        """Bring a former version back as the newest one; what stands there becomes a former version.

        Args:
            path: which file; it may have been deleted.
            version: which version; by default the last former one, which undoes the last write.
            expected: the version that stands there as last seen, 0 for none.

        Raises:
            InvalidInput: that version is not kept.
            Outdated: another version stands there by now.
        """
        with self._files.changing(path) as (connection, place, former):
            _check_version(former, expected)
            kept = self._records.history.versions(connection, path)
            source = next((file for file in kept if version in (None, file.version)), None)
            if source is None:
                known = "、".join(str(file.version) for file in kept) or "没有旧版"
                raise InvalidInput(f"{path} 没有可恢复的第 {version or 1} 版；现存：{known}")
            newest = max(file.version for file in (source, former) if file)
            now = self._files.now()
            file = replace(source, version=newest + 1, updated_at=now.isoformat())
            self._records.save(connection, place, former, file, (), now)
        return file


def _check_version(former: MemoryFile | None, expected: int | None) -> None:
    found = former.version if former else 0
    if expected not in (None, found):
        now = f"现在是第 {found} 版" if found else "现在没有这个文件"
        raise Outdated(f"这个文件已经变了（{now}），请重新查看后再改")
