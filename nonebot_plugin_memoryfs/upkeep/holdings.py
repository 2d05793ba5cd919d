"""The one map of what is kept: how a person's, or a group's, rows of every table are found (R7.4, R6.5).

Erasure, export and backup work by it, and a test holds it against the tables there are: a new table is in
none of them until somebody says here what it holds of a person.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from sqlalchemy import Column, ColumnElement, Table, and_, false, or_, select

from ..prompt.note import user_target
from ..storage import learning_tables as learn
from ..storage import life_tables as life
from ..storage import prompt_tables as p
from ..storage import tables as t
from ..text.ids import encode_segment
from .person import Person, Whose

Condition = Callable[[Whose], ColumnElement[bool]]


class Way(Enum):
    """What becomes of the rows of a table that are a person's, or a conversation's, when it is erased."""

    ROWS = auto()
    """The rows the condition finds are deleted."""
    BY_ROOM = auto()
    """Rows hold several people's words, or an index hangs on them: a module of its own takes theirs out."""
    KEPT = auto()
    """The rows the condition finds are kept: they are the person's own wish (停记)."""
    NEVER = auto()
    """Nothing of any person is in it."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What a table holds of people."""

    table: Table
    way: Way
    title: str = ""
    """What its rows are called for people; empty for what is no data of its own."""
    shown: tuple[str, ...] = ()
    """The columns of its rows that an export shows; none where others would be seen in it, or nobody."""
    theirs: Condition | None = None
    """Which rows are a person's; `None` where that can't be told by columns."""
    setting: bool = False
    """Whether a group's rows are how it wants things: they stay when its memory is cleared (R7.3)."""
    local: bool = False
    """Whether it describes the files of one data directory, so that no backup takes it along."""


def _user(column: Column[str]) -> Condition:
    return lambda whose: whose.by(column)


def _chat(column: Column[str]) -> Condition:
    return lambda whose: column.in_(whose.conversations)


def _place(column: Column[int]) -> Condition:
    return lambda whose: column.in_(whose.places)


def _turn(column: Column[int]) -> Condition:
    return lambda whose: column.in_(whose.turns)


def _node(column: Column[int]) -> Condition:
    return lambda whose: column.in_(whose.nodes)


def _own_level(table: Table) -> Condition:
    return lambda whose: and_(table.c.level == "user", whose.by(table.c.target_id))


def _own_notes(whose: Whose) -> ColumnElement[bool]:
    """The notes for a person."""
    return p.notes.c.target_id == user_target(whose.user_id) if isinstance(whose, Person) else false()


def _own_copies(whose: Whose) -> ColumnElement[bool]:
    """Links of entries in their own files, and of entries learnt from their turns alone."""
    turn_id = learn.copy_turns.c.turn_id
    own, others = turn_id.in_(whose.turns), turn_id.not_in(whose.turns)
    below = [f"/{encode_segment(conversation_id)}.md" for conversation_id in whose.conversations]
    if isinstance(whose, Person):
        below.append(f"/users/{encode_segment(whose.user_id)}/")
    return or_(
        *(learn.copies.c.path.contains(part, autoescape=True) for part in below),
        and_(
            learn.copies.c.id.in_(select(learn.copy_turns.c.copy_id).where(own)),
            learn.copies.c.id.not_in(select(learn.copy_turns.c.copy_id).where(others)),
        ),
    )


def _rows(
    table: Table, title: str, *conditions: Condition, shown: str = "", setting: bool = False
) -> Holding:
    """A table whose rows are theirs when one of these holds, and go with them."""

    def theirs(whose: Whose) -> ColumnElement[bool]:
        return or_(*(holds(whose) for holds in conditions))

    return Holding(table, Way.ROWS, title, tuple(shown.split()), theirs, setting)


_ALL = (
    # what is found by turns and places comes before these: rows are deleted in this order
    _rows(learn.copies, "", _own_copies),
    _rows(learn.copy_turns, "", _turn(learn.copy_turns.c.turn_id)),
    _rows(t.traces, "每轮的记录", _turn(t.traces.c.turn_id), _chat(t.traces.c.conversation_id)),
    _rows(t.edge_turns, "", _turn(t.edge_turns.c.turn_id)),
    Holding(t.edges, Way.BY_ROOM, "事实"),
    Holding(t.documents, Way.BY_ROOM),
    Holding(t.postings, Way.BY_ROOM),
    _rows(t.shelves, "", _place(t.shelves.c.place_id)),
    _rows(
        t.lines,
        "说过的话和收到的回复",
        lambda whose: whose.lines,
        shown="at conversation_id speaker text",
    ),
    _rows(t.aliases, "称呼", _node(t.aliases.c.node_id), _place(t.aliases.c.place_id), shown="seen_at name"),
    _rows(
        t.turns,
        "对话轮次",
        _user(t.turns.c.user_id),
        _chat(t.turns.c.conversation_id),
        shown="opened_at conversation_id state gist",
    ),
    _rows(
        t.tasks,
        "任务",
        _user(t.tasks.c.user_id),
        _chat(t.tasks.c.conversation_id),
        shown="updated_at conversation_id task_id state description",
    ),
    Holding(t.nodes, Way.BY_ROOM),
    Holding(t.relations, Way.BY_ROOM),
    _rows(t.places, "", _chat(t.places.c.conversation_id)),
    Holding(t.files, Way.BY_ROOM),
    Holding(t.file_history, Way.BY_ROOM),
    Holding(
        p.notes,
        Way.BY_ROOM,
        "便签",
        ("created_at", "title", "content", "type", "ends_at"),
        _own_notes,
    ),
    Holding(p.note_history, Way.BY_ROOM),
    _rows(p.layers, "提示词", _own_level(p.layers), shown="updated_at content", setting=True),
    _rows(p.layer_history, "以前的提示词", _own_level(p.layer_history), shown="at content", setting=True),
    _rows(
        p.bindings,
        "绑定的角色",
        _chat(p.bindings.c.conversation_id),
        shown="bound_at conversation_id character_id",
        setting=True,
    ),
    _rows(
        t.presence,
        "在哪些会话说过话",
        _user(t.presence.c.user_id),
        _chat(t.presence.c.conversation_id),
        shown="first_at conversation_id",
    ),
    _rows(
        life.heartbeats,
        "心跳",
        _chat(life.heartbeats.c.conversation_id),
        shown="seen_at conversation_id character_id chosen last_at",
        setting=True,
    ),
    Holding(life.life_state, Way.NEVER),
    _rows(learn.learning, "", _chat(learn.learning.c.conversation_id)),
    _rows(learn.budget_notices, "", _chat(learn.budget_notices.c.conversation_id)),
    Holding(learn.usage, Way.NEVER),
    _rows(
        learn.relationships,
        "好感",
        _user(learn.relationships.c.user_id),
        _chat(learn.relationships.c.conversation_id),
        shown="updated_at conversation_id affection trust familiarity",
    ),
    Holding(
        learn.pauses,
        Way.KEPT,
        "停记",
        ("since",),
        _user(learn.pauses.c.user_id),
    ),
    Holding(t.erasures, Way.NEVER),
    Holding(t.quiet_groups, Way.NEVER, setting=True),
    Holding(t.faces, Way.NEVER, local=True),
    Holding(t.face_records, Way.NEVER, local=True),
    Holding(t.upgrades, Way.NEVER, local=True),
)

HOLDINGS: Mapping[str, Holding] = {holding.table.name: holding for holding in _ALL}
"""By the table's name, in the order in which rows are deleted."""
