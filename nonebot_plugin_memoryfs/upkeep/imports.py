"""Taking in what other programs remembered (R6.6): counted first, the same when run again.

Sources: the upstream's `memory_fs.json`, `memories.json` (new and old form), `resources/prompts/`, and a
TrulyMEM `memory.db`. What is here already is never replaced. Untagged content is seen as R1.17 (d) says.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, select

from ..errors import InvalidInput
from ..graph import MemoryGraph
from ..graph.over_graph import SINGLE_VALUED
from ..graph.relations import canonical
from ..memory import MemoryFS
from ..memory.entries import parse_entries
from ..memory.files import file_from_record
from ..memory.paths import parse_memory_path
from ..prompt import PromptManager
from ..prompt.layers import Level
from ..prompt.manager import FOLDER as PROMPTS
from ..prompt.note import note_of
from ..prompt.note_rows import note_by_id, save_note
from ..prompt.notes import new_note_id
from ..prompt.notes_file import NotesFile
from ..scope import Scope
from ..search.corrections import SPEAKER_NAMES
from ..storage import Store
from ..storage.face_file import parse
from ..storage.tables import edges, places
from ..text.folding import fold_name
from ..text.ids import decode_segment
from .trulymem import read_facts


@dataclass(slots=True)
class Imported:
    """What an import did, or would do."""

    new: dict[str, int] = field(default_factory=dict[str, int])
    known: int = 0
    """What was here already, and stays as it is."""
    refused: list[str] = field(default_factory=list[str])
    """What could not be taken, and why."""

    def add(self, what: str, count: int = 1) -> None:
        """Count something that is new."""
        if count:
            self.new[what] = self.new.get(what, 0) + count

    @property
    def text(self) -> str:
        """For people."""
        told = "，".join(f"{name} {count}" for name, count in self.new.items()) or "没有新的"
        lines = [f"新的：{told}；已有 {self.known}；不能采用 {len(self.refused)}"]
        return "\n".join([*lines, *(f"- {reason}" for reason in self.refused[:20])])


_KNOWN_FORMS = "memory_fs.json、memories.json、resources/prompts 或 TrulyMEM 的 memory.db"
_FOLDERS = ("", "web", "data", "data/web")
"""Where the upstream keeps its files, below the folder that is given."""


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

    def run(self, path: Path, *, dry_run: bool = False, scope: Scope | None = None) -> Imported:
        """Import a file or folder, recognised by its name and form; its rows in one transaction.

        Args:
            path: `memory_fs.json`, `memories.json`, a TrulyMEM `memory.db`, or a folder: `resources/prompts`,
                or one that holds any of these.
            dry_run: count only.
            scope: whose the facts of a `memory.db` are, and where they count as said: it knows one user only.

        Raises:
            InvalidInput: there is nothing of a known form, or a `memory.db` without a scope.
        """
        if not path.exists():
            raise InvalidInput(f"没有 {path} 这个文件或目录")
        sources = list(_sources(path))
        if not sources:
            raise InvalidInput(f"{path} 里没有认识的记忆：{_KNOWN_FORMS}")
        self._store.pull_faces()
        imported = Imported()
        try:
            with self._store.database.write() as connection:
                for source in sources:
                    self._take(connection, source, scope, imported)
                if dry_run:
                    raise _DryRun
        except _DryRun:
            pass
        for source in sources:
            if source.is_dir():
                self._take_prompts(source, imported, dry_run=dry_run)
        if not dry_run:
            self._store.push_faces()
        return imported

    def _take(self, connection: Connection, source: Path, scope: Scope | None, imported: Imported) -> None:
        if source.suffix == ".db":
            if scope is None:
                raise InvalidInput(f"{source.name} 只认识一个用户：请说明是谁的（--user 号码）")
            self._take_graph(connection, source, scope, imported)
        elif source.is_file():
            data = _parsed(source)
            if isinstance(data, list):
                self._take_notes(connection, cast(list[Any], data), imported)
                return
            for key, record in cast(dict[str, Any], data).items():
                self._try(imported, key, partial(self._take_file, key, record, imported))

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

    def _take_file(self, key: str, record: Any, imported: Imported) -> None:
        """Entries that a file has not yet, one by one: a run that was cut off can be repeated."""
        place = parse_memory_path(key)
        read = file_from_record(place, record, self._store.clock().astimezone(self._zone), self._zone)
        held = self._memory.read(key)
        known = set(self._memory.entries(key)) | set(self._memory.dropped_entries(key))
        if held is None:
            self._memory.write(
                key,
                content=read.content,
                title=read.title,
                summary=read.summary,
                tags=read.tags,
                importance=read.importance,
                target_id=read.target_id,
                memory_ids=read.memory_ids,
            )
            imported.add("记忆文件")
            return
        incoming = parse_entries(read.content, self._zone)
        new = [entry for entry in incoming if entry not in known]
        for entry in new:
            self._memory.append(key, entry)
        imported.add("条目", len(new))
        imported.known += len(incoming) - len(new)

    def _take_notes(self, connection: Connection, rows: list[Any], imported: Imported) -> None:
        reader = NotesFile(self._store.clock, self._zone, new_note_id, lambda _: None)
        for key, record in reader.unpack([_with_id(row) for row in rows]).items():
            self._try(imported, key, partial(self._take_note, connection, key, record, imported))

    def _take_note(self, connection: Connection, key: str, record: Any, imported: Imported) -> None:
        if not isinstance(record, dict):
            raise InvalidInput("应是一个 JSON 对象")
        if note_by_id(connection, key) is not None:
            imported.known += 1
            return
        now = self._store.clock()
        save_note(connection, None, note_of(key, cast(dict[str, Any], record), now), now)
        imported.add("便签")

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
        if self._prompts.layers.get(level, target):
            imported.known += 1
        elif text := path.read_text("utf-8-sig").strip():
            if not dry_run:
                self._prompts.layers.save(level, target, text)
            imported.add("提示词")

    def _try(self, imported: Imported, what: str, take: Callable[[], None]) -> None:
        """Take one thing in, or note why it can't be; the others go on."""
        try:
            take()
        except (InvalidInput, ValueError, OSError) as error:
            imported.refused.append(f"{what[:80]}：{error}")


def _sources(path: Path) -> list[Path]:
    """What is to be imported, of a file or folder."""
    if path.is_file():
        return [path] if path.suffix in (".json", ".db") else []
    if (path / "neko.txt").is_file() or (path / "user").is_dir() or (path / "group").is_dir():
        return [path]
    found = [path / folder / name for folder in _FOLDERS for name in ("memory_fs.json", "memories.json")]
    return [*(source for source in found if source.is_file()), *filter(Path.is_dir, [path / PROMPTS])]


def _parsed(source: Path) -> Any:
    try:
        data = parse(source.read_bytes())
    except (ValueError, RecursionError, OSError) as error:
        raise InvalidInput(f"{source} 读不了：{error}") from None
    if not isinstance(data, dict | list):
        raise InvalidInput(f"{source} 应是一个 JSON 对象或列表")
    return cast(Any, data)


def _with_id(row: Any) -> Any:
    """A record with an id: one without gets that of its content, so that a second run knows it."""
    if not isinstance(row, dict):
        return row  # pyright: ignore[reportUnknownVariableType]
    record = cast(dict[str, Any], row)
    if record.get("id"):
        return record
    content = json.dumps(record, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return {**record, "id": f"mem_{hashlib.blake2b(content, digest_size=16).hexdigest()}"}
