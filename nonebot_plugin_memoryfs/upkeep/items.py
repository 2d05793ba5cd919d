"""Forgetting and correcting one stored item, with every copy of it (R1.19, R7.3).

A fact, the entries, notes and gists of a person that state it hang on the turns it was said in; an item is
followed to its turns, and from there to all of them. Nobody reaches what is not their own.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, or_, select

from ..errors import InvalidInput
from ..graph.edges import COLUMNS, Edge, edge_of
from ..graph.kinds import EdgeKind
from ..graph.nodes import person_key
from ..graph.review import FactReview
from ..memory import Entry, MemoryFS
from ..memory.audience import origin_of
from ..memory.learnt import copy_key
from ..memory.paths import parse_memory_path
from ..prompt import PromptManager
from ..prompt.note import Note, user_target
from ..scope import Origin, Policy, Scope, may_see
from ..search.corrections import states
from ..storage import Store
from ..storage.learning_tables import copies, copy_turns
from ..storage.presence import viewer_of
from ..storage.tables import edge_turns, edges, nodes, places, turns
from ..text.folding import fold_sentence
from ..text.sentences import gist
from .facts import drop_facts, erase_names
from .said import blank_turns

_NOT_YOURS = "没有这一条，或者它不是你的"
_SUMMARY = 100


class FactId(NamedTuple):
    """A fact, by its number."""

    number: int


class EntryId(NamedTuple):
    """An entry of a memory file, by its place there and as it was last seen."""

    path: str
    number: int
    expected: Entry


class NoteId(NamedTuple):
    """A note, by its id."""

    id: str


ItemId = FactId | EntryId | NoteId


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many of each were let go of, the item included."""

    facts: int
    entries: int
    notes: int
    texts: int
    """Gists, lines and traces that stated it."""

    @property
    def text(self) -> str:
        """For people."""
        told = {"事实": self.facts, "记忆": self.entries, "便签": self.notes, "对话记录": self.texts}
        return "已忘记：" + "，".join(f"{name} {count} 处" for name, count in told.items() if count)


@dataclass(frozen=True, slots=True)
class _Reach:
    """What an item says, and the person's own turns it hangs on."""

    text: str
    turns: frozenset[int]
    facts: tuple[Edge, ...]
    """Their facts of these turns that the item states."""

    @property
    def objects(self) -> frozenset[str]:
        """What states it, folded."""
        return frozenset(fold_sentence(edge.object) for edge in self.facts)

    def holds(self, text: str) -> bool:
        """Whether a text of these turns says the same."""
        return states(text, self.objects) or fold_sentence(text) == fold_sentence(self.text)


