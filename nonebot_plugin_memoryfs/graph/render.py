"""How facts are shown: names as the viewer may know them, one line per fact (R1.16, R2.9)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from sqlalchemy import bindparam, select

from ..scope import Origin, may_see
from ..search.places import chunks
from ..storage.tables import aliases
from ..text.neutral import neutralise, quote_line
from ..text.sentences import gist
from .edges import Edge
from .nodes import CHARACTER, SPEAKER, StoredNode, by_id, find
from .recall import Search
from .relations import relation_names
from .results import Fact

FACTS_LIMIT = 40
CHARACTERS_LIMIT = 1_200
_OBJECT_SHOWN = 160
_LEFT_OUT_ROOM = 40

_CALLED = select(aliases.c.node_id, aliases.c.place_id, aliases.c.name, aliases.c.seen_at).where(
    aliases.c.node_id.in_(bindparam("node_ids", expanding=True)),
    aliases.c.place_id.in_(bindparam("place_ids", expanding=True)),
)


def facts_of(search: Search, shown: Sequence[Edge]) -> list[Fact]:
    """Edges with the names their viewer may know.

    Args:
        search: for whom and where; facts about the viewer are about `用户`.
        shown: edges the viewer may see.
    """
    ids = {node for edge in shown for node in (edge.subject_id, edge.object_id)}
    names = node_names(search, by_id(search.connection, ids).values())
    labels = relation_names(search.connection, {edge.relation_id for edge in shown})
    return [
        Fact(
            id=edge.id,
            subject=names.get(edge.subject_id, "?"),
            relation=labels.get(edge.relation_id, "?"),
            object=names.get(edge.object_id, "?"),
            inferred=edge.inferred,
            first_seen=edge.first_seen,
            last_seen=edge.last_seen,
            conversation_id=search.places[edge.place_id],
            user_id=edge.user_id,
            sightings=edge.sightings,
        )
        for edge in shown
    ]


def node_names(search: Search, stored: Iterable[StoredNode]) -> dict[int, str]:
    """What to call nodes before this viewer: people by what they are called where they look."""
    names: dict[int, str] = {}
    people: dict[int, str] = {}
    for node in stored:
        if node.user_id is None:
            names[node.id] = CHARACTER if node.key == "character" else node.name
        elif node.user_id == search.viewer.user_id:
            names[node.id] = SPEAKER
        else:
            people[node.id] = node.user_id
    called = _called(search, people)
    names.update((i, called.get(i, f"{SPEAKER}{user_id}")) for i, user_id in people.items())
    return names


def people_names(search: Search, user_ids: Iterable[str]) -> dict[str, str]:
    """User id → what to call them before this viewer, as in `node_names`."""
    wanted = {f"user:{user_id}": user_id for user_id in user_ids}
    found = find(search.connection, search.viewer.character_id, wanted)
    ids = {node_id: wanted[key] for key, (node_id, _) in found.items()}
    called = _called(search, ids)
    by_user = {ids[node_id]: name for node_id, name in called.items()}
    by_user[search.viewer.user_id] = SPEAKER
    return {user_id: by_user.get(user_id, f"{SPEAKER}{user_id}") for user_id in wanted.values()}


def _called(search: Search, people: Mapping[int, str]) -> dict[int, str]:
    """Person → their newest alias that the viewer may know: of this conversation before others'.

    An alias used before the viewer came somewhere is none of theirs (R1.17).
    """
    best: dict[int, tuple[bool, datetime, str]] = {}
    for node_ids in chunks(people):
        for place_ids in chunks(search.places):
            where = {"node_ids": node_ids, "place_ids": place_ids}
            for row in search.connection.execute(_CALLED, where):
                conversation_id = search.places[row.place_id]
                origin = Origin(conversation_id, (people[row.node_id],), row.seen_at)
                if not may_see(search.viewer, origin, search.policy):
                    continue
                rank = (conversation_id == search.viewer.conversation_id, row.seen_at, row.name)
                best[row.node_id] = max(best.get(row.node_id, rank), rank)
    return {node_id: name for node_id, (_, _, name) in best.items()}


def fact_line(fact: Fact, said_by: str, zone: tzinfo | None) -> str:
    """One fact on one line: what, whether it was concluded, when, by whom."""
    mark = "[推测]" if fact.inferred else ""
    day = fact.last_seen.astimezone(zone).strftime("%Y-%m-%d")
    object = gist(fact.object, _OBJECT_SHOWN)
    return f"- {fact.subject} {mark}{fact.relation} {object}（{day}，{said_by}说）"


def fact_lines(facts: Sequence[Fact], said_by: Mapping[str, str], zone: tzinfo | None) -> list[str]:
    """The lines of facts, as far as they fit (R2.9)."""
    return _fitting(fact_line(f, said_by.get(f.user_id, SPEAKER), zone) for f in facts[:FACTS_LIMIT])


def trait_lines(traits: Sequence[Fact]) -> list[str]:
    """The lines of a persona, as far as they fit."""
    return _fitting(f"- {trait.relation}：{trait.object}" for trait in traits)


def _fitting(lines: Iterable[str]) -> list[str]:
    shown: list[str] = []
    room = CHARACTERS_LIMIT - _LEFT_OUT_ROOM
    for line in map(as_data, lines):
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    return shown


def as_data(line: str) -> str:
    """A stored text as one line that no model takes for structure (R1.16)."""
    return neutralise(quote_line(line))
