"""Taking in what other programs remembered (R6.6): counted first, the same when run again.

What there is to take is found by `sources`. What is here already is never replaced. Content that says in no
way where it was said is seen as R1.17 (d) says, or, imported as trusted, everywhere.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, select

from ..character.roster import FOLDER as CHARACTERS
from ..errors import InvalidInput
from ..graph import MemoryGraph
from ..graph.over_graph import SINGLE_VALUED
from ..graph.relations import canonical
from ..memory import MemoryFS
from ..prompt import PromptManager
from ..prompt.layers import Level
from ..prompt.note import Note, note_of
from ..prompt.note_rows import note_by_id, save_note
from ..prompt.notes import new_note_id
from ..prompt.notes_file import NotesFile
from ..scope import EVERYWHERE, Scope
from ..search.corrections import SPEAKER_NAMES
from ..storage import Store
from ..storage.tables import edges, places
from ..text.folding import fold_name
from ..text.ids import decode_segment
from .card_files import take_card
from .file_imports import take_file
from .imported import AS_IT_IS, Imported, Wish
from .sources import Kind, Part, parts_of
from .trulymem import read_facts

_SINGLE = frozenset(map(fold_name, SINGLE_VALUED))


class _DryRun(Exception):
    """Ends the transaction of an import that only counts."""


class Importer:
    """Imports into the rooms of one store."""

    def __init__(
        self, store: Store, memory: MemoryFS, prompts: PromptManager, graph: MemoryGraph, zone: tzinfo
    ) -> None:
        """Work on open rooms.

        Args:
            store: the store they are over.
            memory: its memory files.
            prompts: its layers and notes.
            graph: its facts.
            zone: the zone of times that name none.
        """
        self._store = store
        self._memory = memory
        self._graph = graph
        self._prompts = prompts
        self._zone = zone

    def run(self, path: Path, wish: Wish = AS_IT_IS) -> Imported:
        """Import a file or folder, recognised by its name and form; its rows in one transaction.

        Args:
            path: what `sources` knows.
            wish: how.

        Raises:
            InvalidInput: there is nothing of a known form, or a `memory.db` without a scope.
        """
        parts = parts_of(path)
        self._store.pull_faces()
        imported = Imported()
        try:
            with self._store.database.write() as connection:
                for part in parts:
                    self._take(connection, part, wish, imported)
                if wish.dry_run:
                    raise _DryRun
        except _DryRun:
            pass
        for part in parts:  # files of their own, behind the transaction
            if part.kind is Kind.PROMPTS:
                self._take_prompts(part.source, imported, dry_run=wish.dry_run)
            elif part.kind is Kind.CARDS:
                self._take_cards(part, imported, dry_run=wish.dry_run)
        if not wish.dry_run:
            self._store.push_faces()
        return imported

    def _take(self, connection: Connection, part: Part, wish: Wish, imported: Imported) -> None:
        match part.kind:
            case Kind.GRAPH:
                if wish.scope is None:
                    raise InvalidInput(f"{part.source.name} 只认识一个用户：请说明是谁的（--user 号码）")
                self._take_graph(connection, part.source, wish.scope, imported)
            case Kind.NOTES:
                self._take_notes(connection, part.data, wish, imported)
            case Kind.FILES:
                now = self._store.clock().astimezone(self._zone)
                for key, record in part.data.items():
                    take = partial(take_file, self._memory, key, record, now, wish, imported)
                    self._try(imported, key, take)
            case Kind.UNUSED:
                imported.hints.append(f"没有用到配置包里的 {'、'.join(part.data)}")
            case _:
                pass

    def _take_graph(self, connection: Connection, source: Path, scope: Scope, imported: Imported) -> None:
        """Its facts; what this conversation's place holds already is known."""
        here = select(places.c.id).where(
            places.c.character_id == scope.character_id,
            places.c.conversation_id == scope.conversation_id,
        )
        held = select(edges.c.subject, edges.c.relation, edges.c.object).where(edges.c.place_id.in_(here))
        known = {tuple(map(fold_name, row)) for row in connection.execute(held)}
        new: list[tuple[Scope, Any]] = []
        for said in read_facts(source, self._zone):
            subject, relation, object = (said[name] for name in ("subject", "relation", "object"))
            names = [scope.user_id if n in SPEAKER_NAMES else n for n in (subject, object)]
            if (fold_name(names[0]), fold_name(canonical(relation, _SINGLE)), fold_name(names[1])) in known:
                imported.known += 1
            else:
                new.append((scope, said))
        result = self._graph.import_triplets(new)
        imported.add("事实", result.written)
        imported.refused += [f"{source.name}：{reason}" for reason in result.refused]

    def _take_notes(self, connection: Connection, rows: list[Any], wish: Wish, imported: Imported) -> None:
        reader = NotesFile(self._store.clock, self._zone, new_note_id, lambda _: None)
        for key, record in reader.unpack(list(_with_ids(rows))).items():
            self._try(imported, key, partial(self._take_note, connection, key, record, wish, imported))

    def _take_note(
        self, connection: Connection, key: str, record: Any, wish: Wish, imported: Imported
    ) -> None:
        if not isinstance(record, dict):
            raise InvalidInput("应是一个 JSON 对象")
        former, now = note_by_id(connection, key), self._store.clock()
        note = _from_outside(note_of(key, cast(dict[str, Any], record), now))
        trusted = wish.trust_untagged and not note.conversation_id
        if former is not None:  # it stays as it is, unless it is the very note that is trusted now
            trusted = trusted and not former.conversation_id and _saying(former) == _saying(note)
            note = former
        if trusted:
            note = replace(note, conversation_id=EVERYWHERE)
        if former is None or trusted:
            save_note(connection, former, note, now)
            imported.add("便签" if former is None else "改为处处可见的便签")
        else:
            imported.known += 1

    def _take_cards(self, part: Part, imported: Imported, *, dry_run: bool) -> None:
        """Cards as files among the characters; a character that has one stays as it is."""
        directory = self._store.directory
        if directory is None:
            imported.refused.append("角色卡：要放进数据目录，这里只有数据库")
            return
        for number, record in enumerate(part.data, 1):
            take = partial(self._take_card, directory / CHARACTERS, record, imported, dry_run=dry_run)
            self._try(imported, f"{part.source.name} 的第 {number} 张角色卡", take)

    def _take_card(self, folder: Path, record: Any, imported: Imported, *, dry_run: bool) -> None:
        new = take_card(folder, record, imported.cards, dry_run=dry_run)
        if new is None:
            imported.known += 1
            return
        imported.add("角色卡")
        imported.hints.append(
            f"角色 {new}：在会话里用 /角色 切换 {new}，或设成默认 MEMORYFS__CHARACTER={new}"
        )

    def _take_prompts(self, folder: Path, imported: Imported, *, dry_run: bool) -> None:
        """The texts of the folder as layers; one that is set here already stays."""
        found: list[tuple[Level, str, Path]] = [("default", "", folder / "neko.txt")]
        levels: tuple[Level, Level] = ("user", "group")
        for level in levels:
            for path in sorted((folder / level).glob(f"{level}_*.txt")):
                found.append((level, decode_segment(path.stem.removeprefix(f"{level}_")), path))
        for level, target, path in found:
            if path.is_file():
                take = partial(self._take_prompt, level, target, path, imported, dry_run=dry_run)
                self._try(imported, path.name, take)

    def _take_prompt(
        self, level: Level, target: str, path: Path, imported: Imported, *, dry_run: bool
    ) -> None:
        layers = self._prompts.layers
        if layers.get(level, target):
            imported.known += 1
        elif text := _text_in(path):
            (layers.check if dry_run else layers.save)(level, target, text)
            imported.add("提示词")

    def _try(self, imported: Imported, what: str, take: Callable[[], None]) -> None:
        """Take one thing in, or note why it can't be; the others go on."""
        try:
            take()
        except (InvalidInput, ValueError, OSError) as error:
            imported.refused.append(f"{what[:80]}：{error}")
        except RecursionError:
            imported.refused.append(f"{what[:80]}：一层套一层，太深了")


