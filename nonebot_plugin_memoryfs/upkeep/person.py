"""Whose rows upkeep looks for: a person's, with the chats that are theirs, or a conversation's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Select, false, or_, select

from ..scope import Policy, kind_of, private_conversation
from ..storage.tables import edges, lines, nodes, places, presence, turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """The rows of conversations, whoever spoke there. The selects are of the rows as they stand when run."""

    conversations: frozenset[str]
    """All that was said there is theirs."""

    def by(self, column: Column[Any]) -> ColumnElement[bool]:
        """Which rows are theirs by a column of user ids, wherever they stand: a conversation has none."""
        return false()

    @property
    def groups(self) -> frozenset[str]:
        """Where what is theirs was heard by others."""
        return self.conversations

    @property
    def places(self) -> Select[Any]:
        """The places of the conversations."""
        return select(places.c.id).where(places.c.conversation_id.in_(self.conversations))

    @property
    def turns(self) -> Select[Any]:
        """The turns of the conversations, and those in which they were spoken with."""
        theirs = or_(self.by(turns.c.user_id), turns.c.conversation_id.in_(self.conversations))
        return select(turns.c.id).where(theirs)

    @property
    def lines(self) -> ColumnElement[bool]:
        """Which lines are theirs: of the conversations, what they said, what the character said to them."""
        return or_(
            self.by(lines.c.user_id),
            lines.c.conversation_id.in_(self.conversations),
            lines.c.turn_id.in_(self.turns),
        )

    @property
    def nodes(self) -> Select[Any]:
        """They themselves in the graph, for each character."""
        return select(nodes.c.id).where(self.by(nodes.c.user_id))

    @property
    def edges(self) -> ColumnElement[bool]:
        """Which facts are theirs: of the conversations, said by them, about them."""
        return or_(
            self.by(edges.c.user_id),
            edges.c.subject_id.in_(self.nodes),
            edges.c.object_id.in_(self.nodes),
            edges.c.place_id.in_(self.places),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(Whose):
    """A person: their id, the chats nobody else was seen in, the groups they spoke in."""

    user_id: str
    seen_in: Mapping[str, datetime] = field(default_factory=dict[str, datetime])
    """Everywhere they were seen, with the first time (R1.17)."""

    def by(self, column: Column[Any]) -> ColumnElement[bool]:
        """Which rows carry their id."""
        return column == self.user_id

    @property
    def groups(self) -> frozenset[str]:
        """Where they were seen together with others."""
        return frozenset(self.seen_in) - self.conversations


def find_person(connection: Connection, user_id: str) -> Person:
    """The person of an id, whether anything is stored of them or not."""
    seen = select(presence.c.conversation_id, presence.c.first_at).where(presence.c.user_id == user_id)
    seen_in = {row.conversation_id: row.first_at for row in connection.execute(seen)}
    kept = select(turns.c.conversation_id).where(turns.c.user_id == user_id).distinct()
    met = {*seen_in, *connection.scalars(kept)}
    alone = {c for c in met if kind_of(c) != "group" and not _others(connection, user_id, c)}
    chats = frozenset({private_conversation(user_id), *alone})
    return Person(user_id=user_id, conversations=chats, seen_in=seen_in)


def _others(connection: Connection, user_id: str, conversation_id: str) -> bool:
    """Whether anybody else was seen in a conversation."""
    query = select(presence.c.user_id).where(
        presence.c.conversation_id == conversation_id, presence.c.user_id != user_id
    )
    return connection.execute(query.limit(1)).first() is not None


def within_reach(connection: Connection, whose: Whose, policy: Policy) -> frozenset[str]:
    """The conversations of others that what was theirs may have come into (R1.17), told from one to the next.

    The groups, those linked with them, and the chats of whoever was seen in one of these; where what is said
    in private may be told in groups, the groups they were seen in, too, and so on.
    """
    shared: set[str] = set()
    further = set(whose.groups)
    chats: set[str] = set()
    while further:
        shared = _with_linked(shared | further, policy)
        together = select(presence.c.user_id).where(presence.c.conversation_id.in_(shared))
        query = select(presence.c.conversation_id).where(presence.c.user_id.in_(together)).distinct()
        met = set(connection.scalars(query))
        chats = {c for c in met if kind_of(c) != "group"}
        further = met - chats - shared if policy.private_in_groups else set[str]()
    return frozenset(shared | chats) - whose.conversations


def around(connection: Connection, conversations: frozenset[str]) -> frozenset[str]:
    """These conversations, and all others of whoever was seen in one: what is told here may be from there."""
    people = select(presence.c.user_id).where(presence.c.conversation_id.in_(conversations))
    query = select(presence.c.conversation_id).where(presence.c.user_id.in_(people)).distinct()
    return conversations.union(connection.scalars(query))


def _with_linked(groups: set[str], policy: Policy) -> set[str]:
    """These groups, those linked with them, those linked with these, and so on."""
    found, before = groups, set[str]()
    while found != before:
        before = found
        found = found.union(*(linked for linked in policy.linked_groups if found & linked))
    return found
