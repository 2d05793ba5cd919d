"""The task chain, the working memory: turn rows are its task nodes, in their order (R2.14, R2.15)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from ..errors import InvalidInput
from ..scope import Scope, scope_in
from ..search.corrections import corrected, superseded_objects
from ..search.lines import add_line
from ..storage.erased import erased_since
from ..storage.tables import lines, turns
from ..text.cleaning import clean
from ..text.neutral import neutralise
from ..text.sentences import gist, shorten
from .kinds import TaskState
from .render import as_data
from .results import ChainTask, Side, TaskChain, Turn
from .tasks import Task, tasks_in, turn_task_id
from .triplets import OBJECT_LIMIT

NOTHING_YET = "还没有任务，也没有之前的对话。"
"""The text of an empty chain."""
CHAIN_LIMIT = 1_600
"""Characters of the chain's text in all."""
_PAUSED = 5
_TOLD = 120
_WHOLE_TURNS, _WHOLE_SIDE = 2, 800
_BRIEF_TURNS, _BRIEF_SIDE = 4, 200
_LINE = 70
"""Characters that are kept for an older turn, however long the newest are."""
_AROUND = 80
"""Characters of a turn that are neither its head nor its text: names, indents, marks."""
_NEWEST_TURNS = _WHOLE_TURNS + _BRIEF_TURNS

_LISTED = {TaskState.ACTIVE: 5, TaskState.PAUSED: 20, TaskState.DONE: 5, TaskState.CANCELLED: 5}
"""Of each state, how many of the newest tasks are listed for people."""

_OPEN, _ANSWERED, _UNANSWERED = "open", "answered", "unanswered"

_ADD = insert(turns)
_ONE = select(turns).where(turns.c.id == bindparam("turn_id"))
_CLOSE = (
    update(turns)
    .where(turns.c.id == bindparam("of_turn"))
    .values(state=_ANSWERED, gist=bindparam("told"), closed_at=bindparam("now"))
)
_SOURCES = (
    select(turns.c.source_ids)
    .where(turns.c.id.in_(bindparam("turn_ids", expanding=True)))
    .order_by(turns.c.id)
)
_MOVE_LINES = (
    update(lines)
    .where(lines.c.turn_id.in_(bindparam("turn_ids", expanding=True)))
    .values(turn_id=bindparam("to_turn"))
)
_NAME_SOURCES = (
    update(turns).where(turns.c.id == bindparam("of_turn")).values(source_ids=bindparam("sources"))
)
_DROP_TURNS = delete(turns).where(turns.c.id.in_(bindparam("turn_ids", expanding=True)))
_LEAVE = (
    update(turns)
    .where(turns.c.id == bindparam("of_turn"), turns.c.state == _OPEN)
    .values(state=_UNANSWERED, closed_at=bindparam("now"))
)
_OPEN_TURNS = select(turns).where(turns.c.state == _OPEN).order_by(turns.c.id)
_GIVE_UP = (
    update(turns)
    .where(turns.c.state == _OPEN, turns.c.opened_at <= bindparam("until"))
    .values(state=_UNANSWERED, closed_at=bindparam("now"))
)
_NEWEST = (
    select(turns)
    .where(
        turns.c.character_id == bindparam("character_id"),
        turns.c.conversation_id == bindparam("conversation_id"),
        turns.c.state != _OPEN,
    )
    .order_by(turns.c.id.desc())
    .limit(bindparam("newest"))
)
_LINES = (
    select(lines.c.turn_id, lines.c.speaker, lines.c.by_character, lines.c.text)
    .where(lines.c.turn_id.in_(bindparam("turn_ids", expanding=True)))
    .order_by(lines.c.id)
)
_FIRST_LINE = select(func.min(lines.c.id)).where(lines.c.turn_id.in_(bindparam("turn_ids", expanding=True)))


def add_turn(
    connection: Connection,
    scope: Scope,
    speaker: str,
    text: str,
    source_ids: Iterable[str],
    at: datetime,
) -> int:
    """Open a turn with what was said; nothing of it is lost from here on (R4.1)."""
    written = connection.execute(
        _ADD,
        {
            "character_id": scope.character_id,
            "conversation_id": scope.conversation_id,
            "user_id": scope.user_id,
            "state": _OPEN,
            "gist": "",
            "source_ids": [clean(source_id) for source_id in source_ids],
            "opened_at": at,
        },
    )
    key = written.inserted_primary_key
    assert key is not None
    add_line(connection, scope, speaker, text, at, turn_id=key[0])
    return int(key[0])


