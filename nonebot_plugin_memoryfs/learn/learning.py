"""Learning over the rooms: what is due, filing, review, taking back; each one transaction (R4.8–R4.12)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ..character import Card
from ..character.relationship import change_relationship, relationship_for, stages
from ..graph import MemoryGraph
from ..memory import Entry, MemoryFS
from ..memory.learnt import Known
from ..model import Question
from ..prompt import PromptManager
from ..prompt.note import message_source
from ..scope import Policy, Scope, Viewer
from ..storage import Store
from ..storage.presence import viewer_of
from ..storage.usage import LEARN, Spent
from ..text.folding import fold_sentence
from .attribution import sources
from .batches import Batch, Key, Line, is_due, postpone, read_batch, settle_batch, tried
from .budget import Budget
from .extraction import extraction_question
from .items import Extraction, ReviewOutput
from .review import RELATION, review
from .router import Filed, Router

_KNOWN_EACH = 12
"""Newest entries of a file that an extraction is shown."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A batch, and what is to be asked about it."""

    batch: Batch
    known: tuple[Known, ...]
    question: Question[Extraction] | None
    """`None` where nothing in it can be learnt from."""


class Learning:
    """What is learnt of every conversation. Synchronous and thread-safe."""

    def __init__(
        self,
        store: Store,
        graph: MemoryGraph,
        memory: MemoryFS,
        prompts: PromptManager,
        *,
        policy: Policy,
        budget: Budget,
        every: int,
        card_of: Callable[[str], Card],
        zone: tzinfo,
    ) -> None:
        """Learn over open rooms.

        Args:
            store: where all is kept.
            graph: facts and turns.
            memory: the files things are filed in.
            prompts: its notes take items of type `short` (R3.6).
            policy: what the operator allows beyond the default isolation (R1.17).
            budget: what a day allows.
            every: learn after so many turns; 0 never (R4.10).
            card_of: character id → its card.
            zone: in which times are told.
        """
        self.budget = budget
        self._store = store
        self._graph = graph
        self._memory = memory
        self._policy = policy
        self._every = every
        self._card_of = card_of
        self._zone = zone
        self._prompts = prompts
        self._router = Router(memory, prompts)

    @property
    def clock(self) -> Callable[[], datetime]:
        """The time, timezone-aware."""
        return self._store.clock

    # ---- extraction

    def next(self, key: Key, every: int | None = None) -> Prepared | None:
        """The batch that is to be learnt now; `None` where none is due (R4.8, R4.10).

        Args:
            key: whose.
            every: how many turns make a batch due, if not as many as the setting says.
        """
        every = self._every if every is None else every
        now = self._store.clock()
        with self._store.database.read() as connection:
            if not every or not is_due(connection, key, every, now):
                return None
            if self.budget.learning_is_spent(connection, now):
                return None
            batch = read_batch(connection, key)
        if not batch.lines:
            return Prepared(batch, (), None)
        known, digest = self._known(batch)
        name = self._card_of(batch.character_id).name
        question = extraction_question(batch, known, digest, name, now, self._zone)
        return Prepared(batch, known, question)

    def file(self, prepared: Prepared, extraction: Extraction, spent: Spent) -> Filed | None:
        """File what was learnt and begin the count anew, both or neither (R4.8).

        Returns:
            What was filed; `None` where the batch is no longer what was asked about: a message was taken
            back, corrected or learnt meanwhile. It is then due again.
        """
        batch, now = prepared.batch, self._store.clock()
        with self._store.database.write() as connection:
            self.budget.count(connection, now, LEARN, spent)
            if read_batch(connection, batch.key, batch.last) != batch:
                return None
            filed = self._router.file(batch, extraction.items, prepared.known)
            settle_batch(connection, batch)
        return filed

    def postpone(self, batch: Batch, spent: Spent) -> datetime:
        """Keep a batch whose call failed; returns when it is tried again (R4.10)."""
        now = self._store.clock()
        with self._store.database.write() as connection:
            self.budget.count(connection, now, LEARN, spent)
            return postpone(connection, batch, now)

    def tried(self) -> list[Key]:
        """The conversations whose last try failed."""
        with self._store.database.read() as connection:
            return tried(connection)

    def _known(self, batch: Batch) -> tuple[tuple[Known, ...], Entry | None]:
        """The entries of this conversation an extraction may correct, and its digest.

        Entries of other conversations are not shown: others read what is learnt here (R1.17, R2.5).
        """
        memory, character = self._memory, batch.character_id
        shown: list[Known] = []
        digest: Entry | None = None
        for user_id in batch.speakers:
            viewer = Viewer(character, user_id, batch.conversation_id)
            paths = [memory.path_user_persona(character, user_id)]
            paths.append(memory.path_character_persona(character, user_id))
            for path in paths:
                shown += self._here(viewer, path, batch)
            written = self._here(viewer, memory.path_recent_digest(character, user_id), batch)
            digest = max(
                (digest, *(one.entry for one in written)),
                key=lambda entry: entry.at.timestamp() if entry and entry.at else 0.0,
            )
        events = memory.path_important_events(character, batch.conversation_id)
        viewer = Viewer(character, next(iter(batch.speakers)), batch.conversation_id)
        return (*shown, *self._here(viewer, events, batch)), digest

    def _here(self, viewer: Viewer, path: str, batch: Batch) -> list[Known]:
        known = self._memory.learnt.known(viewer, [path])
        return [one for one in known if one.entry.conversation_id == batch.conversation_id][-_KNOWN_EACH:]

    # ---- review

    def relationship(self, viewer: Viewer) -> str:
        """How the character stands to somebody, in words that seldom change (R4.12)."""
        with self._store.database.read() as connection:
            state = relationship_for(connection, viewer, self._policy)
        return f"你和现在说话的人：{'，'.join(stages(state))}。"

    def review_turn(self, scope: Scope, turn_id: int, said: str, name: str, at: datetime) -> None:
        """Review a turn by rules, in the caller's transaction."""
        with self._store.database.write() as connection:
            before = relationship_for(connection, viewer_of(connection, scope), self._policy)
        self.submit(scope, turn_id, review(said, name, before), said=said, name=name, at=at)

    def submit(
        self, scope: Scope, turn_id: int, output: ReviewOutput, *, said: str, name: str, at: datetime
    ) -> Filed:
        """File the output of a review, whoever made it (R4.12).

        Args:
            scope: who spoke to whom where.
            turn_id: the turn that was reviewed.
            output: what came of it.
            said: what the person said.
            name: what they are called.
            at: when.
        """
        line = Line(turn_id, scope.user_id, name, False, said, at)
        turn = Batch(scope.character_id, scope.conversation_id, turn_id - 1, turn_id, (line,))
        with self._store.database.write() as connection:
            viewer = viewer_of(connection, scope)
            change_relationship(connection, viewer, output.relationship.as_relationship(), at)
            items = [item.model_copy(update={"about": item.about or scope.user_id}) for item in output.items]
            if not items:
                return Filed()
            known, _ = self._known(turn)
            former = tuple(n for n, one in enumerate(known, 1) if one.entry.text.startswith(RELATION))
            items = [
                item.model_copy(update={"replaces": former}) if item.content.startswith(RELATION) else item
                for item in items
            ]
            return self._router.file(turn, items, known)

    # ---- taking back

    def withdraw(self, character_id: str, conversation_id: str, source_id: str) -> bool:
        """Take back a message and all that was stored of it alone (R4.11); whether there was one."""
        notes = self._prompts.notes
        with self._store.database.write():
            kept = notes.forget_sources([message_source(conversation_id, source_id)])
            gone = self._graph.withdraw_message(character_id, conversation_id, source_id)
            if gone is None:
                return bool(kept)
            self._memory.learnt.withdraw(
                gone.turn_id, lambda entry, alone: _was_said_in(entry, alone, gone.said, gone.left)
            )
            if not gone.left:
                notes.forget_sources([str(gone.turn_id)])
        return True


def _was_said_in(entry: Entry, alone: bool, said: str, left: str) -> bool:
    """Whether an entry goes with a message: learnt from it alone, or its very words."""
    folded = fold_sentence(said)
    if len(folded) > 1 and folded in fold_sentence(entry.text):
        return True
    if not left or not alone:
        return alone
    at = datetime.min
    lines = [Line(1, "", "", False, said, at), Line(2, "", "", False, left, at)]
    return sources(entry.text, lines) == (1,)
