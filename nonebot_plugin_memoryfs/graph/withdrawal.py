"""Taking a message back (撤回): its line, its turn where nothing else is left of it, its facts (R4.11)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, case, delete, func, or_, select, update

from ..search import index
from ..search.corrections import states
from ..search.index import Kind
from ..search.places import known_place
from ..storage.tables import HAS_TEXT, edge_turns, edges, lines, nodes, traces, turns
from ..text.folding import fold_sentence
from .edges import COLUMNS, Edge, edge_of, live_twin
from .kinds import EdgeKind

_LOOKED_THROUGH = 2_000
"""Newest turns of a conversation among which a message is looked for."""

_NEWEST = (
    select(turns.c.id, turns.c.source_ids, turns.c.opened_at)
    .where(
        turns.c.character_id == bindparam("character_id"),
        turns.c.conversation_id == bindparam("conversation_id"),
    )
    .order_by(turns.c.id.desc())
    .limit(_LOOKED_THROUGH)
)
_LINES = (
    select(lines.c.id, lines.c.text, lines.c.by_character)
    .where(lines.c.turn_id == bindparam("of_turn"))
    .order_by(lines.c.id)
)
_DROP_LINES = delete(lines).where(lines.c.id.in_(bindparam("line_ids", expanding=True)))
_DROP_TURN = delete(turns).where(turns.c.id == bindparam("of_turn"))
_DROP_TRACE = delete(traces).where(traces.c.turn_id == bindparam("of_turn"))
_KEEP_REST = (
    update(turns).where(turns.c.id == bindparam("of_turn")).values(source_ids=bindparam("sources"), gist="")
)
_FORGET_PROMPTS = (
    update(traces)
    .where(
        traces.c.character_id == bindparam("of_character"),
        traces.c.conversation_id == bindparam("of_conversation"),
        HAS_TEXT,
    )
    .values(prompt=None, prompt_size=0)
)
"""What was said may stand in any of them, cut short, or as a line nobody addressed to the character."""

_STATED = (
    select(*COLUMNS)
    .join(edge_turns, edge_turns.c.edge_id == edges.c.id)
    .where(edge_turns.c.turn_id == bindparam("of_turn"), edges.c.kind == EdgeKind.RELATES_TO.value)
)
_OTHER_TIMES = (
    select(func.max(turns.c.opened_at))
    .join(edge_turns, edge_turns.c.turn_id == turns.c.id)
    .where(edge_turns.c.edge_id == bindparam("of_edge"), edge_turns.c.turn_id != bindparam("of_turn"))
)
_UNLINK = delete(edge_turns).where(
    edge_turns.c.edge_id == bindparam("of_edge"), edge_turns.c.turn_id == bindparam("of_turn")
)
_SAY_LESS = (
    update(edges)
    .where(edges.c.id == bindparam("of_edge"))
    .values(
        sightings=case((edges.c.sightings > 1, edges.c.sightings - 1), else_=1),
        last_seen=bindparam("said_at"),
    )
)
_DROP_EDGE = delete(edges).where(edges.c.id == bindparam("of_edge"))
_CLOSED_BY = select(*COLUMNS).where(
    edges.c.subject_id == bindparam("subject_id"),
    edges.c.place_id == bindparam("place_id"),
    edges.c.superseded_by == bindparam("of_edge"),
    edges.c.purged.is_(False),
)
_REOPEN = update(edges).where(edges.c.id == bindparam("of_edge")).values(valid_to=None, superseded_by=None)
_PASS_ON = update(edges).where(edges.c.id == bindparam("of_edge")).values(superseded_by=bindparam("by"))
_TOUCHED = or_(edges.c.subject_id == bindparam("of_node"), edges.c.object_id == bindparam("of_node"))
_HERE = select(edges.c.id).where(edges.c.place_id == bindparam("place_id"), _TOUCHED).limit(1)
_ANYWHERE = select(edges.c.id).where(_TOUCHED).limit(1)
_IS_NAME = select(nodes.c.id).where(nodes.c.id == bindparam("of_node"), nodes.c.key.startswith("name:"))
_DROP_NODE = delete(nodes).where(nodes.c.id == bindparam("of_node"))


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A message that was taken back."""

    turn_id: int
    said: str
    """What it said."""
    left: str
    """What else was said in its turn by the same person; without it the turn is gone."""
    facts: int
    """Facts that nobody said otherwise, and which are gone."""


