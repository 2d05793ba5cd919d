"""Forgetting one thing for good, with every copy of it the person's own memory holds (R1.19, R7.3).

What others said stays theirs. All of it is one transaction.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from ..graph.edges import Edge
from ..graph.forgetting import (
    Owner,
    facts_by_id,
    facts_said_in,
    forget_facts,
    forget_lines,
    forget_turns,
    objects_left,
)
from ..memory import Entry, MemoryFS
from ..memory.paths import MemoryPath, parse_memory_path
from ..prompt.note import Note
from ..prompt.notes import Notes
from ..storage.tables import HAS_TEXT, lines, traces, turns
from ..text.folding import fold_sentence
from .items import Item, Kind, is_own, is_theirs_alone
from .saying import Saying

_LINES = (
    select(lines.c.id, lines.c.turn_id, lines.c.conversation_id, lines.c.by_character, lines.c.text)
    .where(lines.c.character_id == bindparam("character_id"), lines.c.user_id == bindparam("user_id"))
    .order_by(lines.c.id)
)
_GISTS = select(turns.c.id, turns.c.gist).where(
    turns.c.character_id == bindparam("character_id"), turns.c.user_id == bindparam("user_id")
)
_NO_GIST = update(turns).where(turns.c.id.in_(bindparam("ids", expanding=True))).values(gist="")
_TRACES = (
    select(traces.c.turn_id, traces.c.body)
    .join(turns, turns.c.id == traces.c.turn_id)
    .where(turns.c.character_id == bindparam("character_id"), turns.c.user_id == bindparam("user_id"))
)
_DROP_TRACES = delete(traces).where(traces.c.turn_id.in_(bindparam("ids", expanding=True)))
_PROMPTS = select(traces.c.turn_id, traces.c.prompt).where(
    traces.c.character_id == bindparam("character_id"), HAS_TEXT
)
_NO_PROMPT = (
    update(traces)
    .where(traces.c.turn_id.in_(bindparam("ids", expanding=True)))
    .values(prompt=None, prompt_size=0)
)


@dataclass(frozen=True, slots=True)
class OwnRooms:
    """Where copies are looked for."""

    memory: MemoryFS
    notes: Notes


def forget(
    connection: Connection,
    rooms: OwnRooms,
    character_id: str,
    user_id: str,
    item: Item,
    paths: Collection[str],
    notes: Collection[Note],
) -> None:
    """Forget a person's item with its copies.

    Args:
        connection: a write.
        rooms: where copies are.
        character_id: whose memory.
        user_id: the person.
        item: what.
        paths: the files in which their entries stand.
        notes: their notes.
    """
    owner = Owner(connection, character_id, user_id)
    facts, sources, saying = _found(owner, rooms, item, notes)
    gone, said_in = forget_facts(owner, facts)
    saying = saying.with_facts((edge.relation, edge.object) for edge in gone).beside(objects_left(owner))
    sources |= said_in
    _forget_entries(rooms.memory, user_id, paths, saying, sources)
    for note in notes:
        near = note.source_turn in sources
        if note.id == item.id or _states(saying, f"{note.title}\n{note.content}", near):
            rooms.notes.delete(note.id)
    _forget_said(owner, saying, sources, item)
    _forget_traces(owner, saying, sources)


def _found(
    owner: Owner, rooms: OwnRooms, item: Item, notes: Iterable[Note]
) -> tuple[list[Edge], frozenset[int], Saying]:
    """The facts an item states, the turns it comes from, and how it may be said elsewhere."""
    if item.kind is Kind.FACT:
        return facts_by_id(owner, [int(item.id)]), frozenset(), Saying()
    sources = frozenset(_sources(owner, rooms, item, notes))
    folded = fold_sentence(item.text)
    facts = [edge for edge in facts_said_in(owner, sources) if fold_sentence(edge.object) in folded]
    return facts, sources, Saying().with_text(item.text)


def _sources(owner: Owner, rooms: OwnRooms, item: Item, notes: Iterable[Note]) -> Iterator[int]:
    match item.kind:
        case Kind.ENTRY:
            yield from rooms.memory.learnt.turns_of(item.id, item.text)
        case Kind.NOTE:
            yield from (n.source_turn for n in notes if n.id == item.id and n.source_turn is not None)
        case _:
            rows = _own_lines(owner)
            yield from (row.turn_id for row in rows if row.id == int(item.id) and row.turn_id is not None)


def _forget_entries(
    memory: MemoryFS, user_id: str, paths: Iterable[str], saying: Saying, sources: Iterable[int]
) -> None:
    """Take the person's entries out of files, their past included."""

    def states(place: MemoryPath, entry: Entry) -> bool:
        own = is_own(place, entry, user_id) and is_theirs_alone(place, entry, user_id)
        return own and saying.stated_by(entry.text)

    def states_beside(entry: Entry, alone: bool) -> bool:
        return not set(entry.people) - {user_id} and saying.stated_beside(entry.text)

    for turn_id in sources:
        memory.learnt.withdraw(turn_id, states_beside, whole=False)
    for path in paths:
        memory.forget_entries(path, partial(states, parse_memory_path(path)))


