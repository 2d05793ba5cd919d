"""What the words of a query mean: names, aliases and labels in the places that may be seen (R2.9).

First exact names, then names that hold all of a word, then names that share shingles with it; last,
names of one character that stands in a longer word.
Everything is looked up per place, so a name that was only used where the viewer may not look is
never found.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from ..scope import Viewer
from ..search.index import Kind
from ..search.places import chunks
from ..search.questions import evidence, weak_evidence
from ..search.ranking import rank, shelves_of
from ..search.recipes import NAMES
from ..storage.tables import documents
from ..text.cleaning import clean
from ..text.folding import fold_name
from ..text.grams import keywords, phrases
from .aliases import called
from .nodes import SPEAKER, find, name_key, person_key
from .who import is_speaker_name, keys_of

Pair = tuple[int, int]
"""Place, and node or relation."""

_EXACT_PHRASE = 2.5
_EXACT = 2.0
_ALL_OF_A_WORD = 1.5
_MENTIONED = 0.6
_ONE_CHARACTER = 0.3
_WORDS = 8
_PER_WORD = 100
"""The best so many names a word brings: far more than a recall follows."""
_CHARACTERS = 48

_HELD = select(documents.c.place_id, documents.c.ref).where(
    documents.c.place_id.in_(bindparam("place_ids", expanding=True)),
    documents.c.kind == int(Kind.NODE),
    documents.c.ref.in_(bindparam("refs", expanding=True)),
)


@dataclass(frozen=True, slots=True)
class Matched:
    """What a query means, strongest first."""

    nodes: Mapping[Pair, float]
    relations: Mapping[Pair, float]


def match(connection: Connection, viewer: Viewer, places: Iterable[int], query: str) -> Matched:
    """Find the names and labels a query means in these places."""
    words = keywords(clean(query))[:_WORDS]
    place_ids = list(places)
    nodes: dict[Pair, float] = {}
    relations: dict[Pair, float] = {}
    everything = dict.fromkeys(place_ids, 0)
    shelves = [
        (shelves_of(connection, kind, everything), found)
        for kind, found in ((Kind.NODE, nodes), (Kind.RELATION, relations))
    ]
    unclear: list[str] = []
    for word in words:
        grams = evidence(word)
        whole = False
        for some, found in shelves:
            for m in rank(connection, NAMES, some, grams, _PER_WORD):
                strength = _ALL_OF_A_WORD if m.share > 0.999 else m.share
                whole = whole or strength == _ALL_OF_A_WORD
                _raise(found, {(m.place_id, m.ref): strength})
        if not whole:
            unclear.append(word)
    _raise(nodes, _named(connection, viewer, place_ids, words, _EXACT))
    if several := phrases(clean(query))[:_WORDS]:
        _raise(nodes, _named(connection, viewer, place_ids, several, _EXACT_PHRASE))
    _raise(nodes, _of_one_character(connection, viewer, place_ids, unclear))
    return Matched(_in_order(nodes), _in_order(relations))


def _raise(found: dict[Pair, float], strengths: Mapping[Pair, float]) -> None:
    """Of two strengths of one thing, the larger counts."""
    for pair, strength in strengths.items():
        found[pair] = max(found.get(pair, 0.0), strength)


def where_named(connection: Connection, place_ids: Iterable[int], node_ids: Iterable[int]) -> list[Pair]:
    """In which of these places these nodes occur."""
    refs = list(node_ids)
    found: list[Pair] = []
    for chunk in chunks(place_ids):
        rows = connection.execute(_HELD, {"place_ids": chunk, "refs": refs})
        found.extend((row.place_id, row.ref) for row in rows)
    return found


def _named(
    connection: Connection, viewer: Viewer, place_ids: list[int], words: list[str], exact: float
) -> dict[Pair, float]:
    """The nodes that words name exactly, and the speaker where a sentence mentions them."""
    keys = keys_of(words, viewer.user_id)
    speaker = person_key(viewer.user_id)
    found = find(connection, viewer.character_id, {*keys, speaker})
    strengths = {found[key][0]: exact for key in keys if key in found}
    mentioned = any(SPEAKER in word or "我" in word for word in words)
    if mentioned and speaker in found:
        strengths.setdefault(found[speaker][0], _MENTIONED)
    pairs = {pair: strengths[pair[1]] for pair in where_named(connection, place_ids, strengths)}
    folded = [fold_name(word) for word in words if not is_speaker_name(word)]
    for place_id, node_id, _ in called(connection, place_ids, folded):
        pairs[place_id, node_id] = exact
    return pairs


def _of_one_character(
    connection: Connection, viewer: Viewer, place_ids: list[int], words: list[str]
) -> dict[Pair, float]:
    """What has a name of one character that stands in these words: 猫 in 猫咪 (R2.9)."""
    characters = list(dict.fromkeys(c for word in words for c in weak_evidence(word)))[:_CHARACTERS]
    found = find(connection, viewer.character_id, map(name_key, characters))
    named = where_named(connection, place_ids, (node_id for node_id, _ in found.values()))
    people = [(place_id, node_id) for place_id, node_id, _ in called(connection, place_ids, characters)]
    return dict.fromkeys([*named, *people], _ONE_CHARACTER)


def _in_order(found: Mapping[Pair, float]) -> dict[Pair, float]:
    return dict(sorted(found.items(), key=lambda item: (-item[1], -item[0][1], item[0][0])))
