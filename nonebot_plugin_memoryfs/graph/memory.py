"""The graph as other rooms and plugins use it: one method per tool, scope first (R2.20)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from ..errors import InvalidInput
from ..scope import Scope, check_scope
from ..search.places import known_place
from ..text.folding import fold_name
from ..text.given import not_list, not_text, not_text_or_none, not_whole, not_whole_or_none
from ..text.grams import keywords
from . import answers
from .commit import PERSONA_RELATIONS, Said, sets_persona, write_triplets
from .contradictions import holding
from .history import history
from .imports import import_triplets
from .own import own_facts
from .persona import write_card_persona, write_persona, write_trait
from .purge import asked_for, purge
from .recall import Search, recall
from .render import FACTS_LIMIT, facts_of
from .results import CommitResult, Fact, ImportResult, PurgeResult, RecallResult
from .traits import persona_in
from .triplets import check_all, tidy
from .turn_memory import TurnMemory
from .undo import undo

_CHAIN_WORDS = frozenset(map(fold_name, ("TaskNode", "工作记忆", "任务链")))
_PERSONA_WORDS = frozenset(map(fold_name, (*PERSONA_RELATIONS, "AI", "PersonaNode")))
_COMMIT_LIMIT = 50


class MemoryGraph(TurnMemory):
    """Facts, tasks and the chain of turns of every character in every conversation.

    `MemoryGraph.open(data_dir)` for library use; over an open store in the bot. Thread-safe.
    Refusals are answers, not exceptions: every tool's result has `.ok` and `.text`.
    """

    # ---- facts

    def memory_commit(
        self,
        scope: Scope,
        triplets: Iterable[Any],
        *,
        speaker_name: str | None = None,
        turn_id: int | None = None,
        said: str | None = None,
        may_set_persona: bool | None = None,
    ) -> CommitResult:
        """Write facts, all or none (R2.8).

        Args:
            scope: who speaks to whom where.
            triplets: mappings (`subject`, `relation`, `object`, optional `inferred`), rows in that
                order, or `Triplet`s; names up to 64 characters, objects up to 500.
            speaker_name: what the speaker is called here (group card, nickname).
            turn_id: the turn in which it is written.
            said: what the person said; without a flag, a triplet whose object's words do not stand
                in it is inferred (R2.4). Without `said`, it is stated.
            may_set_persona: whether the speaker may change the character's persona here; by
                default in private only (R2.7).
        """
        check_scope(scope)
        wrong = not_list(triplets=triplets) or not_whole_or_none(turn_id=turn_id)
        if wrong := wrong or not_text_or_none(speaker_name=speaker_name, said=said):
            return answers.commit_refused([wrong])
        checked, reasons = check_all(islice(triplets, _COMMIT_LIMIT + 1))
        if len(checked) + len(reasons) > _COMMIT_LIMIT:
            reasons = [f"一次最多 {_COMMIT_LIMIT} 条"]
        elif not checked and not reasons:
            reasons = ["没有给出任何事实"]
        if reasons:
            return answers.commit_refused(reasons)
        persona_allowed = scope.private if may_set_persona is None else may_set_persona
        at = self._store.clock()
        with self._store.database.write() as connection:
            place_id = self._enter(connection, scope, speaker_name, at)
            if not persona_allowed and sets_persona(connection, scope, checked, self._single_valued):
                return answers.commit_refused(["群里只有管理员能改角色的人设"])
            circumstances = Said(scope=scope, at=at, turn_id=turn_id, words=said)
            written = write_triplets(connection, place_id, circumstances, checked, self._single_valued)
            ended = written.superseded
            superseded = facts_of(self._search(connection, scope), ended) if ended else []
        return answers.committed(written.ids, written.added, written.seen_again, superseded)

    def memory_recall(self, scope: Scope, query_intent: str, depth: int = 2) -> RecallResult:
        """Find facts by names and words, as far as the scope's conversation may know them (R2.9).

        Args:
            scope: who asks where.
            query_intent: names and words, split at `, ， 、 ; ；` and blanks; the seed's two forced
                queries answer with the persona and with the task chain.
            depth: how many steps to follow edges, clamped to 1–3.
        """
        check_scope(scope)
        if wrong := not_text(query_intent=query_intent) or not_whole(depth=depth):
            return answers.recall_refused(wrong)
        words = {fold_name(word) for word in keywords(query_intent)}
        if words and words <= _CHAIN_WORDS:
            return RecallResult(ok=True, text=self.task_chain(scope).text)
        if len(words) > 1 and words <= _PERSONA_WORDS:
            return self.persona(scope)
        return self.recall_facts(scope, query_intent, depth)

    def recall_facts(
        self, scope: Scope, text: str, depth: int = 2, *, search: Search | None = None
    ) -> RecallResult:
        """The facts a text is about, whatever words it is made of; `facts` is empty if there are none.

        Args:
            scope: who asks where.
            text: what somebody said, or names and words as in `memory_recall`.
            depth: how many steps to follow edges, clamped to 1–3.
            search: what `searching` gave, inside its transaction.
        """
        check_scope(scope)
        if wrong := not_text(text=text) or not_whole(depth=depth):
            return answers.recall_refused(wrong)
        with self._store.database.read() as connection:
            search = search or self._search(connection, scope)
            found = holding(search, recall(search, text, min(max(depth, 1), 3)), FACTS_LIMIT)
            return answers.recalled(search, found, self._zone())

    def memory_purge(
        self,
        scope: Scope,
        subject: str,
        relation: str | None = None,
        object: str | None = None,
        replacement: str | None = None,
        *,
        turn_id: int | None = None,
    ) -> PurgeResult:
        """Close facts of this conversation, by exact names; undoable for 30 days (R2.10).

        Args:
            scope: who asks where; in a group, people take back what they said or what is about
                them.
            subject: the exact name.
            relation: the exact label.
            object: the exact text.
            replacement: the object that takes the place of the closed one.
            turn_id: the turn in which it is asked for: its text states the replacement (R1.19).
        """
        check_scope(scope)
        given = not_text_or_none(relation=relation, object=object, replacement=replacement)
        if wrong := not_text(subject=subject) or given or not_whole_or_none(turn_id=turn_id):
            return answers.purge_refused(wrong)
        wanted = asked_for(subject, relation, object, replacement)
        if isinstance(wanted, str):
            return answers.purge_refused(wanted)
        with self._store.database.write() as connection:
            place_id = known_place(connection, scope.character_id, scope.conversation_id)
            if place_id is None:
                return answers.purge_refused(answers.nobody(wanted.subject))
            said = Said(scope=scope, at=self._store.clock(), turn_id=turn_id)
            return purge(self._search(connection, scope), place_id, said, wanted)

    def undo_purge(self, scope: Scope) -> PurgeResult:
        """Bring back what the last purge of this conversation closed, for 30 days (R2.10)."""
        check_scope(scope)
        with self._store.database.write() as connection:
            place_id = known_place(connection, scope.character_id, scope.conversation_id)
            if place_id is None:
                return answers.undone([], [])
            return undo(self._search(connection, scope), place_id, scope, self._store.clock())

    def fact_history(
        self, scope: Scope, subject: str, relation: str | None = None, limit: int = 20
    ) -> tuple[Fact, ...]:
        """What held of a subject before and no longer does, newest first (R2.5).

        Purged facts are not part of it.

        Raises:
            InvalidInput: an argument is not of its type.
        """
        check_scope(scope)
        if (
            wrong := not_text(subject=subject)
            or not_text_or_none(relation=relation)
            or not_whole(limit=limit)
        ):
            raise InvalidInput(wrong)
        with self._store.database.read() as connection:
            search = self._search(connection, scope)
            return history(search, scope, tidy(subject), relation, limit)

    def own_facts(self, scope: Scope) -> tuple[Fact, ...]:
        """What the scope's user said and what is about them, as far as they may see it here (R7.3).

        Of everything the newest 500, newest first.
        """
        check_scope(scope)
        with self._store.database.read() as connection:
            return own_facts(self._search(connection, scope))

    def import_triplets(self, triplets: Iterable[tuple[Scope, Any]]) -> ImportResult:
        """Write many facts fast: pairs of a scope and a triplet, in chunks of one transaction each.

        A triplet is as in `memory_commit`, and may say `at` (timezone-aware). Those that can't be
        taken are counted and passed over; the same import can be run again.

        Raises:
            InvalidInput: what is given is no iterable.
        """
        if wrong := not_list(triplets=triplets):
            raise InvalidInput(wrong)
        return import_triplets(self._store, triplets, self._single_valued)

    # ---- persona

    def persona(self, scope: Scope, search: Search | None = None) -> RecallResult:
        """What the character is like in this conversation; `facts` is empty if nothing says so (R2.7).

        Args:
            scope: who asks where.
            search: what `searching` gave, inside its transaction.
        """
        check_scope(scope)
        with self._store.database.read() as connection:
            traits = persona_in(connection, scope.character_id, scope.conversation_id)
            search = search or self._search(connection, scope)
            places = {edge.place_id: "" for edge in traits} | dict(search.places)
            return answers.persona(replace(search, places=places), traits)

    def set_persona(
        self,
        character_id: str,
        attributes: Mapping[str, str],
        conversation_id: str | None = None,
    ) -> None:
        """Make these the character's traits, everywhere or in one conversation (R2.7).

        Traits set there before and not named now end.

        Raises:
            InvalidInput: a trait without name or value, or an argument that is no text.
        """
        wrong = not_text(character_id=character_id) or not_text_or_none(conversation_id=conversation_id)
        if wrong := wrong or not_text(**{f"人设 {name}": value for name, value in attributes.items()}):
            raise InvalidInput(wrong)
        at = self._store.clock()
        with self._store.database.write() as connection:
            write_persona(connection, character_id, attributes, conversation_id, at)

    def set_card_persona(self, character_id: str, attributes: Mapping[str, str]) -> None:
        """Make these what the character's card says of it (R2.7).

        What the card said before ends; what people said and what was set stays, and goes before it.

        Raises:
            InvalidInput: a trait without name or value, or an argument that is no text.
        """
        wrong = not_text(character_id=character_id)
        if wrong := wrong or not_text(**{f"人设 {name}": value for name, value in attributes.items()}):
            raise InvalidInput(wrong)
        at = self._store.clock()
        with self._store.database.write() as connection:
            write_card_persona(connection, character_id, attributes, at)

    def set_trait(self, character_id: str, name: str, value: str, conversation_id: str | None = None) -> bool:
        """Set one trait, everywhere or in one conversation; whether that changed anything (R2.7).

        A blank value takes back what was set there, so that the wider layers show again. Who may do so is
        for the caller to know.

        Raises:
            InvalidInput: a trait without name, or an argument that is no text.
        """
        wrong = not_text(character_id=character_id, name=name, value=value)
        if wrong := wrong or not_text_or_none(conversation_id=conversation_id):
            raise InvalidInput(wrong)
        at = self._store.clock()
        with self._store.database.write() as connection:
            return write_trait(connection, character_id, name, value, conversation_id, at)
