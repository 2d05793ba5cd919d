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
from .nodes import find, person_key
from .recall import Search, spelled
from .relations import canonical, find_relations
from .render import facts_of, somebody
from .results import Fact, PurgeResult
from .triplets import OBJECT_LIMIT, Triplet
from .who import resolve

AT_ONCE = 5
UNDO_FOR = timedelta(days=30)
_NEAREST = 5

_MATCHING = (
    select(*COLUMNS)
    .where(
        edges.c.place_id == bindparam("place_id"),
        edges.c.subject_id == bindparam("subject_id"),
        edges.c.kind == EdgeKind.RELATES_TO.value,
        LIVE_EDGE,
    )
    .order_by(edges.c.last_seen.desc())
    .limit(AT_ONCE + 1)
)
_OWN = or_(edges.c.user_id == bindparam("user_id"), edges.c.subject_id == bindparam("own_id"))
"""In a group, a person takes back what they said, or what is about them."""
_LAST = select(func.max(edges.c.valid_to)).where(
    edges.c.place_id == bindparam("place_id"),
    edges.c.valid_to >= bindparam("since"),
    PURGED_EDGE,
)
_LAST_OWN = _LAST.where(edges.c.user_id == bindparam("user_id"))
_REPLACED = update(edges).where(edges.c.id == bindparam("edge_id")).values(superseded_by=bindparam("by"))
_PURGED_THEN = select(*COLUMNS).where(
    edges.c.place_id == bindparam("place_id"),
    edges.c.valid_to == bindparam("then"),
    PURGED_EDGE,
)
_TWIN = select(edges.c.id).where(
    edges.c.place_id == bindparam("place_id"),
    edges.c.subject_id == bindparam("subject_id"),
    edges.c.relation_id == bindparam("relation_id"),
    edges.c.object_id == bindparam("object_id"),
    LIVE_EDGE,
)
_REOPEN = (
    update(edges)
    .where(edges.c.id == bindparam("edge_id"))
    .values(valid_to=None, superseded_by=None, purged=False)
)
_BY_ID = select(*COLUMNS).where(edges.c.id == bindparam("edge_id"), LIVE_EDGE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a purge asks for."""

    subject: str
    relation: str
    object: str
    replacement: str | None
    """The object that takes the place of the closed one."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a purge would close, or why it can't."""

    edges: tuple[Edge, ...] = ()
    reason: str = ""
    nearest: tuple[str, ...] = ()


def why_not(wanted: Wanted) -> str:
    """What is wrong with what is asked for, or nothing."""
    if not wanted.subject:
        return "请写明 subject"
    if not wanted.relation and not wanted.object:
        return "只写主语会删掉太多，请写明 relation 或 object"
    if wanted.replacement is not None and not 0 < len(wanted.replacement) <= OBJECT_LIMIT:
        return f"replacement 需要 1 到 {OBJECT_LIMIT} 字"
    return ""


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
    take_back(search, place_id, said, wanted.subject, found.edges, new)
    return answers.purged(facts, new)


def take_back(
    search: Search,
    place_id: int,
    said: Said,
    subject: str,
    taken: Sequence[Edge],
    new: str | None,
) -> None:
    """Close facts of one place, undoable; `new` takes the place of their object.

    Args:
        search: for whom and where.
        place_id: the place of the facts.
        said: by whom, and when.
        subject: a name that means their subject there.
        taken: live facts; with a replacement, all of one label.
        new: the object that holds from now on.
    """
    at = _purge_time(search.connection, place_id, said.at)
    close(search.connection, taken, at, purged=True)
    if new:
        _replace(search, place_id, replace(said, at=at), subject, taken, new)


def _replace(
    search: Search,
    place_id: int,
    said: Said,
    subject: str,
    closed: Sequence[Edge],
    new: str,
) -> None:
    connection = search.connection
    triplet = Triplet(subject, closed[0].relation, new, inferred=False)
    persona = closed[0].kind == EdgeKind.HAS_PERSONA
    written = write_triplets(connection, place_id, said, [triplet], search.single_valued, persona=persona)
    by = written.ids[0]
    connection.execute(_REPLACED, [{"edge_id": edge.id, "by": by} for edge in closed])


def _find(search: Search, place_id: int, scope: Scope, wanted: Wanted) -> Found:
    """The facts of this place that exactly these names mean; a name that means nothing, no facts."""
    connection = search.connection
    names = [name for name in (wanted.subject, wanted.object) if name]
    who = resolve(connection, scope, place_id, names)
    nodes = {name: _known(search, place_id, scope, node.key) for name, node in who.items()}
    for name in names:
        if nodes[name] is None:
            return _unknown(search, place_id, name)
    statement = _MATCHING
    where: dict[str, Any] = {"place_id": place_id, "subject_id": nodes[wanted.subject]}
    if wanted.object:
        statement = statement.where(edges.c.object_id == bindparam("object_id"))
        where["object_id"] = nodes[wanted.object]
    if wanted.relation:
        key = fold_name(canonical(wanted.relation, search.single_valued))
        labels = find_relations(connection, scope.character_id, [key])
        statement = statement.where(edges.c.relation_id == bindparam("relation_id"))
        where["relation_id"] = labels.get(key, 0)
    own = [edge_of(row) for row in connection.execute(*_owned(connection, scope, statement, where))]
    if len(own) > AT_ONCE:
        return Found(reason=f"符合的超过 {AT_ONCE} 条，请把 relation 或 object 说得更具体")
    if own:
        return Found(edges=tuple(own))
    if connection.execute(statement, where).first():
        return Found(reason="这是群里别人说的，只有本人能改")
    live = spelled(search, [(place_id, where["subject_id"])])
    return Found(reason="没有这样的事实") if live else _unknown(search, place_id, wanted.subject)


def _known(search: Search, place_id: int, scope: Scope, key: str) -> int | None:
    """The node of this key, if this place or the viewer knows its name: else it is as good as unknown."""
    found = find(search.connection, scope.character_id, [key])
    if key not in found:
        return None
    node_id, _ = found[key]
    here = where_named(search.connection, [place_id], [node_id])
    elsewhere = () if here else where_named(search.connection, search.places, [node_id])
    return node_id if here or spelled(search, elsewhere) else None


def _owned(
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
    return Found(reason=f"没有叫 {name!r} 的", nearest=nearest)


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
    last = connection.execute(_LAST, where).scalar()
    return at if last is None or last < at else last + timedelta(microseconds=1)


def undo(search: Search, place_id: int, scope: Scope, at: datetime) -> list[Fact]:
    """Open again what the last purge here closed; a replacement it brought in ends.

    In a group, the last one that closed something the scope's user had said.
    """
    connection = search.connection
    where: dict[str, Any] = {"place_id": place_id, "since": at - UNDO_FOR}
    if scope.private:
        then = connection.execute(_LAST, where).scalar()
    else:
        then = connection.execute(_LAST_OWN, {**where, "user_id": scope.user_id}).scalar()
    return [] if then is None else facts_of(search, reopen(search.connection, place_id, then, at))


def reopen(connection: Connection, place_id: int, then: datetime, at: datetime) -> list[Edge]:
    """Open again what the purge of that time closed; a replacement it brought in ends."""
    closed = [edge_of(row) for row in connection.execute(_PURGED_THEN, {"place_id": place_id, "then": then})]
    for edge in closed:
        _end_replacement(connection, edge, then, at)
    for edge in closed:
        twin = {
            "place_id": place_id,
            "subject_id": edge.subject_id,
            "relation_id": edge.relation_id,
            "object_id": edge.object_id,
        }
        if connection.execute(_TWIN, twin).first() is None:
            connection.execute(_REOPEN, {"edge_id": edge.id})
    return closed


def _end_replacement(connection: Connection, edge: Edge, then: datetime, at: datetime) -> None:
    """Close what replaced a purged fact, unless it was said before or has been since."""
    row = connection.execute(_BY_ID, {"edge_id": edge.superseded_by or 0}).one_or_none()
    if row is not None:
        new = edge_of(row)
        if new.first_seen == then and new.sightings == 1:
            close(connection, [new], at)