def _forget_said(owner: Owner, saying: Saying, sources: Collection[int], item: Item) -> None:
    """Delete lines that state it; a turn in which the person said nothing else goes whole."""
    by_turn: dict[object, list[Any]] = {}
    for row in _own_lines(owner):
        by_turn.setdefault(row.turn_id or f"line {row.id}", []).append(row)
    dropped: list[int] = []
    blank: list[int] = []
    for turn, rows in by_turn.items():
        near = turn in sources
        stating = [row for row in rows if _is(item, row) or _states(saying, row.text, near)]
        if not stating:
            continue
        left = [row for row in rows if row not in stating and not row.by_character]
        if isinstance(turn, int):
            (blank if left or all(row.by_character for row in stating) else dropped).append(turn)
        gone = stating if turn not in dropped else rows
        forget_lines(owner, rows[0].conversation_id, [row.id for row in gone])
    for row in owner.connection.execute(_GISTS, _of(owner)):
        if _states(saying, row.gist, row.id in sources):
            blank.append(row.id)
    owner.connection.execute(_NO_GIST, {"ids": blank})
    forget_turns(owner, dropped)


def _forget_traces(owner: Owner, saying: Saying, sources: Collection[int]) -> None:
    """Let go of what is kept of requests: whole traces that tell it, and prompts that may hold it."""
    telling = [
        row.turn_id
        for row in owner.connection.execute(_TRACES, _of(owner))
        if row.turn_id in sources or any(saying.stated_by(text) for text in _texts(row.body))
    ]
    owner.connection.execute(_DROP_TRACES, {"ids": telling})
    rows = owner.connection.execute(_PROMPTS, {"character_id": owner.character_id})
    holding = [row.turn_id for row in rows if saying.hinted_by(row.prompt)]
    owner.connection.execute(_NO_PROMPT, {"ids": holding})


def _states(saying: Saying, text: str, near: bool) -> bool:
    return saying.stated_beside(text) if near else saying.stated_by(text)


def _is(item: Item, row: Any) -> bool:
    return item.kind.is_said and int(item.id) == row.id


def _own_lines(owner: Owner) -> Sequence[Any]:
    return owner.connection.execute(_LINES, _of(owner)).all()


def _of(owner: Owner) -> dict[str, str]:
    return {"character_id": owner.character_id, "user_id": owner.user_id}


def _texts(value: object) -> Iterator[str]:
    """Every text of a JSON value."""
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():  # pyright: ignore[reportUnknownVariableType]
                yield from _texts(item)  # pyright: ignore[reportUnknownArgumentType]
        case list():
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                yield from _texts(item)  # pyright: ignore[reportUnknownArgumentType]
        case _:
            pass
