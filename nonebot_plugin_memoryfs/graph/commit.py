"""Writing facts: nodes, edges, corrections and index in the caller's one transaction (R2.3–R2.8)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import Connection

from ..scope import Scope
from ..search import index
from ..search.index import Kind
from ..text.folding import fold_name
from .contradictions import settle_contraries
from .edges import Edge, Sighting, see, settle
from .kinds import EdgeKind, Role
from .nodes import End, Node, character, ensure, thing
from .relations import canonical, ensure_relations
from .traits import labels_in
from .triplets import Triplet, stands_in
from .who import is_character_name, is_speaker_name, resolve

PERSONA_RELATIONS = frozenset({"人设", "角色", "性格", "语气", "说话风格", "口癖", "身份", "自称"})
"""Said of `AI`, these are always its persona; so is every trait that it has, such as its name (R2.7)."""


@dataclass(frozen=True, slots=True)
class Written:
    """What writing some triplets did."""

    ids: tuple[int, ...]
    """The edge of each triplet, in order."""
    added: int
    seen_again: int
    superseded: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class _Meant:
    """A triplet with the nodes its names mean."""

    subject: Node
    kind: EdgeKind
    relation: str
    object: Node
    inferred: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The circumstances under which triplets are written."""

    scope: Scope
    at: datetime
    turn_id: int | None = None
    words: str | None = None
    """What the person said, in a turn: it decides what is inferred (R2.4)."""
    known: Mapping[str, Node] = field(default_factory=dict[str, Node])
    """Names whose nodes are known already, whoever goes by them."""


def write_triplets(
    connection: Connection,
    place_id: int,
    said: Said,
    triplets: Sequence[Triplet],
    single_valued: frozenset[str],
    *,
    persona: bool = False,
) -> Written:
    """Write checked triplets; all of them, or an exception rolls all of them back.

    Args:
        connection: a write.
        place_id: where they are said.
        said: by whom, when, and in what words.
        triplets: what is said.
        single_valued: the labels that hold one value at a time, folded.
        persona: whether what they say of the character is its persona, whatever the label.
    """
    meant = _meanings(connection, place_id, said, triplets, single_valued)
    if persona:
        meant = [_as_persona(m) for m in meant]
    ends = ensure(connection, said.scope.character_id, (n for m in meant for n in (m.subject, m.object)))
    labels = ensure_relations(connection, said.scope.character_id, {m.relation for m in meant})
    sightings = [_sighting(m, ends, labels, said) for m in meant]
    written = see(connection, place_id, sightings)
    _index(connection, place_id, meant, ends, labels)
    ids = tuple(written[sighting.key][0] for sighting in sightings)
    now = {edge_id: order for order, edge_id in enumerate(ids) if triplets[order].at is None}
    superseded: list[Edge] = []
    for subject_id, relation_id in _single(meant, sightings, single_valued):
        superseded += settle(connection, place_id, subject_id, relation_id, now)
    told = ((s, i, m.subject.user_id) for m, s, i in zip(meant, sightings, ids, strict=True))
    superseded += settle_contraries(connection, said.scope.character_id, place_id, told, now)
    added = sum(new for _, new in written.values())
    return Written(
        ids=ids,
        added=added,
        seen_again=len(written) - added,
        superseded=tuple(superseded),
    )


def _meanings(
    connection: Connection,
    place_id: int,
    said: Said,
    triplets: Sequence[Triplet],
    single_valued: frozenset[str],
) -> list[_Meant]:
    names = dict.fromkeys(name for t in triplets for name in (t.subject, t.object))
    unknown = [name for name in names if name not in said.known]
    who = resolve(connection, said.scope, place_id, unknown) | dict(said.known)
    traits = _trait_labels(connection, said.scope, (who[t.subject] for t in triplets))
    meant = [_meaning(t, who[t.subject], who[t.object], said, single_valued) for t in triplets]
    return [
        _as_persona(m) if is_persona(m.subject, t.relation, traits, single_valued) else m
        for m, t in zip(meant, triplets, strict=True)
    ]


