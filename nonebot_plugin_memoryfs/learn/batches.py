"""Counter and batch of a conversation: the closed turns nothing was learnt from yet (R4.8, R4.10).

`learning.learnt_to` is persisted; the counter is what lies behind it. So a restart loses no turn and counts
none twice, and it is reset by nothing but storing a batch's results.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, select

from ..scope import kind_of
from ..search.corrections import states, superseded_objects
from ..storage.learning_tables import learning
from ..storage.pauses import paused_among
from ..storage.tables import lines, turns
from ..storage.upserts import upsert
from ..text.sentences import shorten

TURNS = 60
"""Turns a batch holds at most; more that wait are learnt after it (R4.10)."""
CHARACTERS = 12_000
"""What people said in a batch, at most, in characters; one turn is taken whatever it holds."""
_LINE = 600
_RETRY_FIRST = timedelta(minutes=1)
_RETRY_LAST = timedelta(hours=6)

Key = tuple[str, str]
"""A character in a conversation."""

_NEVER: dict[str, Any] = {"learnt_to": 0, "tries": 0, "retry_at": None}
_STATE = select(learning).where(
    learning.c.character_id == bindparam("character_id"),
    learning.c.conversation_id == bindparam("conversation_id"),
)
_KEEP = upsert(learning, ("character_id", "conversation_id"), ("learnt_to", "tries", "retry_at"))
_TRIED = select(learning.c.character_id, learning.c.conversation_id).where(learning.c.tries > 0)
_BEHIND = (
    turns.c.character_id == bindparam("character_id"),
    turns.c.conversation_id == bindparam("conversation_id"),
    turns.c.id > bindparam("learnt_to"),
)
_NEXT = (
    select(turns.c.id, turns.c.user_id, turns.c.state)
    .where(*_BEHIND, turns.c.id <= bindparam("upto"))
    .order_by(turns.c.id)
    .limit(bindparam("most"))
)
_LINES = (
    select(lines.c.id, lines.c.turn_id, lines.c.user_id, lines.c.speaker, lines.c.by_character)
    .add_columns(lines.c.text, lines.c.at)
    .where(lines.c.turn_id.in_(bindparam("turn_ids", expanding=True)))
    .order_by(lines.c.turn_id, lines.c.id)
)
_LAST = 2**31 - 1

_COMMAND = re.compile(r"\s*[/／]\S")
_PLACEHOLDER = re.compile(r"\[[\u4e00-\u9fff]{2,6}\]")


@dataclass(frozen=True, slots=True)
class Line:
    """Something said in a batch."""

    turn_id: int
    user_id: str
    """Who said it, or to whom the character said it."""
    speaker: str
    by_character: bool
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns to learn from, oldest first."""

    character_id: str
    conversation_id: str
    learnt_to: int
    """The turn before it."""
    last: int
    """Its last turn."""
    lines: tuple[Line, ...]
    """What was said in it that may be learnt from."""
    tries: int = 0
    """How often learning from it has failed."""

    @property
    def key(self) -> Key:
        """Whose it is."""
        return self.character_id, self.conversation_id

    @property
    def in_group(self) -> bool:
        """Whether several people may read the conversation."""
        return kind_of(self.conversation_id) == "group"

    @property
    def spoken(self) -> tuple[Line, ...]:
        """What people said."""
        return tuple(line for line in self.lines if not line.by_character)

    @property
    def speakers(self) -> Mapping[str, str]:
        """User id → what they were called last; in order of their first words."""
        return {line.user_id: line.speaker for line in self.spoken}


def is_due(connection: Connection, key: Key, every: int, now: datetime) -> bool:
    """Whether so many turns wait, and no failed try says to wait (R4.8, R4.10)."""
    state = _state(connection, key)
    if state["retry_at"] is not None and state["retry_at"] > now:
        return False
    return len(_closed_behind(connection, key, state["learnt_to"], _LAST, every)) >= every


def read_batch(connection: Connection, key: Key, upto: int = _LAST) -> Batch:
    """The turns that come next, up to a turn; without it, as many as a batch holds."""
    state = _state(connection, key)
    closed = _closed_behind(connection, key, state["learnt_to"], upto, TURNS)
    paused = paused_among(connection, closed.values())
    corrections = superseded_objects(connection, closed)
    by_turn: dict[int, list[Line]] = {turn_id: [] for turn_id in closed}
    for row in connection.execute(_LINES, {"turn_ids": list(closed)}) if closed else ():
        text = _without(_learnable(row.text), corrections.get(row.turn_id, frozenset()))
        if text and row.user_id not in paused:
            by_turn[row.turn_id].append(
                Line(row.turn_id, row.user_id, row.speaker, row.by_character, text, row.at)
            )
    taken, kept = state["learnt_to"], list[Line]()
    room = CHARACTERS
    for turn_id, said in by_turn.items():
        said = said if any(not line.by_character for line in said) else []
        room -= sum(len(line.text) for line in said)
        if room < 0 and kept:
            break
        taken = turn_id
        kept += said
    return Batch(*key, state["learnt_to"], taken, tuple(kept), state["tries"])


def settle_batch(connection: Connection, batch: Batch) -> None:
    """The results of a batch are stored: the counter begins anew behind it (R4.8)."""
    _keep(connection, batch.key, batch.last, 0, None)


def postpone(connection: Connection, batch: Batch, now: datetime) -> datetime:
    """A try failed: the batch stays, and the next try waits twice as long as this one did (R4.10)."""
    retry_at = now + min(_RETRY_LAST, _RETRY_FIRST * 2 ** min(batch.tries, 16))
    _keep(connection, batch.key, batch.learnt_to, batch.tries + 1, retry_at)
    return retry_at


def tried(connection: Connection) -> list[Key]:
    """Where a try failed and none has succeeded since."""
    return [(row[0], row[1]) for row in connection.execute(_TRIED)]


def _state(connection: Connection, key: Key) -> Mapping[Any, Any]:
    row = connection.execute(_STATE, _names(key)).mappings().one_or_none()
    return _NEVER if row is None else row


def _keep(connection: Connection, key: Key, learnt_to: int, tries: int, retry_at: datetime | None) -> None:
    row = {**_names(key), "learnt_to": learnt_to, "tries": tries, "retry_at": retry_at}
    connection.execute(_KEEP.on(connection), row)


def _names(key: Key) -> dict[str, str]:
    return {"character_id": key[0], "conversation_id": key[1]}


def _closed_behind(connection: Connection, key: Key, learnt_to: int, upto: int, most: int) -> dict[int, str]:
    """Turn → its user, of the turns that come next; what comes behind an open one waits for it."""
    where = {**_names(key), "learnt_to": learnt_to, "upto": upto, "most": most}
    closed: dict[int, str] = {}
    for row in connection.execute(_NEXT, where):
        if row.state == "open":
            break
        closed[row.id] = row.user_id
    return closed


def _learnable(text: str) -> str:
    """What of a line may be learnt from: no commands, no pictures, no silence (R4.11)."""
    bare = _PLACEHOLDER.sub("", text).strip()
    return shorten(bare, _LINE) if bare and not _COMMAND.match(text) else ""


def _without(text: str, objects: frozenset[str]) -> str:
    """A line without what no longer holds; what else it says stays (R1.19)."""
    for thing in objects:
        text = re.sub(re.escape(thing), "…", text, flags=re.IGNORECASE) if thing else text
    return "" if states(text, objects) else text


def turn_ids(batch_lines: Iterable[Line]) -> tuple[int, ...]:
    """The turns of these lines, each once."""
    return tuple(dict.fromkeys(line.turn_id for line in batch_lines))