class Items:
    """The items of a store, for the people they belong to. Thread-safe."""

    def __init__(self, store: Store, memory: MemoryFS, prompts: PromptManager, policy: Policy) -> None:
        """Work on open rooms.

        Args:
            store: the store they are over.
            memory: its memory files.
            prompts: its notes.
            policy: what may be seen (R1.17).
        """
        self._store = store
        self._memory = memory
        self._notes = prompts.notes
        self._review = FactReview(store, policy)
        self._policy = policy

    def forget(self, scope: Scope, item: ItemId) -> Forgotten:
        """Let an item go, with its past and every copy.

        Args:
            scope: who asks where; it must be theirs, and they must see it there.
            item: which.

        Raises:
            InvalidInput: there is none, it is not theirs, or it changed since.
        """
        self._store.pull_faces()
        with self._store.database.write() as connection:
            reach = self._reach(connection, scope, item)
            entries = notes = 0
            if isinstance(item, EntryId):
                self._memory.remove_entry(item.path, item.number, expected=item.expected, forget=True)
                entries += 1
            if isinstance(item, NoteId):
                notes += self._notes.delete(item.id)
            gone = drop_facts(connection, reach.facts)
            erase_names(connection, gone)
            for turn_id in reach.turns:
                entries += self._memory.learnt.withdraw(
                    turn_id,
                    lambda entry, alone: _only_theirs(entry, scope) and reach.holds(entry.text),
                    whole=False,
                )
            for note in self._notes.find(user_target(scope.user_id)):
                if note.source_turn in reach.turns and reach.holds(note.content):
                    notes += self._notes.delete(note.id)
            texts = blank_turns(connection, scope, reach.turns, reach.holds)
            return Forgotten(len(gone.edges), entries, notes, texts)

    def correct(self, scope: Scope, item: ItemId, text: str) -> None:
        """Let an item say something else; copies of what it said show as corrected.

        Args:
            scope: who asks where; it must be theirs, and they must see it there.
            item: which.
            text: what it says from now on; of a fact, its object.

        Raises:
            InvalidInput: there is none, it is not theirs, it changed since, or the text can't be taken.
        """
        self._store.pull_faces()
        with self._store.database.write() as connection:
            reach = self._reach(connection, scope, item)
            if isinstance(item, FactId):
                self._review.correct(item.number, text, expected=reach.text)
                return
            for edge in reach.facts:
                if edge.valid_to is None and not states(text, [fold_sentence(edge.object)]):
                    self._review.purge(edge.id, expected=edge.object)
            if isinstance(item, EntryId):
                self._memory.edit_entry(item.path, item.number, text, expected=item.expected)
            else:
                self._notes.update(item.id, {"content": text, "summary": gist(text, _SUMMARY)})

    def _reach(self, connection: Connection, scope: Scope, item: ItemId) -> _Reach:
        match item:
            case FactId():
                return self._of_fact(connection, scope, item)
            case EntryId():
                return self._of_entry(connection, scope, item)
            case NoteId():
                return self._of_note(connection, scope, item)

    def _of_fact(self, connection: Connection, scope: Scope, item: FactId) -> _Reach:
        query = (
            select(*COLUMNS)
            .join(places, places.c.id == edges.c.place_id)
            .where(edges.c.id == item.number, edges.c.kind == EdgeKind.RELATES_TO.value)
            .where(places.c.character_id == scope.character_id)
        )
        row = connection.execute(query).one_or_none()
        if row is None:
            raise InvalidInput(_NOT_YOURS)
        edge = edge_of(row)
        where = connection.scalar(select(places.c.conversation_id).where(places.c.id == edge.place_id))
        own = connection.scalar(select(nodes.c.id).where(_is_self(scope)))
        self._check(
            connection,
            scope,
            Origin(where, (edge.user_id,), edge.heard_at),
            own=scope.user_id == edge.user_id or edge.subject_id == own,
        )
        said = connection.scalars(select(edge_turns.c.turn_id).where(edge_turns.c.edge_id == edge.id))
        same = select(*COLUMNS).where(
            and_(*(edges.c[name] == getattr(edge, name) for name in _SAME)), edges.c.valid_to.is_not(None)
        )
        former = [edge_of(other) for other in connection.execute(same) if other.id != edge.id]
        return _Reach(edge.object, _own_turns(connection, scope, said), (edge, *former))

    def _of_entry(self, connection: Connection, scope: Scope, item: EntryId) -> _Reach:
        place = parse_memory_path(item.path)
        entry = item.expected
        if place.character_id != scope.character_id or entry not in self._memory.entries(item.path):
            raise InvalidInput(_NOT_YOURS)
        own = place.user_id == scope.user_id or _only_theirs(entry, scope)
        self._check(connection, scope, origin_of(place, entry), own=own)
        linked = (
            select(copy_turns.c.turn_id)
            .join(copies, copies.c.id == copy_turns.c.copy_id)
            .where(copies.c.path == item.path, copies.c.key == copy_key(entry))
        )
        return _stated(connection, scope, entry.text, connection.scalars(linked))

    def _of_note(self, connection: Connection, scope: Scope, item: NoteId) -> _Reach:
        note = next((n for n in self._notes.find(user_target(scope.user_id)) if n.id == item.id), None)
        if note is None:
            raise InvalidInput(_NOT_YOURS)
        self._check(connection, scope, note.origin, own=True)
        return _stated(connection, scope, note.content, _source(note))

    def _check(self, connection: Connection, scope: Scope, origin: Origin, *, own: bool) -> None:
        if not own or not may_see(viewer_of(connection, scope), origin, self._policy):
            raise InvalidInput(_NOT_YOURS)


_SAME = ("place_id", "subject_id", "relation_id", "object_id")


def _is_self(scope: Scope) -> Any:
    return and_(nodes.c.character_id == scope.character_id, nodes.c.key == person_key(scope.user_id))


def _only_theirs(entry: Entry, scope: Scope) -> bool:
    """Whether an entry is from or about nobody else."""
    return set(entry.people) == {scope.user_id}


def _source(note: Note) -> Collection[int]:
    return () if note.source_turn is None else (note.source_turn,)


def _own_turns(connection: Connection, scope: Scope, turn_ids: Iterable[int]) -> frozenset[int]:
    """Those of these turns in which the person spoke."""
    theirs = select(turns.c.id).where(
        turns.c.id.in_(list(turn_ids)),
        turns.c.character_id == scope.character_id,
        turns.c.user_id == scope.user_id,
    )
    return frozenset(connection.scalars(theirs))


def _stated(connection: Connection, scope: Scope, text: str, turn_ids: Iterable[int]) -> _Reach:
    """The person's facts of these turns that a text states."""
    own = _own_turns(connection, scope, turn_ids)
    about = select(nodes.c.id).where(_is_self(scope))
    query = (
        select(*COLUMNS)
        .where(
            edges.c.id.in_(select(edge_turns.c.edge_id).where(edge_turns.c.turn_id.in_(own))),
            edges.c.kind == EdgeKind.RELATES_TO.value,
            or_(edges.c.user_id == scope.user_id, edges.c.subject_id.in_(about)),
        )
        .order_by(edges.c.id)
    )
    found = (edge_of(row) for row in connection.execute(query))
    return _Reach(text, own, tuple(e for e in found if states(text, [fold_sentence(e.object)])))
