"""Taking facts back: by exact names, a few at a time, in this conversation, undoable (R2.10)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, or_, select, update

from ..scope import Scope
from ..search.index import Kind
from ..search.questions import evidence
from ..search.ranking import rank, shelves_of
from ..search.recipes import NAMES
from ..storage.tables import LIVE_EDGE, PURGED_EDGE, edges
from ..text.folding import fold_name
from . import answers
from .commit import Said, write_triplets
from .edges import COLUMNS, Edge, close, edge_of
from .kinds import EdgeKind
from .match import where_named
from .nodes import find, name_key, node_of, person_key
from .recall import Search, spelled
from .relations import canonical, find_relations
from .render import facts_of, somebody
from .results import PurgeResult
from .triplets import OBJECT_LIMIT, Triplet, unmarked
from .who import resolve

AT_ONCE = 5
UNDO_FOR = timedelta(days=30)
_NEAREST = 5
_FIELDS = ("subject", "relation", "object")

_MATCHING = (
    select(*COLUMNS)
    .where(
        edges.c.place_id == bindparam("place_id"),
        edges.c.subject_id.in_(bindparam("subject_ids", expanding=True)),
        LIVE_EDGE,
    )
    .order_by(edges.c.last_seen.desc())
    .limit(AT_ONCE + 1)
)
_FACT = edges.c.kind == EdgeKind.RELATES_TO.value
_OWN = or_(edges.c.user_id == bindparam("user_id"), edges.c.subject_id == bindparam("own_id"))
"""In a group, a person takes back what they said, or what is about them."""
LAST_PURGED = select(func.max(edges.c.valid_to)).where(
    edges.c.place_id == bindparam("place_id"),
    edges.c.valid_to >= bindparam("since"),
    PURGED_EDGE,
)
REPLACED = update(edges).where(edges.c.id == bindparam("edge_id")).values(superseded_by=bindparam("by"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a purge asks for."""

    subject: str
    relation: str
    object: str
    replacement: str | None
    """The object that takes the place of the closed one."""
    inferred: bool = False
    """Whether the replacement is marked as concluded (R2.4)."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a purge would close, or why it can't."""

    edges: tuple[Edge, ...] = ()
    reason: str = ""
    nearest: tuple[str, ...] = ()


def asked_for(
    subject: str, relation: str | None, object: str | None, replacement: str | None
) -> Wanted | str:
    """What a purge of these names asks for, or what is wrong with it."""
    names = [unmarked(name or "")[0] for name in (subject, relation, object)]
    for field, given, name in zip(_FIELDS, (subject, relation, object), names, strict=True):
        if given and given.strip() and not name:
            return f"{field} 是空的"
    if not names[0]:
        return "请写明 subject"
    if not any(names[1:]):
        return "只写主语会删掉太多，请写明 relation 或 object"
    if replacement is None:
        return Wanted(*names, replacement=None)
    new, inferred = unmarked(replacement)
    if not 0 < len(new) <= OBJECT_LIMIT:
        return f"replacement 需要 1 到 {OBJECT_LIMIT} 字"
    return Wanted(*names, replacement=new, inferred=inferred)


def purge(search: Search, place_id: int, said: Said, wanted: Wanted) -> PurgeResult:
    """Close the facts these exact names mean, and write their replacement, or say why not."""
    found = _find(search, place_id, said.scope, wanted)
    if found.reason:
        return answers.purge_refused(found.reason, found.nearest)
    new = wanted.replacement
    if new and len({edge.relation_id for edge in found.edges}) > 1:
        return answers.purge_refused("更正时请写明 relation")
    facts = facts_of(search, found.edges)
    if new and any(fold_name(fact.object) == fold_name(new) for fact in facts):
        return answers.purge_refused("新内容和原来的一样")
    if wanted.inferred and any(not fact.inferred for fact in facts):
        return answers.purge_refused("推测的内容不能代替明确说过的")
    take_back(search, place_id, said, found.edges, new, inferred=wanted.inferred)
    return answers.purged(facts, new)


def take_back(
    search: Search,
    place_id: int,
    said: Said,
    taken: Sequence[Edge],
    new: str | None,
    *,
    inferred: bool = False,
) -> None:
    """Close facts of one place, undoable; `new` takes the place of their object.

    Args:
        search: for whom and where.
        place_id: the place of the facts.
        said: by whom, and when.
        taken: live facts; with a replacement, all of one label.
        new: the object that holds from now on.
        inferred: whether that is concluded, not said.
    """
    at = _purge_time(search.connection, place_id, said.at)
    close(search.connection, taken, at, purged=True)
    if new:
        triplet = Triplet(taken[0].subject, taken[0].relation, new, inferred)
        _replace(search, place_id, replace(said, at=at), taken, triplet)


def _replace(search: Search, place_id: int, said: Said, closed: Sequence[Edge], triplet: Triplet) -> None:
    """Write what holds instead, of the very node the closed facts are about, whoever goes by its name now."""
    connection, former = search.connection, closed[0]
    subject = node_of(connection, former.subject_id, former.subject)
    written = write_triplets(
        connection,
        place_id,
        replace(said, known={former.subject: subject}),
        [triplet],
        search.single_valued,
        persona=former.kind == EdgeKind.HAS_PERSONA,
    )
    by = written.ids[0]
    connection.execute(REPLACED, [{"edge_id": edge.id, "by": by} for edge in closed])


