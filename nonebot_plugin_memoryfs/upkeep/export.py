"""Everything stored about a person that they may see, as JSON and as Markdown (R6.5, R7.4).

They see it as in their private chat: what others said where they may not look is not in it (R1.17).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from sqlalchemy import Connection, select, union

from ..graph.kinds import EdgeKind
from ..graph.nodes import SPEAKER
from ..memory import Entry, HistoryLimits
from ..memory.audience import origin_of
from ..memory.history import History
from ..memory.paths import MemoryPath, parse_memory_path
from ..memory.records import Records
from ..scope import Origin, Policy, Viewer, may_see, private_conversation
from ..storage.tables import edges, file_history, files, places
from .holdings import HOLDINGS
from .person import Person, find_person

FORMAT = "nonebot-plugin-memoryfs/person"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """What is stored of one kind."""

    name: str
    title: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Export:
    """What is stored about a person."""

    user_id: str
    made_at: datetime
    sections: Sequence[Section]
    """Only those that hold anything."""

    def to_json(self) -> str:
        """As JSON, indented."""
        body = {
            "format": FORMAT,
            "user_id": self.user_id,
            "made_at": self.made_at.isoformat(),
            **{section.name: list(section.rows) for section in self.sections},
        }
        return json.dumps(body, ensure_ascii=False, indent=2) + "\n"

    def to_markdown(self) -> str:
        """For reading."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"# 关于 {self.user_id} 的全部记录\n\n导出于 {self.made_at:%Y-%m-%d %H:%M}"
        for section in self.sections:
            yield f"\n## {section.title}\n"
            yield from (f"- {_told(row)}" for row in section.rows)
        yield "" if self.sections else "\n没有存过与此人有关的内容\n"


def export_person(
    connection: Connection, policy: Policy, user_id: str, now: datetime, zone: tzinfo
) -> Export:
    """Read all of it.

    Args:
        connection: a read.
        policy: what may be seen (R1.17).
        user_id: the person.
        now: the time.
        zone: the zone times are shown in.
    """
    person = find_person(connection, user_id)
    sections = [
        Section("files", "记忆文件", list(_entries(connection, person, policy, zone))),
        Section("edges", "事实", list(_facts(connection, person, policy, zone))),
    ]
    for name, holding in HOLDINGS.items():
        if holding.shown and holding.theirs is not None:
            query = select(*(holding.table.c[column] for column in holding.shown))
            query = query.where(holding.theirs(person)).order_by(*holding.table.primary_key)
            rows = [_shown(row, zone) for row in connection.execute(query).mappings()]
            sections.append(Section(name, holding.title, rows))
    return Export(user_id, now.astimezone(zone), [section for section in sections if section.rows])


def _entries(connection: Connection, person: Person, policy: Policy, zone: tzinfo) -> Iterator[Row]:
    """The entries that are from or about them, with those of the past."""
    history = History(zone, HistoryLimits())
    records = Records(zone, history)
    for path in sorted(connection.scalars(union(select(files.c.path), select(file_history.c.path)))):
        place = parse_memory_path(path)
        viewer = _viewer(person, place.character_id)
        now = records.parse(records.contents(connection, [path]).get(path, ""))
        former = (e for version in history.versions(connection, path) for e in records.parse(version.content))
        past = [entry for entry in (*history.dropped(connection, place), *former) if entry not in now]
        for entry, holds in (*((e, True) for e in now), *((e, False) for e in dict.fromkeys(past))):
            if _theirs(place, entry, person) and may_see(viewer, origin_of(place, entry), policy):
                yield _entry_row(path, entry, holds, zone)


def _theirs(place: MemoryPath, entry: Entry, person: Person) -> bool:
    return (
        place.user_id == person.user_id
        or person.user_id in entry.people
        or origin_of(place, entry).conversation_id in person.conversations
    )


def _entry_row(path: str, entry: Entry, holds: bool, zone: tzinfo) -> Row:
    row = {"at": entry.at, "path": path, "conversation_id": entry.conversation_id, "text": entry.text}
    return _shown(row if holds else row | {"former": True}, zone)


def _facts(connection: Connection, person: Person, policy: Policy, zone: tzinfo) -> Iterator[Row]:
    query = (
        select(
            edges.c.last_seen,
            edges.c.first_seen,
            places.c.character_id,
            places.c.conversation_id,
            edges.c.user_id,
            edges.c.subject_id,
            edges.c.subject,
            edges.c.relation,
            edges.c.object,
            edges.c.inferred,
            edges.c.valid_to,
        )
        .join(places, places.c.id == edges.c.place_id)
        .where(person.edges, edges.c.kind == EdgeKind.RELATES_TO.value)
        .order_by(edges.c.id)
    )
    own = set(connection.scalars(person.nodes))
    for row in connection.execute(query):
        heard_at = row.first_seen if row.inferred else row.last_seen
        origin = Origin(row.conversation_id, (row.user_id,), heard_at)
        if may_see(_viewer(person, row.character_id), origin, policy):
            shown = {
                "last_seen": row.last_seen,
                "conversation_id": row.conversation_id,
                "subject": SPEAKER if row.subject_id in own else row.subject,
                "relation": row.relation,
                "object": row.object,
                "inferred": row.inferred or None,
                "valid_to": row.valid_to,
            }
            yield _shown(shown, zone)


def _viewer(person: Person, character_id: str) -> Viewer:
    return Viewer(character_id, person.user_id, private_conversation(person.user_id), person.seen_in)


def _shown(row: Mapping[Any, Any], zone: tzinfo) -> Row:
    """A row as JSON, without what is not said."""
    return {
        str(name): value.astimezone(zone).isoformat(timespec="seconds")
        if isinstance(value, datetime)
        else value
        for name, value in row.items()
        if value not in (None, "")
    }


def _told(row: Row) -> str:
    return " · ".join(str(value).replace("\n", "\n  ") for value in row.values())