def _meaning(
    triplet: Triplet,
    subject: Node,
    object: Node,
    said: Said,
    single_valued: frozenset[str],
) -> _Meant:
    inferred = triplet.inferred
    if inferred is None:
        inferred = said.words is not None and not stands_in(triplet.object, said.words)
    relation = canonical(triplet.relation, single_valued)
    at = min(triplet.at or said.at, said.at)  # nothing was said in the future
    if fold_name(relation) in single_valued or (
        object.key == subject.key and not is_speaker_name(triplet.object)
    ):
        object = thing(triplet.object)  # 我叫小明: a name is a text, not the person who goes by it
    return _Meant(subject, EdgeKind.RELATES_TO, relation, object, inferred, at)


def _as_persona(meant: _Meant) -> _Meant:
    object = replace(meant.object, roles=meant.object.roles | Role.PERSONA)
    return replace(meant, kind=EdgeKind.HAS_PERSONA, object=object)


def is_persona(subject: Node, relation: str, traits: frozenset[str], single_valued: frozenset[str]) -> bool:
    """Whether a triplet says what the character is like; `traits` are the labels of those it has."""
    labels = {fold_name(relation), fold_name(canonical(relation, single_valued))}
    return Role.AI in subject.roles and not labels.isdisjoint(traits)


def _trait_labels(connection: Connection, scope: Scope, subjects: Iterable[Node]) -> frozenset[str]:
    """The labels that mean the persona here; looked up only where something is said of the character."""
    if not any(Role.AI in subject.roles for subject in subjects):
        return frozenset()
    return PERSONA_RELATIONS | labels_in(connection, scope.character_id, scope.conversation_id)


def sets_persona(
    connection: Connection, scope: Scope, triplets: Sequence[Triplet], single_valued: frozenset[str]
) -> bool:
    """Whether any of these triplets says what the character is like."""
    of_it = [triplet.relation for triplet in triplets if is_character_name(triplet.subject)]
    traits = _trait_labels(connection, scope, [character()] if of_it else [])
    return any(is_persona(character(), relation, traits, single_valued) for relation in of_it)


def _sighting(
    meant: _Meant,
    ends: Mapping[str, End],
    labels: Mapping[str, int],
    said: Said,
) -> Sighting:
    return Sighting(
        subject=replace(ends[meant.subject.key], name=meant.subject.name),
        kind=meant.kind,
        relation_id=labels[fold_name(meant.relation)],
        relation=meant.relation,
        object=replace(ends[meant.object.key], name=meant.object.name),
        inferred=meant.inferred,
        user_id=said.scope.user_id,
        at=meant.at,
        turn_id=said.turn_id,
    )


def _index(
    connection: Connection,
    place_id: int,
    meant: Sequence[_Meant],
    ends: Mapping[str, End],
    labels: Mapping[str, int],
) -> None:
    named = {ends[node.key].id: node.user_id or node.name for m in meant for node in (m.subject, m.object)}
    spoken = {labels[fold_name(m.relation)]: m.relation for m in meant}
    texts = [(Kind.NODE, node_id, name) for node_id, name in named.items()]
    texts += [(Kind.RELATION, relation_id, name) for relation_id, name in spoken.items()]
    index.put(connection, place_id, texts)


def _single(
    meant: Sequence[_Meant], sightings: Sequence[Sighting], single_valued: frozenset[str]
) -> list[tuple[int, int]]:
    """Subject and label of the single-valued ones among what was written, each once."""
    pairs = {
        (sighting.subject.id, sighting.relation_id): None
        for m, sighting in zip(meant, sightings, strict=True)
        if m.kind is EdgeKind.HAS_PERSONA or fold_name(m.relation) in single_valued
    }
    return list(pairs)
