"""Who is who: what makes two names one node, and what people are called (R2.2).

Keys: `character` (the AI), `user:{id}` (a person), `name:{folded}` (anything else with a name),
`task:{place}:{id}` and `state:{name}` (the task chain). People are never told apart or mixed up by
nickname: nicknames and group cards are aliases, and an alias counts only in its own place.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ..scope import Scope
from ..search import index
from ..search.index import Kind
from ..search.places import chunks
from ..storage.tables import aliases, nodes
from ..text.folding import fold_name
from .kinds import Role
from .triplets import NAME_LIMIT, tidy

SPEAKER = "用户"
CHARACTER = "AI"

_SPEAKER_NAMES = frozenset({"用户", "我", "user", "本人"})
_CHARACTER_NAMES = frozenset({"ai"})
_ALIAS_REFRESH = timedelta(days=1)

_BY_KEY = select(nodes.c.key, nodes.c.id, nodes.c.roles).where(
    nodes.c.character_id == bindparam("character_id"),
    nodes.c.key.in_(bindparam("keys", expanding=True)),
)
_BY_ID = select(nodes.c.id, nodes.c.key, nodes.c.name, nodes.c.user_id, nodes.c.roles).where(
    nodes.c.id.in_(bindparam("ids", expanding=True))
)
_MADE = (nodes.c.key, nodes.c.id, nodes.c.roles)
_ADD = {
    "sqlite": sqlite.insert(nodes).on_conflict_do_nothing().returning(*_MADE),
    "postgresql": postgresql.insert(nodes).on_conflict_do_nothing().returning(*_MADE),
}
_ADD_ROLES = (
    update(nodes)
    .where(nodes.c.id == bindparam("node_id"))
    .values(roles=nodes.c.roles.op("|")(bindparam("more")))
)
_CALLED = select(aliases.c.key, aliases.c.node_id).where(
    aliases.c.place_id == bindparam("place_id"),
    aliases.c.key.in_(bindparam("keys", expanding=True)),
)
_ALIASES_HERE = select(aliases.c.key, aliases.c.name, aliases.c.seen_at).where(
    aliases.c.node_id == bindparam("node_id"), aliases.c.place_id == bindparam("place_id")
)
_SEEN = (
    update(aliases)
    .where(
        aliases.c.node_id == bindparam("of_node"),
        aliases.c.place_id == bindparam("at_place"),
        aliases.c.key == bindparam("of_key"),
    )
    .values(name=bindparam("now_name"), seen_at=bindparam("now"))
)
_ADD_ALIAS = {
    "sqlite": sqlite.insert(aliases).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(aliases).on_conflict_do_nothing(),
}


@dataclass(frozen=True, slots=True)
class Node:
    """A node to be found or made."""

    key: str
    name: str
    roles: Role
    user_id: str | None = None


def person(user_id: str) -> Node:
    """The node of a person, by their id."""
    return Node(f"user:{user_id}", user_id, Role.ENTITY, user_id)


def character() -> Node:
    """The node of the character."""
    return Node("character", CHARACTER, Role.AI)


def thing(name: str, roles: Role = Role.ENTITY) -> Node:
    """The node of anything else with a name."""
    return Node(f"name:{fold_name(name)}", name, roles)


def ensure(connection: Connection, character_id: str, wanted: Iterable[Node]) -> dict[str, tuple[int, Role]]:
    """Find or make nodes; key → id and roles (those they have now)."""
    by_key: dict[str, Node] = {}
    for node in wanted:
        held = by_key.get(node.key)
        roles = node.roles | held.roles if held else node.roles
        by_key[node.key] = Node(node.key, node.name, roles, node.user_id)
    found = find(connection, character_id, by_key)
    missing = [node for key, node in by_key.items() if key not in found]
    if missing:
        found.update(_make(connection, character_id, missing))
    for key, (node_id, roles) in list(found.items()):
        more = by_key[key].roles & ~roles
        if more:
            connection.execute(_ADD_ROLES, {"node_id": node_id, "more": int(more)})
            found[key] = (node_id, roles | more)
    return found


def _make(connection: Connection, character_id: str, missing: list[Node]) -> dict[str, tuple[int, Role]]:
    rows = [
        {
            "character_id": character_id,
            "key": node.key,
            "name": node.name,
            "user_id": node.user_id,
            "roles": int(node.roles),
        }
        for node in missing
    ]
    made = connection.execute(_ADD[connection.dialect.name], rows)
    found = {row.key: (row.id, Role(row.roles)) for row in made}
    others = [node.key for node in missing if node.key not in found]  # another process was first
    return found | find(connection, character_id, others) if others else found


def find(connection: Connection, character_id: str, keys: Iterable[str]) -> dict[str, tuple[int, Role]]:
    """Those of these keys that have a node: key → id and roles."""
    found: dict[str, tuple[int, Role]] = {}
    for chunk in chunks(keys):
        rows = connection.execute(_BY_KEY, {"character_id": character_id, "keys": chunk})
        found.update((row.key, (row.id, Role(row.roles))) for row in rows)
    return found


def resolve(connection: Connection, scope: Scope, place_id: int, names: Iterable[str]) -> dict[str, Node]:
    """Whom or what each name means when the scope's user is spoken with in this place.

    `用户`, `我` and `user` are the speaker, `AI` is the character; a name that exactly one person
    goes by here (or the speaker among several) is that person; `用户{id}` is the one with the id.
    """
    unsure: dict[str, str] = {}
    resolved: dict[str, Node] = {}
    for name in names:
        folded = fold_name(name)
        if folded in _SPEAKER_NAMES:
            resolved[name] = person(scope.user_id)
        elif folded in _CHARACTER_NAMES:
            resolved[name] = character()
        else:
            unsure[name] = folded
    called = called_here(connection, place_id, unsure.values())
    ids = {node_id for node_ids in called.values() for node_id in node_ids}
    people = {row.id: row.user_id for row in by_id(connection, ids).values()}
    known = _known_by_id(connection, scope.character_id, unsure)
    for name, folded in unsure.items():
        users = [people[node_id] for node_id in called.get(folded, ()) if node_id in people]
        if scope.user_id in users:
            users = [scope.user_id]
        user_id = users[0] if len(users) == 1 else known.get(name)
        resolved[name] = person(user_id) if user_id else thing(name)
    return resolved


def called_here(connection: Connection, place_id: int, folded: Iterable[str]) -> dict[str, list[int]]:
    """Folded name → the people who go by it in this place."""
    called: dict[str, list[int]] = {}
    for chunk in chunks(folded):
        for row in connection.execute(_CALLED, {"place_id": place_id, "keys": chunk}):
            called.setdefault(row.key, []).append(row.node_id)
    return called


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node as it is stored."""

    id: int
    key: str
    name: str
    user_id: str | None
    roles: Role