def _text_in(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise InvalidInput("应为 UTF-8 编码") from None


def _from_outside(note: Note) -> Note:
    """A note of another program: it can't vouch for itself, and its turns are none of ours."""
    source = "" if note.source_turn is not None else note.source_event_id
    where = note.conversation_id if note.conversation_id != EVERYWHERE else ""
    return replace(note, conversation_id=where, source_event_id=source)


def _saying(note: Note) -> tuple[str, str, str]:
    """For whom a note is, and what it says."""
    return note.target_id, note.title, note.content


def _with_ids(rows: Iterable[Any]) -> Iterator[Any]:
    """Records each with an id of its own: where it has none, of its content, so that a second run knows it.

    What stands there twice comes once.
    """
    taken: set[str] = set()
    for row in rows:
        if not isinstance(row, dict):
            yield row
            continue
        record = cast(dict[str, Any], row)
        own = record.get("id")
        id = str(own).strip() if isinstance(own, str | int) and not isinstance(own, bool) else ""
        if not id or id in taken:
            content = json.dumps(record, sort_keys=True, ensure_ascii=False)
            id = f"mem_{hashlib.blake2b(content.encode(), digest_size=16).hexdigest()}"
        if id not in taken:
            taken.add(id)
            yield {**record, "id": id}
