"""Who is who: whom a name means where it is said (R2.2).

People are never told apart or mixed up by nickname: nicknames and group cards are aliases, and an
alias counts only in its own place.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from ..scope import Scope
from ..search import index
from ..search.corrections import SPEAKER_NAMES
from ..search.index import Kind
from ..text.folding import fold_name
from .aliases import Alias, called, keep_alias
from .nodes import (
    CHARACTER_KEY,
    SPEAKER,
    Node,
    by_id,
    character,
    ensure,
    find,
    name_key,
    person,
    person_key,
    thing,
)
from .triplets import NAME_LIMIT, tidy

_CHARACTER_NAMES = frozenset({"ai"})
_LIKE_AN_ID = re.compile(rf"{SPEAKER}[!-~]*")
"""`用户10001` and the like."""


def resolve(connection: Connection, scope: Scope, place_id: int, names: Iterable[str]) -> dict[str, Node]:
    """Whom or what each name means when the scope's user is spoken with in this place.

    `用户`, `我` and `user` are the speaker, `AI` is the character; a name that exactly one person
    goes by here (or the speaker among several) is that person; `用户{id}` is the one with the id.
    """
    unsure: dict[str, str] = {}
    resolved: dict[str, Node] = {}
    for name in names:
        folded = fold_name(name)
        if folded in SPEAKER_NAMES:
            resolved[name] = person(scope.user_id)
        elif folded in _CHARACTER_NAMES:
            resolved[name] = character()
        else:
            unsure[name] = folded
    users = _people_called(connection, place_id, unsure.values())
    known = _known_by_id(connection, scope.character_id, unsure)
    for name, folded in unsure.items():
        ids = users.get(folded, [])
        if scope.user_id in ids:
            ids = [scope.user_id]
        user_id = ids[0] if len(ids) == 1 else known.get(name)
        resolved[name] = person(user_id, name) if user_id else thing(name)
    return resolved


def _people_called(connection: Connection, place_id: int, folded: Iterable[str]) -> dict[str, list[str]]:
    """Folded name → the user ids that go by it in this place."""
    found = called(connection, [place_id], folded)
    people = by_id(connection, {node_id for _, node_id, _ in found})
    users: dict[str, list[str]] = {}
    for _, node_id, key in found:
        if node_id in people and (user_id := people[node_id].user_id):
            users.setdefault(key, []).append(user_id)
    return users


def _known_by_id(connection: Connection, character_id: str, names: Mapping[str, str]) -> dict[str, str]:
    """Name → user id, for names of the form `用户{id}` that are somebody's."""
    ids = {name: name[len(SPEAKER) :] for name in names if name.startswith(SPEAKER)}
    found = find(connection, character_id, map(person_key, ids.values()))
    return {name: user_id for name, user_id in ids.items() if person_key(user_id) in found}


def note_alias(connection: Connection, scope: Scope, place_id: int, name: str, at: datetime) -> None:
    """Remember what the scope's user is called in this place, and find them by it."""
    name = tidy(name)[:NAME_LIMIT]
    key = fold_name(name)
    if not key or _LIKE_AN_ID.fullmatch(key) or key in SPEAKER_NAMES | _CHARACTER_NAMES:
        return  # nobody is called what means somebody else
    node = person(scope.user_id)
    end = ensure(connection, scope.character_id, [node])[node.key]
    names = keep_alias(connection, Alias(end.id, place_id, key, name, at))
    if names is not None:
        index.replace(connection, Kind.NODE, place_id, end.id, "\n".join([scope.user_id, *names]))


def is_speaker_name(word: str) -> bool:
    """Whether a word means whoever speaks."""
    return fold_name(word) in SPEAKER_NAMES


def is_character_name(word: str) -> bool:
    """Whether a word means the character."""
    return fold_name(word) in _CHARACTER_NAMES


def keys_of(words: Sequence[str], user_id: str) -> list[str]:
    """The keys that words can name exactly, aliases apart."""
    keys: list[str] = []
    for word in words:
        folded = fold_name(word)
        if folded in SPEAKER_NAMES:
            keys.append(person_key(user_id))
        elif folded in _CHARACTER_NAMES:
            keys.append(CHARACTER_KEY)
        else:
            keys.append(name_key(word))
    return keys
