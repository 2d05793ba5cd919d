"""A person's own memory before their eyes: facts, entries and notes, and what was said (R7.3).

Everything here is asked for a `Scope` and shown as far as that conversation may see it (R1.17).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from ..character import Card
from ..errors import InvalidInput, TooLong
from ..graph import CHARACTER, SPEAKER, Fact, MemoryGraph
from ..graph.triplets import OBJECT_LIMIT
from ..memory import MemoryFS
from ..memory.categories import (
    CHARACTER_PERSONA,
    IMPORTANT_EVENTS,
    PLOT,
    RECENT_DIGEST,
    TIMELINE,
    USER_PERSONA,
    USER_SUMMARY,
    FileKind,
)
from ..memory.entries import Entry
from ..memory.paths import build_path, parse_memory_path
from ..prompt import PromptManager
from ..prompt.note import Note, message_source, user_target
from ..scope import Policy, Scope, Viewer, private_conversation, reachable
from ..search import WORDS_ALONE, Hit, TurnLog
from ..search.corrections import CORRECTED
from ..search.lines import lines_by_id
from ..storage import Store
from ..storage.presence import viewer_of
from ..text.folding import fold_sentence
from ..text.sentences import gist
from ..text.statements import recognise
from .forgetting import OwnRooms, forget
from .items import Item, Kind, is_own, is_theirs_alone

_OF_A_PERSON = (USER_PERSONA, CHARACTER_PERSONA, RECENT_DIGEST, USER_SUMMARY)
_OF_A_CONVERSATION = (IMPORTANT_EVENTS, PLOT)
_LINES_READ = 60
"""Best lines among which a search looks for the person's own: in a group most are others'."""
_TITLE = 20
"""Characters of a note's text that become its title."""
_NEVER = datetime.min.replace(tzinfo=UTC)


