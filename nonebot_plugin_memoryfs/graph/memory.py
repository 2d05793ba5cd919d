"""The graph as other rooms and plugins use it: one method per tool, scope first (R2.20)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from ..scope import Policy, Scope, Viewer, reachable
from ..search.over_store import OverStore
from ..search.places import known_place, place_of, places_of
from ..search.turn_log import ISOLATED, TurnLog
from ..storage import Store
from ..storage.presence import note_presence, viewer_of
from ..text.folding import fold_name
from ..text.grams import keywords
from ..text.references import points_back
from ..text.statements import single_valued as statement_relations
from . import answers, chain, tasks
from .back import look_back
from .commit import PERSONA_RELATIONS, Said, is_persona, write_triplets
from .edges import Edge
from .history import history
from .imports import import_triplets
from .nodes import note_alias, resolve
from .persona import persona_in, write_persona
from .purge import Wanted, purge, undo
from .recall import Search, recall
from .render import FACTS_LIMIT, fact_lines, facts_of, people_names, trait_lines
from .results import (
    BackRecall,
    CommitResult,
    Fact,
    ImportResult,
    PurgeResult,
    RecallResult,
    TaskChain,
    TaskResult,
)
from .triplets import OBJECT_LIMIT, Triplet, check_all, tidy

SINGLE_VALUED: frozenset[str] = frozenset(statement_relations)
"""Relations that hold one value at a time unless others are given (R2.5)."""

_CHAIN_WORDS = frozenset(map(fold_name, ("TaskNode", "工作记忆", "任务链")))
_PERSONA_WORDS = frozenset(map(fold_name, (*PERSONA_RELATIONS, "AI", "PersonaNode")))
_COMMIT_LIMIT = 50


class MemoryGraph(OverStore):
    """Facts, tasks and the chain of turns of every character in every conversation.

    `MemoryGraph.open(data_dir)` for library use; over an open store in the bot. Thread-safe.
    Refusals are answers, not exceptions: every tool's result has `.ok` and `.text`.
    """

    def __init__(
        self,
        store: Store,
        policy: Policy = ISOLATED,
        single_valued: Iterable[str] = SINGLE_VALUED,
    ) -> None:
        super().__init__(store)
        self._policy = policy
        self._single_valued = frozenset(single_valued)
        self._log = TurnLog(store, policy)

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
            if not persona_allowed and _sets_persona(connection, scope, place_id, checked):
                return answers.commit_refused(["群里只有管理员能改角色的人设"])
            circumstances = Said(scope=scope, at=at, turn_id=turn_id, words=said)
            written = write_triplets(connection, place_id, circumstances, checked, self._single_valued)
            superseded = self._facts(connection, scope, written.superseded)
        return answers.committed(written.ids, written.added, written.seen_again, superseded)

    def memory_recall(self, scope: Scope, query_intent: str, depth: int = 2) -> RecallResult:
        """Find facts by names and words, as far as the scope's conversation may know them (R2.9).

        Args:
            scope: who asks where.
            query_intent: names and words, split at `, ， 、 ; ；` and blanks; the seed's two forced
                queries answer with the persona and with the task chain.
            depth: how many steps to follow edges, clamped to 1–3.
        """
        words = {fold_name(word) for word in keywords(query_intent)}
        if words and words <= _CHAIN_WORDS:
            return RecallResult(ok=True, text=self.task_chain(scope).text)
        with self._store.database.read() as connection:
            search = self._search(connection, scope)
            if len(words) > 1 and words <= _PERSONA_WORDS:
                return self._persona(search, scope)
            found = recall(search, query_intent, min(max(depth, 1), 3))
            facts = facts_of(search, found[:FACTS_LIMIT])
            return self._recalled(search, facts, len(found))

    def memory_purge(
        self,
        scope: Scope,
        subject: str,
        relation: str | None = None,
        object: str | None = None,
        replacement: str | None = None,
    ) -> PurgeResult:
        """Close facts of this conversation, by exact names; undoable for 30 days (R2.10).

        Args:
            scope: who asks where; in a group, people take back what they said or what is about
                them.
            subject: the exact name.
            relation: the exact label.
            object: the exact text.
            replacement: the object that takes the place of the closed one.
        """
        subject, relation, object = tidy(subject), tidy(relation or ""), tidy(object or "")
        new = None if replacement is None else tidy(replacement)
        wrong = _purge_wrong(subject, relation, object, new)
        if wrong:
            return answers.purge_refused(wrong)
        with self._store.database.write() as connection:
            place_id = known_place(connection, scope.character_id, scope.conversation_id)
            if place_id is None:
                return answers.purge_refused(f"没有叫 {subject!r} 的")
            wanted = Wanted(subject, relation, object, new)
            return purge(self._search(connection, scope), place_id, scope, wanted, self._store.clock())

    def undo_purge(self, scope: Scope) -> PurgeResult:
        """Bring back what the last purge of this conversation closed, for 30 days (R2.10)."""
        with self._store.database.write() as connection:
            place_id = known_place(connection, scope.character_id, scope.conversation_id)
            if place_id is None:
                return answers.undone([])
            search = self._search(connection, scope)
            return answers.undone(undo(search, place_id, scope, self._store.clock()))

    def fact_history(
        self, scope: Scope, subject: str, relation: str | None = None, limit: int = 20
    ) -> tuple[Fact, ...]:
        """What held of a subject before and no longer does, newest first (R2.5).

        Purged facts are not part of it.
        """
        with self._store.database.read() as connection:
            search = self._search(connection, scope)
            return history(search, scope, tidy(subject), relation, limit)

    def import_triplets(self, triplets: Iterable[tuple[Scope, Any]]) -> ImportResult:
        """Write many facts fast: pairs of a scope and a triplet, in chunks of one transaction each.

        A triplet is as in `memory_commit`, and may say `at` (timezone-aware). Those that can't be
        taken are counted and passed over; the same import can be run again.
        """
        return import_triplets(self._store, triplets, self._single_valued)

    # ---- persona

    def set_persona(
        self,
        character_id: str,
        attributes: Mapping[str, str],
        conversation_id: str | None = None,
    ) -> None:
        """Make these the character's traits, everywhere or in one conversation (R2.7).

        Traits set there before and not named now end.

        Raises:
            InvalidInput: a trait without name or value.
        """
        at = self._store.clock()
        with self._store.database.write() as connection:
            write_persona(connection, character_id, attributes, conversation_id, at)

    # ---- tasks and turns

    def task_create(
        self,
        scope: Scope,
        task_id: str,
        description: str,
        info_nodes: Iterable[str] = (),
        *,
        turn_id: int | None = None,
    ) -> TaskResult:
        """Start a task, or update and resume the one of this id; others are paused (R2.11).

        The id of the turn itself (`Task_{turn}`) only sets that turn's gist.
        """
        at = self._store.clock()
        with self._store.database.write() as connection:
            self._enter(connection, scope, None, at)
            return tasks.create_task(connection, scope, task_id, description, info_nodes, at, turn_id)

    def task_set_state(
        self, scope: Scope, task_id: str, state: str, *, turn_id: int | None = None
    ) -> TaskResult:
        """Move a task to 进行中, 已暂停, 已完成 or 已取消, as far as that is allowed (R2.11)."""
        at = self._store.clock()
        with self._store.database.write() as connection:
            return tasks.set_state(connection, scope, task_id, state, at, turn_id)

    def task_chain(self, scope: Scope) -> TaskChain:
        """The working memory of this conversation, bounded (R2.15)."""
        with self._store.database.read() as connection:
            return chain.task_chain(connection, scope, self._zone())

    def open_turn(self, scope: Scope, speaker: str, text: str, source_ids: Iterable[str] = ()) -> int:
        """Keep what was said as an open turn, before anything else is done with it (R4.1).

        Args:
            scope: who spoke to whom where.
            speaker: what they are called there.
            text: what they said.
            source_ids: the message ids it came from.

        Returns:
            The turn's id; its task id is `Task_{id}`.
        """
        at = self._store.clock()
        with self._store.database.write() as connection:
            self._enter(connection, scope, speaker, at)
            return chain.add_turn(connection, scope, speaker, text, source_ids, at)

    def complete_turn(self, turn_id: int, *, reply: str, speaker: str, gist: str = "") -> None:
        """Close a turn with the character's reply (R2.14).

        Args:
            turn_id: an open turn.
            reply: what the character said; it can be found from now on.
            speaker: the character's name.
            gist: the turn in short; without it the model's own (`task_create` with the turn's id)
                or both sides' first words.

        Raises:
            InvalidInput: there is no such open turn.
        """
        at = self._store.clock()
        with self._store.database.write() as connection:
            chain.answer_turn(connection, turn_id, reply, speaker, gist, at)

    def leave_unanswered(self, turn_id: int) -> None:
        """Close an open turn that got no reply; what was said in it stays (R2.14)."""
        at = self._store.clock()
        with self._store.database.write() as connection:
            chain.leave_turn(connection, turn_id, at)

    def close_unanswered(self, opened_until: datetime | None = None) -> int:
        """Mark turns a former run left open as unanswered; returns how many (R4.1).

        Args:
            opened_until: only those opened until then; without it, all. Where several processes
                share a database, those of others may still be answered.
        """
        now = self._store.clock()
        with self._store.database.write() as connection:
            return chain.close_open_turns(connection, opened_until or now, now)

    def recall_back(self, scope: Scope, text: str) -> BackRecall:
        """What a message may mean by 刚才, 上次, 那个东西 …; empty when it does not point back (R2.16)."""
        if not points_back(text):
            return BackRecall(ok=True, text="")
        with self._store.database.read() as connection:
            search = self._search(connection, scope)
            return look_back(search, self._log, scope, text, self._zone())

    # ---- inside

    def _enter(self, connection: Connection, scope: Scope, speaker: str | None, at: datetime) -> int:
        """Somebody speaks somewhere: their presence, their name there, and the place."""
        note_presence(connection, scope.user_id, scope.conversation_id, at)
        place_id = place_of(connection, scope.character_id, scope.conversation_id)
        if speaker:
            note_alias(connection, scope, place_id, speaker, at)
        return place_id

    def _search(self, connection: Connection, scope: Scope) -> Search:
        viewer: Viewer = viewer_of(connection, scope)
        known = places_of(connection, scope.character_id, reachable(viewer, self._policy))
        return Search(connection, viewer, self._policy, known, self._single_valued)

    def _facts(self, connection: Connection, scope: Scope, shown: Sequence[Edge]) -> list[Fact]:
        if not shown:
            return []
        search = self._search(connection, scope)
        return facts_of(search, shown)

    def _persona(self, search: Search, scope: Scope) -> RecallResult:
        traits = persona_in(search.connection, scope.character_id, scope.conversation_id)
        places = {edge.place_id: "" for edge in traits} | dict(search.places)
        facts = facts_of(replace(search, places=places), traits)
        lines = trait_lines(facts)
        return answers.recalled(facts[: len(lines)], lines, len(facts) - len(lines))

    def _recalled(self, search: Search, facts: Sequence[Fact], number: int) -> RecallResult:
        users = {fact.user_id for fact in facts}
        said_by = people_names(search, users)
        lines = fact_lines(facts, said_by, self._zone())
        return answers.recalled(facts[: len(lines)], lines, number - len(lines))

    def _zone(self) -> tzinfo | None:
        return self._store.clock().tzinfo


def _purge_wrong(subject: str, relation: str, object: str, new: str | None) -> str:
    if not subject:
        return "请写明 subject"
    if not relation and not object:
        return "只写主语会删掉太多，请写明 relation 或 object"
    if new is not None and not 0 < len(new) <= OBJECT_LIMIT:
        return f"replacement 需要 1 到 {OBJECT_LIMIT} 字"
    return ""


def _sets_persona(connection: Connection, scope: Scope, place_id: int, checked: Sequence[Triplet]) -> bool:
    who = resolve(connection, scope, place_id, [triplet.subject for triplet in checked])
    return any(is_persona(who[triplet.subject], triplet.relation) for triplet in checked)