def by_id(connection: Connection, ids: Iterable[int]) -> dict[int, StoredNode]:
    """These nodes."""
    found: dict[int, StoredNode] = {}
    for chunk in chunks(ids):
        for row in connection.execute(_BY_ID, {"ids": chunk}):
            found[row.id] = StoredNode(row.id, row.key, row.name, row.user_id, Role(row.roles))
    return found


def note_alias(connection: Connection, scope: Scope, place_id: int, name: str, at: datetime) -> None:
    """Remember what the scope's user is called in this place, and find them by it."""
    name = tidy(name)[:NAME_LIMIT]
    key = fold_name(name)
    if not key or key.startswith(SPEAKER) or key in _SPEAKER_NAMES | _CHARACTER_NAMES:
        return  # nobody is called what means somebody else
    node_id, _ = ensure(connection, scope.character_id, [person(scope.user_id)])[f"user:{scope.user_id}"]
    here = {"node_id": node_id, "place_id": place_id}
    held = {row.key: row for row in connection.execute(_ALIASES_HERE, here)}
    if key not in held:
        row = {**here, "key": key, "name": name, "seen_at": at}
        connection.execute(_ADD_ALIAS[connection.dialect.name], row)
        texts = [scope.user_id, *(row.name for row in held.values()), name]
        index.replace(connection, Kind.NODE, place_id, node_id, "\n".join(texts))
    elif at - held[key].seen_at > _ALIAS_REFRESH or (
        at > held[key].seen_at and held[key].seen_at < max(row.seen_at for row in held.values())
    ):
        row = {"of_node": node_id, "at_place": place_id, "of_key": key}
        connection.execute(_SEEN, {**row, "now_name": name, "now": at})


def _known_by_id(connection: Connection, character_id: str, names: Mapping[str, str]) -> dict[str, str]:
    """Name → user id, for names of the form `用户{id}` that are somebody's."""
    ids = {name: name[len(SPEAKER) :] for name in names if name.startswith(SPEAKER)}
    found = find(connection, character_id, [f"user:{user_id}" for user_id in ids.values()])
    return {name: user_id for name, user_id in ids.items() if f"user:{user_id}" in found}


def is_speaker_name(word: str) -> bool:
    """Whether a word means whoever speaks."""
    return fold_name(word) in _SPEAKER_NAMES


def keys_of(words: Sequence[str], user_id: str) -> list[str]:
    """The keys that words can name exactly, aliases apart."""
    keys: list[str] = []
    for word in words:
        folded = fold_name(word)
        if folded in _SPEAKER_NAMES:
            keys.append(f"user:{user_id}")
        elif folded in _CHARACTER_NAMES:
            keys.append("character")
        else:
            keys.append(f"name:{folded}")
    return keys