def _find(search: Search, place_id: int, scope: Scope, wanted: Wanted) -> Found:
    """The facts of this place that exactly these names mean; a name that means nothing, no facts."""
    connection = search.connection
    meant = _meant(search, place_id, scope, [name for name in (wanted.subject, wanted.object) if name])
    statement = _MATCHING
    where: dict[str, Any] = {"place_id": place_id, "subject_ids": meant[wanted.subject]}
    if wanted.object:
        statement = statement.where(edges.c.object_id.in_(bindparam("object_ids", expanding=True)))
        where["object_ids"] = meant[wanted.object]
    if wanted.relation:
        key = fold_name(canonical(wanted.relation, search.single_valued))
        labels = find_relations(connection, scope.character_id, [key])
        statement = statement.where(edges.c.relation_id == bindparam("relation_id"))
        where["relation_id"] = labels.get(key, 0)
    facts = statement.where(_FACT)
    own = [edge_of(row) for row in connection.execute(*owned(connection, scope, facts, where))]
    if len(own) > AT_ONCE:
        return Found(reason=f"符合的超过 {AT_ONCE} 条，请把 relation 或 object 说得更具体")
    if own:
        return Found(edges=tuple(own))
    if connection.execute(facts, where).first():
        return Found(reason="这是群里别人说的，只有本人能改")
    if connection.execute(statement, where).first():
        return Found(reason="人设和任务不能这样删：人设用 memory_commit 写新的，任务用 task_set_state")
    if _said_elsewhere(search, place_id, facts, where):
        return Found(reason="这是在别的会话里说的，要在那里删；值变了用 memory_commit 写新的")
    for name, node_ids in meant.items():
        if not node_ids:
            return _unknown(search, place_id, name)
    live = spelled(search, ((place_id, node_id) for node_id in where["subject_ids"]))
    return Found(reason="没有这样的事实") if live else _unknown(search, place_id, wanted.subject)


def _meant(search: Search, place_id: int, scope: Scope, names: Sequence[str]) -> dict[str, list[int]]:
    """Name → the nodes it may mean here and that are known here: the person, and what was only a name.

    Somebody may have been spoken of before they came here themselves, and a single-valued text such as a
    nickname is no person.
    """
    who = resolve(search.connection, scope, place_id, names)
    keys = {name: (node.key, name_key(name)) for name, node in who.items()}
    found = find(search.connection, scope.character_id, {key for both in keys.values() for key in both})
    known = {key: node_id for key, (node_id, _) in found.items() if _is_known(search, place_id, node_id)}
    return {name: [known[key] for key in dict.fromkeys(both) if key in known] for name, both in keys.items()}


def _is_known(search: Search, place_id: int, node_id: int) -> bool:
    """Whether this place or the viewer knows the name of a node: else it is as good as unknown."""
    here = where_named(search.connection, [place_id], [node_id])
    elsewhere = () if here else where_named(search.connection, search.places, [node_id])
    return bool(here or spelled(search, elsewhere))


def _said_elsewhere(search: Search, place_id: int, facts: Select[Any], where: dict[str, Any]) -> bool:
    """Whether these facts stand in another conversation that the viewer may look into."""
    return any(
        search.seen(edge_of(row))
        for other in search.places
        if other != place_id
        for row in search.connection.execute(facts, {**where, "place_id": other})
    )


def owned(
    connection: Connection, scope: Scope, statement: Select[Any], where: dict[str, Any]
) -> tuple[Select[Any], dict[str, Any]]:
    """The statement with its values, for only those facts the scope's user may close."""
    if scope.private:
        return statement, where
    own_key = person_key(scope.user_id)
    own_id, _ = find(connection, scope.character_id, [own_key]).get(own_key, (0, None))
    return statement.where(_OWN), {**where, "user_id": scope.user_id, "own_id": own_id}


def _unknown(search: Search, place_id: int, name: str) -> Found:
    nearest = _nearest_names(search, place_id, name)
    return Found(reason=answers.nobody(name), nearest=nearest)


def _nearest_names(search: Search, place_id: int, name: str) -> tuple[str, ...]:
    """Names of this place that share words with one that is not there, if a live fact holds them."""
    everything = {place_id: 0}
    matches = rank(
        search.connection, NAMES, shelves_of(search.connection, Kind.NODE, everything), evidence(name)
    )
    names = spelled(search, ((m.place_id, m.ref) for m in matches[: 4 * _NEAREST]))
    people = somebody(search, (node_id for _, node_id in names))
    return tuple(people.get(node_id, name) for (_, node_id), name in names.items())[:_NEAREST]


def _purge_time(connection: Connection, place_id: int, at: datetime) -> datetime:
    """The time of a purge: what one purge closed is known by it, so no two here share it."""
    where = {"place_id": place_id, "since": at - UNDO_FOR}
    last = connection.execute(LAST_PURGED, where).scalar()
    return at if last is None or last < at else last + timedelta(microseconds=1)