def withdraw_message(
    connection: Connection, character_id: str, conversation_id: str, source_id: str
) -> Withdrawn | None:
    """Take back the message of this id; `None` where no turn came from it.

    The prompts that are kept there go, whichever message it was.
    """
    prompts = {"of_character": character_id, "of_conversation": conversation_id}
    connection.execute(_FORGET_PROMPTS, prompts)
    where = {"character_id": character_id, "conversation_id": conversation_id}
    row = next((r for r in connection.execute(_NEWEST, where) if source_id in r.source_ids), None)
    place_id = known_place(connection, character_id, conversation_id)
    if row is None or place_id is None:
        return None
    spoken = connection.execute(_LINES, {"of_turn": row.id}).all()
    own = [line for line in spoken if not line.by_character]
    sources: list[str] = row.source_ids
    taken = own
    if len(own) == len(sources):  # each message is one line of its turn, in order
        at = sources.index(source_id)
        taken = own[at : at + 1]
    left = [line for line in own if line not in taken]
    rest = "\n".join(line.text for line in left)
    said = "\n".join(line.text for line in taken)
    facts = withdraw_facts(connection, row.id, row.opened_at, rest)
    gone = [line.id for line in (taken if left else spoken)]
    index.remove(connection, Kind.LINE, place_id, gone)
    connection.execute(_DROP_LINES, {"line_ids": gone})
    connection.execute(_DROP_TRACE, {"of_turn": row.id})
    if left:
        others = [other for other in sources if other != source_id]
        connection.execute(_KEEP_REST, {"of_turn": row.id, "sources": others})
    else:
        connection.execute(_DROP_TURN, {"of_turn": row.id})
    return Withdrawn(row.id, said, rest, facts)


def withdraw_facts(connection: Connection, turn_id: int, opened_at: datetime, rest: str = "") -> int:
    """Take back the facts a turn stated, but for those `rest` of it states; how many nobody else said."""
    stated = [edge_of(row) for row in connection.execute(_STATED, {"of_turn": turn_id})]
    gone = [edge for edge in stated if not states(rest, [fold_sentence(edge.object)])]
    return sum(_withdraw_fact(connection, edge, turn_id, opened_at) for edge in gone)


def _withdraw_fact(connection: Connection, edge: Edge, turn_id: int, opened_at: datetime) -> bool:
    """Let go of one source of a fact; of the fact, if it was the only one."""
    where = {"of_edge": edge.id, "of_turn": turn_id}
    otherwise = connection.execute(_OTHER_TIMES, where).scalar()
    connection.execute(_UNLINK, where)
    if otherwise is not None or edge.first_seen < opened_at:
        said_at = otherwise or edge.first_seen
        connection.execute(_SAY_LESS, {"of_edge": edge.id, "said_at": said_at})
        return False
    give_way(connection, edge)
    connection.execute(_DROP_EDGE, {"of_edge": edge.id})
    forget_names(connection, [(edge.place_id, edge.subject_id), (edge.place_id, edge.object_id)])
    return True


def give_way(connection: Connection, edge: Edge) -> None:
    """What a fact had ended holds again, or was ended by what ended the fact."""
    where = {"subject_id": edge.subject_id, "place_id": edge.place_id, "of_edge": edge.id}
    for former in [edge_of(row) for row in connection.execute(_CLOSED_BY, where)]:
        if edge.valid_to is None and live_twin(connection, former) is None:
            connection.execute(_REOPEN, {"of_edge": former.id})
        else:
            connection.execute(_PASS_ON, {"of_edge": former.id, "by": edge.superseded_by})


def forget_names(connection: Connection, held: Collection[tuple[int, int]]) -> None:
    """Names no fact holds any more are not found there, and nowhere kept.

    Args:
        connection: a write.
        held: place and node, of each fact that is gone.
    """
    rows = [{"of_node": node_id, "place_id": place_id} for place_id, node_id in held]
    names = [where for where in rows if connection.execute(_IS_NAME, where).first()]
    for where in names:
        if not connection.execute(_HERE, where).first():
            index.remove(connection, Kind.NODE, where["place_id"], [where["of_node"]])
    for where in names:
        if not connection.execute(_ANYWHERE, where).first():
            connection.execute(_DROP_NODE, where)