def answer_turn(
    connection: Connection, turn_id: int, reply: str, speaker: str, told: str, at: datetime
) -> None:
    """Close a turn with its reply; its gist is `told`, else the model's own, else both texts'.

    Raises:
        InvalidInput: there is no such turn, or it is closed already.
    """
    row = connection.execute(_ONE, {"turn_id": turn_id}).one_or_none()
    if row is None or row.state != _OPEN:
        raise InvalidInput(f"没有进行中的这一轮：{turn_id!r}")
    scope = Scope(row.character_id, row.conversation_id, row.user_id, False)
    if reply.strip():
        add_line(connection, scope, speaker, reply, at, turn_id=turn_id, by_character=True)
    if not (told or row.gist):
        told = _gist(_turns(connection, [row])[0])
    told = gist(clean(told or row.gist), OBJECT_LIMIT)
    connection.execute(_CLOSE, {"of_turn": turn_id, "told": told, "now": at})


def join_turns(connection: Connection, turn_id: int, others: Sequence[int]) -> None:
    """Make several open turns of one person one: their lines and message ids go to the first (R4.4)."""
    rows = connection.execute(_SOURCES, {"turn_ids": [turn_id, *others]}).all()
    source_ids = [source_id for row in rows for source_id in row.source_ids]
    connection.execute(_MOVE_LINES, {"turn_ids": list(others), "to_turn": turn_id})
    connection.execute(_NAME_SOURCES, {"of_turn": turn_id, "sources": source_ids})
    connection.execute(_DROP_TURNS, {"turn_ids": list(others)})


def leave_turn(connection: Connection, turn_id: int, at: datetime) -> None:
    """Close an open turn that got no reply."""
    connection.execute(_LEAVE, {"of_turn": turn_id, "now": at})


def open_text(connection: Connection, turn_id: int) -> str | None:
    """What was said in a turn that waits for its answer; `None` where there is no such turn."""
    row = connection.execute(_ONE, {"turn_id": turn_id}).one_or_none()
    if row is None or row.state != _OPEN:
        return None
    spoken = connection.execute(_LINES, {"turn_ids": [turn_id]})
    return "\n".join(line.text for line in spoken if line.text and not line.by_character)


def may_write(connection: Connection, turn_id: int) -> bool:
    """Whether a turn waits for its answer, and nothing was erased since it was heard."""
    row = connection.execute(_ONE, {"turn_id": turn_id}).one_or_none()
    return row is not None and row.state == _OPEN and not erased_since(connection, row.opened_at)


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn that waits for its answer, or waited when the bot stopped."""

    id: int
    scope: Scope
    speaker: str
    said: str


def open_turns(connection: Connection) -> list[OpenTurn]:
    """The turns that wait for an answer, oldest first."""
    found: list[OpenTurn] = []
    for row in connection.execute(_OPEN_TURNS).all():
        spoken = [
            line for line in connection.execute(_LINES, {"turn_ids": [row.id]}) if not line.by_character
        ]
        scope = scope_in(row.character_id, row.conversation_id, row.user_id)
        speaker = spoken[-1].speaker if spoken else ""
        found.append(OpenTurn(row.id, scope, speaker, "\n".join(line.text for line in spoken if line.text)))
    return found


def close_open_turns(connection: Connection, until: datetime, at: datetime) -> int:
    """Mark turns that were opened until then and never answered; returns how many."""
    return connection.execute(_GIVE_UP, {"until": until, "now": at}).rowcount


def newest_turns(connection: Connection, scope: Scope, newest: int = _NEWEST_TURNS) -> list[Turn]:
    """The newest closed turns of the scope's chain, newest first."""
    where = {
        "character_id": scope.character_id,
        "conversation_id": scope.conversation_id,
        "newest": newest,
    }
    return _turns(connection, connection.execute(_NEWEST, where).all())


def first_line(connection: Connection, turn_ids: Iterable[int]) -> int | None:
    """Where these turns begin among the lines: what is older stands in none of them."""
    return connection.execute(_FIRST_LINE, {"turn_ids": list(turn_ids)}).scalar()


def task_chain(connection: Connection, scope: Scope, zone: tzinfo | None) -> TaskChain:
    """The task in progress, paused ones, then the newest turns, within their limits."""
    active = tasks_in(connection, scope, TaskState.ACTIVE, 1)
    paused = tasks_in(connection, scope, TaskState.PAUSED, _PAUSED)
    newest = newest_turns(connection, scope)
    told = [task_line(task) for task in (*active, *paused)]
    room = CHAIN_LIMIT - sum(len(line) + 1 for line in told)
    blocks = _fitting(newest, room, zone)[::-1]
    return TaskChain(
        ok=True,
        text="\n".join([*told, *blocks]) or NOTHING_YET,
        task_lines=tuple(told),
        turn_blocks=tuple(blocks),
        tasks=(
            *(chain_task(task) for task in (*active, *paused)),
            *(_turn_task(turn) for turn in newest),
        ),
        newest=tuple(newest),
    )


