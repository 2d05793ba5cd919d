"""Facts as the operator reads and mends them: of everybody, by number (R7.6 b).

Every other read of the graph is for a viewer; this one is for whoever runs the bot, and for no prompt.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, or_, select

from ..errors import InvalidInput, Outdated
from ..scope import Scope, scope_in
from ..search.places import chunks
from ..storage.tables import LIVE_EDGE, PURGED_EDGE, aliases, edge_turns, edges, nodes, places
from ..text.folding import fold_name
from .commit import Said
from .edges import COLUMNS, Edge, edge_of
from .kinds import EdgeKind
from .nodes import CHARACTER, CHARACTER_KEY, by_id, find, person_key
from .over_graph import OverGraph
from .purge import UNDO_FOR, take_back
from .triplets import OBJECT_LIMIT, tidy
from .undo import reopen

_FACT_KINDS = (EdgeKind.RELATES_TO.value, EdgeKind.HAS_PERSONA.value)
_IS_FACT = (places.c.character_id == bindparam("character_id"), edges.c.kind.in_(_FACT_KINDS), LIVE_EDGE)
_IN_PLACES = edges.join(places, places.c.id == edges.c.place_id)
_SAID_BY = (
    select(edges.c.id).select_from(_IN_PLACES).where(*_IS_FACT, edges.c.user_id == bindparam("user_id"))
)
_ABOUT = (
    select(edges.c.id).select_from(_IN_PLACES).where(*_IS_FACT, edges.c.subject_id == bindparam("node_id"))
)
_WITH_PLACE = (*COLUMNS, edges.c.purged, places.c.character_id, places.c.conversation_id)
_BY_ID = select(*_WITH_PLACE).select_from(_IN_PLACES).where(edges.c.id.in_(bindparam("ids", expanding=True)))
_OF_TURNS = (
    select(edge_turns.c.turn_id, edge_turns.c.edge_id)
    .where(edge_turns.c.turn_id.in_(bindparam("turn_ids", expanding=True)))
    .order_by(edge_turns.c.edge_id)
)
_TAKEN_BACK = (
    select(edges.c.id)
    .select_from(_IN_PLACES)
    .where(
        places.c.character_id == bindparam("character_id"),
        edges.c.kind.in_(_FACT_KINDS),
        PURGED_EDGE,
        edges.c.valid_to >= bindparam("oldest"),
        or_(edges.c.user_id == bindparam("user_id"), edges.c.subject_id == bindparam("node_id")),
    )
    .order_by(edges.c.valid_to.desc(), edges.c.id.desc())
    .limit(bindparam("newest"))
)
_NAMES = (
    select(aliases.c.node_id, aliases.c.name)
    .where(aliases.c.node_id.in_(bindparam("node_ids", expanding=True)))
    .order_by(aliases.c.seen_at, aliases.c.name)
)
_PEOPLE = (
    select(nodes.c.id, nodes.c.user_id)
    .where(
        nodes.c.character_id == bindparam("character_id"),
        nodes.c.key >= person_key(""),
        nodes.c.key < person_key("\U0010ffff"),
    )
    .order_by(nodes.c.key)
)
_CHARACTERS = select(places.c.character_id).distinct()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFact:
    """A fact as it is kept, with the names people go by."""

    id: int
    character_id: str
    conversation_id: str
    user_id: str
    """Who said it last."""
    speaker: str
    """What they are called."""
    subject: str
    relation: str
    object: str
    inferred: bool
    sightings: int
    first_seen: datetime
    last_seen: datetime
    live: bool
    """Whether it holds."""
    undoable: bool
    """Whether it was taken back, and can be brought back."""


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """Somebody who spoke, or was spoken of by their id."""

    user_id: str
    name: str
    """What they were called last; empty if never by a name."""


class FactReview(OverGraph):
    """The facts of a store before the eyes of whoever runs the bot."""

    def facts(
        self, character_id: str, user_id: str | None, limit: int, offset: int = 0
    ) -> tuple[list[StoredFact], int]:
        """What holds of a person or was said by them, newest first, and how much there is in all.

        Args:
            character_id: of which character's memory.
            user_id: of whom; `None` for the character itself.
            limit: at most so many.
            offset: how many of the newest to pass over.
        """
        key = CHARACTER_KEY if user_id is None else person_key(user_id)
        with self._store.database.read() as connection:
            node_id, _ = find(connection, character_id, [key]).get(key, (0, None))
            where = {"character_id": character_id, "user_id": user_id, "node_id": node_id}
            ids = set(connection.scalars(_ABOUT, where))
            if user_id is not None:
                ids.update(connection.scalars(_SAID_BY, where))
            newest = sorted(ids, reverse=True)[offset : offset + limit]
            return self._facts(connection, newest), len(ids)

    def facts_by_id(self, ids: Iterable[int]) -> list[StoredFact]:
        """Those of these facts that are still kept, in this order, live or not."""
        with self._store.database.read() as connection:
            return self._facts(connection, list(ids))

    def facts_of_turn(self, turn_id: int) -> list[StoredFact]:
        """The facts that were said in a turn."""
        return self.facts_of_turns([turn_id]).get(turn_id, [])

    def facts_of_turns(self, turn_ids: Iterable[int]) -> dict[int, list[StoredFact]]:
        """Turn → the facts that were said in it; without those in which none was."""
        told: dict[int, list[StoredFact]] = {}
        with self._store.database.read() as connection:
            rows = [r for ids in chunks(turn_ids) for r in connection.execute(_OF_TURNS, {"turn_ids": ids})]
            facts = {fact.id: fact for fact in self._facts(connection, [*{row.edge_id for row in rows}])}
        for row in rows:
            told.setdefault(row.turn_id, []).append(facts[row.edge_id])
        return told

    def taken_back(self, character_id: str, user_id: str | None, limit: int) -> list[StoredFact]:
        """What was taken back or corrected and can be brought back, the latest first.

        Args:
            character_id: of which character's memory.
            user_id: about whom, or said by whom; `None` for the character itself.
            limit: at most so many.
        """
        key = CHARACTER_KEY if user_id is None else person_key(user_id)
        oldest = self._store.clock() - UNDO_FOR
        with self._store.database.read() as connection:
            node_id, _ = find(connection, character_id, [key]).get(key, (0, None))
            where = {"character_id": character_id, "user_id": user_id, "node_id": node_id}
            ids = connection.scalars(_TAKEN_BACK, {**where, "oldest": oldest, "newest": limit}).all()
            return self._facts(connection, ids)

    def people(self, character_id: str) -> list[KnownPerson]:
        """Everybody the character knows by id, in the order of their ids."""
        with self._store.database.read() as connection:
            rows = connection.execute(_PEOPLE, {"character_id": character_id}).all()
            names = _names(connection, [row.id for row in rows])
            return [KnownPerson(row.user_id, names.get(row.id, "")) for row in rows]

    def name_of(self, character_id: str, user_id: str) -> str:
        """What somebody was called last, or their id."""
        with self._store.database.read() as connection:
            named = _speakers(connection, [character_id], {person_key(user_id): user_id})
            return named.get((character_id, user_id)) or user_id

    def characters(self) -> list[str]:
        """The characters that have been spoken to."""
        with self._store.database.read() as connection:
            return sorted(connection.scalars(_CHARACTERS))

    def correct(self, fact_id: int, object: str, *, expected: str) -> StoredFact:
        """Give a fact another object; the former one can be brought back for 30 days.

        Args:
            fact_id: which.
            object: what holds instead.
            expected: its object as last seen; a fact that says something else is not touched.

        Raises:
            InvalidInput: there is no such fact, or the object is blank, too long or the same.
            Outdated: it no longer says so.
        """
        new = tidy(object)
        if not 0 < len(new) <= OBJECT_LIMIT:
            raise InvalidInput(f"新内容需要 1 到 {OBJECT_LIMIT} 字")
        if fold_name(new) == fold_name(expected):
            raise InvalidInput("新内容和原来的一样")
        with self._store.database.write() as connection:
            return self._change(connection, fact_id, expected, new)

    def purge(self, fact_id: int, *, expected: str) -> StoredFact:
        """Take a fact back; it can be brought back for 30 days.

        Raises:
            InvalidInput: there is no such fact.
            Outdated: it no longer says so.
        """
        with self._store.database.write() as connection:
            return self._change(connection, fact_id, expected, None)

    def bring_back(self, fact_id: int) -> StoredFact:
        """Let a fact that was taken back or corrected hold again.

        Raises:
            InvalidInput: there is no such fact, or the 30 days are over.
            Outdated: it holds.
        """
        now = self._store.clock()
        with self._store.database.write() as connection:
            fact, edge = self._one(connection, fact_id)
            if fact.live:
                raise Outdated("这条已经恢复了")
            if not fact.undoable or edge.valid_to is None:
                raise InvalidInput(f"这条不能撤销了（只能撤销 {UNDO_FOR.days} 天内的）")
            reopen(self._search(connection, _scope_of(fact)), edge.place_id, edge.valid_to, now)
            return self._one(connection, fact_id)[0]

    def _change(self, connection: Connection, fact_id: int, expected: str, new: str | None) -> StoredFact:
        fact, edge = self._one(connection, fact_id)
        if not fact.live or fact.object != expected:
            raise Outdated("这条事实已经变了，请重新查看后再改")
        scope = _scope_of(fact)
        said = Said(scope=scope, at=self._store.clock())
        search = self._search(connection, scope)
        take_back(search, edge.place_id, said, [edge], new)
        if new is None:
            return self._one(connection, fact_id)[0]
        replaced = edge_of(connection.execute(select(*COLUMNS).where(edges.c.id == fact_id)).one())
        return self._one(connection, replaced.superseded_by or fact_id)[0]

    def _one(self, connection: Connection, fact_id: int) -> tuple[StoredFact, Edge]:
        found = self._rows(connection, [fact_id])
        if not found:
            raise InvalidInput(f"没有编号为 {fact_id} 的事实")
        return self._told(connection, found)[0], edge_of(found[0][: len(COLUMNS)])

    def _facts(self, connection: Connection, ids: Sequence[int]) -> list[StoredFact]:
        place = {fact_id: number for number, fact_id in enumerate(ids)}
        rows = sorted(self._rows(connection, ids), key=lambda row: place[row.id])
        return self._told(connection, rows)

    def _rows(self, connection: Connection, ids: Sequence[int]) -> list[Any]:
        return [row for chunk in chunks(ids) for row in connection.execute(_BY_ID, {"ids": chunk})]

    def _told(self, connection: Connection, rows: Sequence[Any]) -> list[StoredFact]:
        called: dict[int, str] = {}
        people = {person_key(row.user_id): row.user_id for row in rows}
        speakers = _speakers(connection, {row.character_id for row in rows}, people)
        ends = by_id(connection, {node for row in rows for node in (row.subject_id, row.object_id)})
        names = _names(connection, [n.id for n in ends.values() if n.user_id is not None])
        called |= {n.id: names.get(n.id) or n.user_id or "" for n in ends.values() if n.user_id is not None}
        called |= {n.id: CHARACTER for n in ends.values() if n.key == CHARACTER_KEY}
        oldest = self._store.clock() - UNDO_FOR
        return [
            StoredFact(
                id=row.id,
                character_id=row.character_id,
                conversation_id=row.conversation_id,
                user_id=row.user_id,
                speaker=speakers.get((row.character_id, row.user_id)) or row.user_id,
                subject=called.get(row.subject_id) or str(row.subject),
                relation=row.relation,
                object=called.get(row.object_id) or str(row.object),
                inferred=row.inferred,
                sightings=row.sightings,
                first_seen=row.first_seen,
                last_seen=row.last_seen,
                live=row.valid_to is None,
                undoable=row.purged and row.valid_to is not None and row.valid_to >= oldest,
            )
            for row in rows
        ]


def _speakers(
    connection: Connection, character_ids: Iterable[str], people: dict[str, str]
) -> dict[tuple[str, str], str]:
    """Character and user id → what that user is called."""
    speakers: dict[tuple[str, str], str] = {}
    for character_id in character_ids:
        found = {node_id: key for key, (node_id, _) in find(connection, character_id, people).items()}
        names = _names(connection, list(found))
        speakers.update({(character_id, people[found[n]]): name for n, name in names.items()})
    return speakers


def _names(connection: Connection, node_ids: Sequence[int]) -> dict[int, str]:
    """Person → what they were called last, anywhere."""
    found: dict[int, str] = {}
    for chunk in chunks(node_ids):
        found.update((row.node_id, row.name) for row in connection.execute(_NAMES, {"node_ids": chunk}))
    return found


def _scope_of(fact: StoredFact) -> Scope:
    """Where a fact was said, and by whom."""
    return scope_in(fact.character_id, fact.conversation_id, fact.user_id)
