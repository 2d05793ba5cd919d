"""How facts are shown: names as the viewer may know them, one line per fact (R1.16, R2.9)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from ..scope import Origin, may_see
from ..text.folding import fold_name
from ..text.neutral import neutralise, quote_line
from ..text.sentences import gist
from .aliases import aliases_of, called
from .edges import Edge
from .nodes import CHARACTER, CHARACTER_KEY, SPEAKER, by_id, find, person_key
from .recall import Search
from .results import Fact

FACTS_LIMIT = 40
CHARACTERS_LIMIT = 1_200
_OBJECT_SHOWN = 160
_LEFT_OUT_ROOM = 40


def facts_of(search: Search, shown: Sequence[Edge]) -> list[Fact]:
    """Edges with the names their viewer may know.

    Args:
        search: for whom and where; facts about the viewer are about `用户`.
        shown: edges the viewer may see.
    """
    ids = {node for edge in shown for node in (edge.subject_id, edge.object_id)}
    names = somebody(search, ids)
    return [
        Fact(
            id=edge.id,
            subject=names.get(edge.subject_id, edge.subject),
            relation=edge.relation,
            object=names.get(edge.object_id, edge.object),
            inferred=edge.inferred,
            first_seen=edge.first_seen,
            last_seen=edge.last_seen,
            conversation_id=search.places[edge.place_id],
            user_id=edge.user_id,
            sightings=edge.sightings,
        )
        for edge in shown
    ]


def somebody(search: Search, node_ids: Iterable[int]) -> dict[int, str]:
    """Of these nodes, what to call people and the character before this viewer.

    People go by what they are called where the viewer may look.
    """
    names: dict[int, str] = {}
    people: dict[int, str] = {}
    for node in by_id(search.connection, node_ids).values():
        if node.key == CHARACTER_KEY:
            names[node.id] = CHARACTER
        elif node.user_id == search.viewer.user_id:
            names[node.id] = SPEAKER
        elif node.user_id is not None:
            people[node.id] = node.user_id
    known = _called(search, people)
    names.update((i, known.get(i, f"{SPEAKER}{user_id}")) for i, user_id in people.items())
    return names


def people_names(search: Search, user_ids: Iterable[str]) -> dict[str, str]:
    """User id → what to call them before this viewer, as in `somebody`."""
    own = search.viewer.user_id
    wanted = {person_key(user_id): user_id for user_id in user_ids if user_id != own}
    found = find(search.connection, search.viewer.character_id, wanted)
    ids = {node_id: wanted[key] for key, (node_id, _) in found.items()}
    by_user = {ids[node_id]: name for node_id, name in _called(search, ids).items()}
    told = {user_id: by_user.get(user_id, f"{SPEAKER}{user_id}") for user_id in wanted.values()}
    return {own: SPEAKER, **told}


def _called(search: Search, people: Mapping[int, str]) -> dict[int, str]:
    """Person → what to call them before this viewer, unless somebody else goes by that name there (R2.2)."""
    names = _newest_names(search, people)
    keys = {node_id: fold_name(name) for node_id, name in names.items()}
    bearers = {node_id for _, node_id, _ in called(search.connection, search.places, set(keys.values()))}
    others = by_id(search.connection, bearers - people.keys()).values()
    namesakes = _newest_names(search, {node.id: node.user_id for node in others if node.user_id is not None})
    bearing = Counter([*keys.values(), *map(fold_name, namesakes.values())])
    return {node_id: name for node_id, name in names.items() if bearing[keys[node_id]] == 1}


def _newest_names(search: Search, people: Mapping[int, str]) -> dict[int, str]:
    """Person → their newest alias that the viewer may know: of this conversation before others'.

    An alias used before the viewer came somewhere is none of theirs (R1.17).
    """
    best: dict[int, tuple[bool, datetime, str]] = {}
    for alias in aliases_of(search.connection, search.places, people):
        conversation_id = search.places[alias.place_id]
        origin = Origin(conversation_id, (people[alias.node_id],), alias.seen_at)
        if may_see(search.viewer, origin, search.policy):
            rank = (conversation_id == search.viewer.conversation_id, alias.seen_at, alias.name)
            best[alias.node_id] = max(best.get(alias.node_id, rank), rank)
    return {node_id: name for node_id, (_, _, name) in best.items()}


def fact_line(fact: Fact, said_by: str, zone: tzinfo | None) -> str:
    """One fact on one line: what, whether it was concluded, when, by whom."""
    day = fact.last_seen.astimezone(zone).strftime("%Y-%m-%d")
    object = gist(fact.object, _OBJECT_SHOWN)
    return f"- {fact.subject} {fact.label} {object}（{day}，{said_by}说）"


def fact_lines(facts: Sequence[Fact], said_by: Mapping[str, str], zone: tzinfo | None) -> list[str]:
    """The lines of facts, as far as they fit (R2.9)."""
    return _fitting(fact_line(f, said_by.get(f.user_id, SPEAKER), zone) for f in facts[:FACTS_LIMIT])


def trait_lines(traits: Sequence[Fact]) -> list[str]:
    """The lines of a persona, as far as they fit."""
    return _fitting(f"- {trait.label}：{trait.object}" for trait in traits)


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