def explicit_tasks(connection: Connection, scope: Scope) -> tuple[ChainTask, ...]:
    """The newest tasks of each state, as people list them."""
    return tuple(
        chain_task(task)
        for state, newest in _LISTED.items()
        for task in tasks_in(connection, scope, state, newest)
    )


def task_line(task: Task, limit: int = _TOLD) -> str:
    """A task on one line."""
    return as_data(f"- {task.task_id} {task.state.value}：{gist(task.description, limit)}")


def chain_task(task: Task) -> ChainTask:
    """An explicit task as part of a chain."""
    return ChainTask(
        task_id=task.task_id,
        state=task.state.value,
        description=task.description,
        at=task.updated_at,
    )


def _turn_task(turn: Turn) -> ChainTask:
    state = TaskState.DONE.value if turn.answered else "未回复"
    description = turn.gist or _gist(turn)
    return ChainTask(task_id=turn_task_id(turn.id), state=state, description=description, at=turn.opened_at)


def _fitting(newest: Sequence[Turn], room: int, zone: tzinfo | None) -> list[str]:
    """The turns' texts, newest first: the two newest share the room, but each older one keeps a line."""
    blocks: list[str] = []
    for number, turn in enumerate(newest):
        whole, older = newest[number + 1 : _WHOLE_TURNS], newest[max(number + 1, _WHOLE_TURNS) :]
        own = room - _LINE * len(older)
        own -= sum(min(len(_whole(other, own, zone)) + 1, own // _WHOLE_TURNS) for other in whole)
        block = _whole(turn, own, zone) if number < _WHOLE_TURNS else ""
        if not block or len(block) + 1 > own:
            block = _brief(turn, own, zone)
        if len(block) + 1 > room:
            break
        room -= len(block) + 1
        blocks.append(block)
    return blocks


def _whole(turn: Turn, room: int, zone: tzinfo | None) -> str:
    """Both sides of a turn, shortened so that they fit; what a short one leaves is the other's."""
    room -= len(_head(turn, zone)) + _AROUND
    shorter = min(len(side.text) if side else 0 for side in (turn.heard, turn.reply))
    limit = min(max(room // 2, room - shorter, 1), _WHOLE_SIDE)
    heard = _side(turn.heard, limit) if turn.heard else "（没有文字）"
    reply = _side(turn.reply, limit) if turn.reply else "（没有回复）"
    return f"{_head(turn, zone)}\n{heard}\n{reply}"


def _brief(turn: Turn, room: int, zone: tzinfo | None) -> str:
    """A turn on one line."""
    head, end = _head(turn, zone), "" if turn.reply else "（没有回复）"
    limit = min(room - len(head) - len(end) - 3, 2 * _BRIEF_SIDE)
    return as_data(f"{head}{gist(turn.gist or _gist(turn), max(limit, 1))}{end}")


def _head(turn: Turn, zone: tzinfo | None) -> str:
    when = turn.opened_at.astimezone(zone).strftime("%m-%d %H:%M")
    return f"- {turn_task_id(turn.id)}（{when}）"


def _side(side: Side, limit: int) -> str:
    return neutralise(f"  {gist(side.speaker, 32)}：{shorten(side.text, limit)}")


def _gist(turn: Turn) -> str:
    said = gist(turn.heard.text, 100) if turn.heard else ""
    if turn.reply is None:
        return said
    return f"{said} → {gist(turn.reply.text, 100)}"


def _turns(connection: Connection, rows: Sequence[Row[Any]]) -> list[Turn]:
    """Turns with their two sides; lines of one side are joined, what no longer holds is not shown (R1.19)."""
    heard: dict[int, Side] = {}
    replies: dict[int, Side] = {}
    ids = [row.id for row in rows]
    if rows:
        for line in connection.execute(_LINES, {"turn_ids": ids}):
            sides = replies if line.by_character else heard
            before = sides.get(line.turn_id)
            text = f"{before.text}\n{line.text}" if before else line.text
            sides[line.turn_id] = Side(line.speaker, text)
    objects = superseded_objects(connection, ids)
    for turn_id, old in objects.items():
        for sides in (heard, replies):
            if side := sides.get(turn_id):
                sides[turn_id] = Side(side.speaker, corrected(side.text, old))
    return [
        Turn(
            row.id,
            row.user_id,
            row.state == _ANSWERED,
            corrected(row.gist, objects.get(row.id, ())),
            row.opened_at,
            heard.get(row.id),
            replies.get(row.id),
        )
        for row in rows
    ]