class OwnMemory:
    """What is kept about the person who asks. Thread-safe."""

    def __init__(
        self,
        store: Store,
        graph: MemoryGraph,
        memory: MemoryFS,
        prompts: PromptManager,
        *,
        policy: Policy,
        card_of: Callable[[str], Card],
    ) -> None:
        """Look into these rooms.

        Args:
            store: what they stand on.
            graph: facts.
            memory: entries.
            prompts: notes.
            policy: what the operator allows beyond the default isolation (R1.17).
            card_of: character id → its card.
        """
        self._store = store
        self._graph = graph
        self._memory = memory
        self._prompts = prompts
        self._policy = policy
        self._card_of = card_of
        self._log = TurnLog(store, policy, WORDS_ALONE)

    def everything(self, scope: Scope) -> list[Item]:
        """All that was kept of what the scope's user said, and about them, newest first."""
        viewer = self._viewer(scope)
        found = [*self._facts(scope), *self._entries(viewer), *self._notes(scope, viewer)]
        return sorted(found, key=lambda item: item.at or _NEVER, reverse=True)

    def search(self, scope: Scope, words: str, limit: int) -> list[Item]:
        """What of it is about these words: what was kept first, then what was said, best first."""
        wanted = [fold_sentence(word) for word in words.split()]
        kept = [item for item in self.everything(scope) if _holds(item.shown, wanted)]
        return [*kept, *self._lines(scope, words)][:limit]

    def _check(self, connection: Connection, scope: Scope, item: Item) -> None:
        """Refuse an item that is not what it was: another took its place, or it is gone."""
        if item.kind.is_said:
            viewer = viewer_of(connection, scope)
            found = lines_by_id(connection, viewer, self._policy, [int(item.id)]).values()
            texts = {line.text for line in found if line.user_id == scope.user_id}
        else:
            kept = self.everything(scope)
            texts = {one.text for one in kept if (one.kind, one.id) == (item.kind, item.id)}
        if item.text not in texts:
            raise InvalidInput("这条已经变了，或者没有了；再用 /记忆 查看 看一下")
        if item.kind is Kind.ENTRY and not self._is_theirs_alone(scope, item):
            raise InvalidInput("这条也和别人有关，不能由一个人改掉或忘掉")

    def _is_theirs_alone(self, scope: Scope, item: Item) -> bool:
        place, entries = parse_memory_path(item.id), self._memory.entries(item.id)
        return all(is_theirs_alone(place, e, scope.user_id) for e in entries if e.text == item.text)

    def _fact(self, scope: Scope, item: Item) -> Fact | None:
        return next((f for f in self._graph.own_facts(scope) if str(f.id) == item.id), None)

    def _state(self, scope: Scope, fact: Fact, text: str) -> None:
        """Commit what is right: as it is stated, else with the new object."""
        stated = [(SPEAKER, one.relation, one.object) for one in recognise(text)]
        triplets = stated if stated and fact.subject == SPEAKER else [(fact.subject, fact.relation, text)]
        if len(text) > OBJECT_LIMIT:
            raise TooLong(f"一件事最多 {OBJECT_LIMIT} 字，收到的有 {len(text)} 字；更长的用 /记忆 记住")
        if not self._graph.memory_commit(scope, triplets).ok:
            raise InvalidInput("这样说记不成一件事，换个说法试试")

    def _viewer(self, scope: Scope) -> Viewer:
        with self._store.database.read() as connection:
            return viewer_of(connection, scope)

    def _facts(self, scope: Scope) -> Iterator[Item]:
        for fact in self._graph.own_facts(scope):
            yield Item(
                kind=Kind.FACT,
                id=str(fact.id),
                text=_told(fact),
                at=fact.last_seen,
                conversation_id=fact.conversation_id,
            )

    def _entries(self, viewer: Viewer) -> Iterator[Item]:
        for path in _paths(viewer, self._policy):
            place = parse_memory_path(path)
            for _, entry in self._memory.visible_entries(viewer, path):
                if is_own(place, entry, viewer.user_id):
                    where = entry.conversation_id or place.conversation_id
                    yield Item(kind=Kind.ENTRY, id=path, text=entry.text, at=entry.at, conversation_id=where)

    def _notes(self, scope: Scope, viewer: Viewer) -> Iterator[Item]:
        names = (scope.character_id, self._card_of(scope.character_id).name)
        found = self._prompts.notes.visible_to(viewer, self._policy, names)
        notes = [note for note in found if note.target_id == user_target(scope.user_id)]
        turns = {_said(note): turn for note in notes if (turn := note.source_turn) is not None}
        now = self._graph.corrected_texts(scope, turns)
        for note in notes:
            text = _said(note)
            yield Item(
                kind=Kind.NOTE,
                id=note.id,
                text=text,
                at=note.created_at,
                conversation_id=note.origin.conversation_id,
                outdated=now.get(text, text) != text,
            )

    def forget(self, scope: Scope, item: Item) -> None:
        """Forget an item with every copy of it: in facts, entries, notes, lines, gists, index and their past.

        Raises:
            InvalidInput: it no longer says what it did when it was shown.
        """
        viewer = self._viewer(scope)
        with self._store.database.write() as connection:
            self._check(connection, scope, item)
            notes = self._prompts.notes.find(user_target(scope.user_id))
            rooms = OwnRooms(self._memory, self._prompts.notes)
            at_home = replace(viewer, conversation_id=private_conversation(scope.user_id))
            paths = list(_paths(at_home, self._policy))
            forget(connection, rooms, scope.character_id, scope.user_id, item, paths, notes)

    def correct(self, scope: Scope, item: Item, text: str) -> None:
        """Forget an item in its old form, and keep what is right from where it is said (R1.17).

        Raises:
            InvalidInput: it no longer says what it did, or it was said, or the text is no better.
        """
        if item.kind.is_said:
            raise InvalidInput("说过的原话改不了；可以忘记它，或者改记下的事")
        if fold_sentence(text) == fold_sentence(item.text):
            raise InvalidInput("新内容和原来的一样")
        with self._store.database.write():
            fact = self._fact(scope, item) if item.kind is Kind.FACT else None
            note = self._prompts.notes.get(item.id) if item.kind is Kind.NOTE else None
            self.forget(scope, item)
            if fact is not None:
                self._state(scope, fact, text)
            elif note is not None:
                self._keep_note(
                    scope,
                    text,
                    mem_type=note.type,
                    expire_days=note.expire_days,
                    character_name=note.character_name,
                )
            else:
                entry = Entry(
                    text,
                    at=self._store.clock(),
                    conversation_id=scope.conversation_id,
                    people=(scope.user_id,),
                )
                self._memory.append(item.id, entry)

    def remember(self, scope: Scope, text: str, message_id: str = "") -> None:
        """Keep a note for the scope's user, from where they are (R3.6).

        Args:
            scope: who wants it kept, and where.
            text: what it says.
            message_id: the platform's id of the message that says so; taken back, it takes the note along.

        Raises:
            TooLong: the text is over 8,000 characters.
        """
        source = message_source(scope.conversation_id, message_id) if message_id else ""
        self._keep_note(scope, text, character_name=scope.character_id, source_event_id=source)

    def _keep_note(self, scope: Scope, text: str, **more: Any) -> None:
        title, where = gist(text, _TITLE), scope.conversation_id
        self._prompts.add_memory(title, text, scope.user_id, conversation_id=where, **more)

    def _lines(self, scope: Scope, words: str) -> Iterator[Item]:
        hits = self._graph.with_corrections(scope, self._log.search(scope, words, _LINES_READ))
        for hit in hits:
            if hit.user_id == scope.user_id and hit.text != CORRECTED:
                yield _line(hit)


def _paths(viewer: Viewer, policy: Policy) -> Iterator[str]:
    """The files in which something of a person may stand that they may see."""
    character = viewer.character_id

    def path(kind: FileKind, **ids: str) -> str:
        return build_path(kind, character, **ids)

    yield from (path(kind, user=viewer.user_id) for kind in _OF_A_PERSON)
    yield path(TIMELINE)
    for conversation_id in sorted(reachable(viewer, policy)):
        yield from (path(kind, conversation=conversation_id) for kind in _OF_A_CONVERSATION)


def _told(fact: Fact) -> str:
    """A fact as a sentence to the one it is shown to."""
    names: dict[str, str] = {SPEAKER: "你", CHARACTER: "我"}
    subject, object = (names.get(name, name) for name in (fact.subject, fact.object))
    return f"{subject} {fact.label} {object}"


def _said(note: Note) -> str:
    """A note as one text; a title that only begins its content is not said twice."""
    title, content = fold_sentence(note.title.removesuffix("…")), fold_sentence(note.content)
    if not content or content.startswith(title):
        return note.content or note.title
    return f"{note.title}：{note.content}"


def _line(hit: Hit) -> Item:
    return Item(
        kind=Kind.REPLY if hit.by_character else Kind.LINE,
        id=str(hit.id),
        text=hit.text,
        at=hit.at,
        conversation_id=hit.conversation_id,
    )


def _holds(text: str, wanted: Iterable[str]) -> bool:
    folded = fold_sentence(text)
    return all(word in folded for word in wanted)
