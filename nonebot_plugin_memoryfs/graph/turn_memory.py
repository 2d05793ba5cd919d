"""The working memory as other rooms and plugins use it: tasks, turns, and looking back (R2.11–R2.16)."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import bindparam, select

from ..errors import InvalidInput
from ..scope import Scope, check_scope
from ..search.corrections import corrected, superseded_objects
from ..search.turn_log import Hit
from ..storage.tables import edge_turns, edges
from ..text.given import not_list, not_text, not_texts, not_whole, not_whole_or_none
from ..text.references import points_back
from . import chain, tasks
from .back import look_back
from .corrections import corrected_hits
from .over_graph import OverGraph
from .recall import Search
from .results import BackRecall, ChainTask, TaskChain, TaskResult, Turn
from .withdrawal import Withdrawn, withdraw_facts, withdraw_message

_OBJECTS = (
    select(edges.c.object)
    .join(edge_turns, edge_turns.c.edge_id == edges.c.id)
    .where(edge_turns.c.turn_id == bindparam("of_turn"))
)


class TurnMemory(OverGraph):
    """Tasks and the chain of turns of every character in every conversation."""

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

        The id of the turn itself (`Task_{turn}`) only sets that turn's gist; that of another turn is
        refused.

        Args:
            scope: who speaks to whom where.
            task_id: the exact id.
            description: what it is about, and how far it has come.
            info_nodes: names of what the task needs at hand.
            turn_id: the turn in which it is called; without it, every open turn of this conversation
                counts as the turn itself.
        """
        check_scope(scope)
        wrong = not_text(task_id=task_id, description=description) or not_list(info_nodes=info_nodes)
        if wrong := wrong or not_whole_or_none(turn_id=turn_id):
            return tasks.refused(str(task_id), wrong)
        names = list(info_nodes)
        if wrong := not_texts(info_nodes=names):
            return tasks.refused(task_id, wrong)
        at = self._store.clock()
        with self._store.database.write() as connection:
            self._enter(connection, scope, None, at)
            return tasks.create_task(connection, scope, task_id, description, names, at, turn_id)

    def task_set_state(
        self, scope: Scope, task_id: str, state: str, *, turn_id: int | None = None
    ) -> TaskResult:
        """Move a task to 进行中, 已暂停, 已完成 or 已取消, as far as that is allowed (R2.11)."""
        check_scope(scope)
        if wrong := not_text(task_id=task_id, state=state) or not_whole_or_none(turn_id=turn_id):
            return tasks.refused(str(task_id), wrong)
        at = self._store.clock()
        with self._store.database.write() as connection:
            return tasks.set_state(connection, scope, task_id, state, at, turn_id)

    def tasks(self, scope: Scope) -> tuple[ChainTask, ...]:
        """The explicit tasks of this conversation: in progress, paused, then the last that ended (R2.11)."""
        check_scope(scope)
        with self._store.database.read() as connection:
            return chain.explicit_tasks(connection, scope)

    def task_chain(self, scope: Scope) -> TaskChain:
        """The working memory of this conversation, bounded (R2.15)."""
        check_scope(scope)
        with self._store.database.read() as connection:
            return chain.task_chain(connection, scope, self._zone())

    def open_turn(
        self,
        scope: Scope,
        speaker: str,
        text: str,
        source_ids: Iterable[str] = (),
        *,
        at: datetime | None = None,
    ) -> int:
        """Keep what was said as an open turn, before anything else is done with it (R4.1).

        Args:
            scope: who spoke to whom where.
            speaker: what they are called there.
            text: what they said.
            source_ids: the message ids it came from.
            at: when they said it, timezone-aware; without it, now.

        Returns:
            The turn's id; its task id is `Task_{id}`.

        Raises:
            InvalidInput: `at` has no time zone, or an argument is not of its type.
        """
        check_scope(scope)
        if wrong := not_text(speaker=speaker, text=text) or not_list(source_ids=source_ids):
            raise InvalidInput(wrong)
        sources = list(source_ids)
        if wrong := not_texts(source_ids=sources):
            raise InvalidInput(wrong)
        at = at or self._store.clock()
        if at.tzinfo is None:
            raise InvalidInput(f"时间需要带时区，收到的是 {at!r}")
        with self._store.database.write() as connection:
            self._enter(connection, scope, speaker, at)
            return chain.add_turn(connection, scope, speaker, text, sources, at)

    def complete_turn(self, turn_id: int, *, reply: str, speaker: str, gist: str = "") -> None:
        """Close a turn with the character's reply (R2.14).

        Args:
            turn_id: an open turn.
            reply: what the character said; it can be found from now on.
            speaker: the character's name.
            gist: the turn in short; without it the model's own (`task_create` with the turn's id)
                or both sides' first words.

        Raises:
            InvalidInput: there is no such open turn, or an argument is not of its type.
        """
        if wrong := not_whole(turn_id=turn_id) or not_text(reply=reply, speaker=speaker, gist=gist):
            raise InvalidInput(wrong)
        at = self._store.clock()
        with self._store.database.write() as connection:
            chain.answer_turn(connection, turn_id, reply, speaker, gist, at)

    def join_turns(self, turn_id: int, others: Sequence[int]) -> None:
        """Make open turns of one person one; `others` are no turns any more (R4.4)."""
        with self._store.database.write() as connection:
            chain.join_turns(connection, turn_id, others)

    def leave_unanswered(self, turn_id: int) -> None:
        """Close an open turn that got no reply; what was said in it stays (R2.14)."""
        at = self._store.clock()
        with self._store.database.write() as connection:
            chain.leave_turn(connection, turn_id, at)

    def open_turns(self) -> list[chain.OpenTurn]:
        """The turns that wait for an answer, oldest first; after a kill, those it cut off (R4.1)."""
        with self._store.database.read() as connection:
            return chain.open_turns(connection)

    def stated_in(self, turn_id: int) -> list[str]:
        """The objects of the facts that were committed in a turn."""
        with self._store.database.read() as connection:
            return list(connection.scalars(_OBJECTS, {"of_turn": turn_id}))

    def close_unanswered(self, opened_until: datetime | None = None) -> int:
        """Mark turns a former run left open as unanswered; returns how many (R4.1).

        Args:
            opened_until: only those opened until then; without it, all. Where several processes
                share a database, those of others may still be answered.
        """
        now = self._store.clock()
        with self._store.database.write() as connection:
            return chain.close_open_turns(connection, opened_until or now, now)

    def open_text(self, turn_id: int) -> str | None:
        """What was said in an open turn; `None` once it is closed, or was taken back meanwhile (R4.11)."""
        with self._store.database.read() as connection:
            return chain.open_text(connection, turn_id)

    @contextmanager
    def while_open(self, turn_id: int) -> Generator[bool]:
        """One transaction for what is written in a turn: whether that may be.

        It may not once its message was taken back (R4.11), what it belongs to was erased, or anything was
        that it may have recalled (R7.4).
        """
        with self._store.database.write() as connection:
            yield chain.may_write(connection, turn_id)

    def withdraw_message(self, character_id: str, conversation_id: str, source_id: str) -> Withdrawn | None:
        """Take back what a message said and the facts it alone stated (R4.11).

        Args:
            character_id: who heard it.
            conversation_id: where.
            source_id: the platform's id of the message.

        Returns:
            What was taken back; `None` where no turn came from the message.
        """
        with self._store.database.write() as connection:
            return withdraw_message(connection, character_id, conversation_id, source_id)

    def withdraw_facts(self, turn_id: int, opened_at: datetime) -> int:
        """Take back the facts of a turn whose message was withdrawn while it was answered (R4.11)."""
        with self._store.database.write() as connection:
            return withdraw_facts(connection, turn_id, opened_at)

    def recall_back(
        self,
        scope: Scope,
        text: str,
        search: Search | None = None,
        *,
        newest: Sequence[Turn] | None = None,
        found: Sequence[Hit] | None = None,
    ) -> BackRecall:
        """What a message may mean by 刚才, 上次, 那个东西 …; empty when it does not point back (R2.16).

        Args:
            scope: who asks where.
            text: the message.
            search: what `searching` gave, inside its transaction.
            newest: the newest turns of the scope's chain, where they were read in this transaction.
            found: what the log found for the message without the words that point back, where it was asked.
        """
        check_scope(scope)
        if wrong := not_text(text=text):
            return BackRecall(ok=False, text=f"没有查找：{wrong}。")
        if not points_back(text):
            return BackRecall(ok=True, text="")
        with self._store.database.read() as connection:
            search = search or self._search(connection, scope)
            newest = chain.newest_turns(connection, scope) if newest is None else newest
            return look_back(search, self._log, scope, text, self._zone(), newest, found)

    def with_corrections(self, scope: Scope, hits: Sequence[Hit], search: Search | None = None) -> list[Hit]:
        """Hits as they may be shown: `（已更正）` for a text that states what was superseded (R1.19)."""
        with self._store.database.read() as connection:
            return corrected_hits(search or self._search(connection, scope), hits)

    def corrected_texts(
        self, scope: Scope, turn_ids: Mapping[str, int], search: Search | None = None
    ) -> dict[str, str]:
        """Texts as they may be shown: `（已更正）` for one that states what was superseded (R1.19).

        Args:
            scope: for whom.
            turn_ids: each text with the turn it comes from.
            search: the scope's, where there is one already.
        """
        with self._store.database.read() as connection:
            places = (search or self._search(connection, scope)).places
            objects = superseded_objects(connection, turn_ids.values(), places)
        return {text: corrected(text, objects.get(turn_id, ())) for text, turn_id in turn_ids.items()}
