"""Erasing a person: everything from or about them, in one transaction (R7.4).

The order matters: what is looked up by turns, places and nodes goes before these do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, not_, select

from ..memory import MemoryFS
from ..scope import EVERYWHERE, Policy
from ..search import index
from ..search.index import Kind
from ..storage.tables import documents, erasures, lines, places, postings
from .erased_ids import sealed
from .facts import erase_facts, erase_names, erase_repeated_facts, erase_repeated_tasks, names_of
from .holdings import HOLDINGS, Way
from .note_rows import erase_notes, notes_of_person
from .others import about_entry, erase_from_others, gather_words
from .person import Whose, find_person, within_reach
from .words import Words

_FILES = "搁置的文件"


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased."""

    counts: Mapping[str, int]
    """How many of what, by its Chinese name; only what there was."""

    @property
    def told(self) -> str:
        """How many of what, for people; empty where there was nothing."""
        return "，".join(f"{name} {count}" for name, count in self.counts.items())

    def with_files(self, count: int) -> "Erasure":
        """It, and so many set-aside files."""
        before = self.counts.get(_FILES, 0)
        return Erasure({**self.counts, _FILES: before + count}) if count else self

    @property
    def text(self) -> str:
        """In one sentence."""
        return f"已清除：{self.told}" if self.counts else "没有存过有关的内容"


def erase_rows(
    connection: Connection, memory: MemoryFS, policy: Policy, user_id: str, now: datetime
) -> tuple[Erasure, Words]:
    """Erase a person from the tables; what was erased, and what tells their words in other files.

    Args:
        connection: a write.
        memory: the memory files.
        policy: what may pass from one conversation to another (R1.17).
        user_id: the person.
        now: the time.
    """
    person = find_person(connection, user_id)
    reach = within_reach(connection, person, policy) | {EVERYWHERE}
    names = names_of(connection, person)
    words = Words(user_id, names | {EVERYWHERE: frozenset()})
    gone = erase_facts(connection, person, names)
    gather_words(connection, person, words, gone.things, person.groups)
    gone += erase_repeated_facts(connection, words, reach)
    gone += erase_repeated_tasks(connection, person, words, reach)
    counts = {"事实": len(gone.edges)}
    counts["别人对话里提到的地方"] = erase_from_others(connection, person, words, reach)
    counts["便签"] = erase_notes(connection, notes_of_person(connection, person, words, reach))
    counts |= erase_held(connection, person)
    erase_names(connection, gone)
    files = memory.erase_person(user_id, about_entry(words, reach))
    counts |= {"记忆文件": files.files, "其他文件里的条目": files.entries}
    connection.execute(insert(erasures), sealed(user_id, now))
    return Erasure({name: count for name, count in counts.items() if count}), words


def erase_held(connection: Connection, whose: Whose, *, settings: bool = True) -> dict[str, int]:
    """Delete the rows that the map knows to be theirs, and what the index holds of them.

    Args:
        connection: a write.
        whose: theirs.
        settings: whether how they want things goes too.

    Returns:
        How many of what.
    """
    _erase_from_index(connection, whose)
    counts: dict[str, int] = {}
    for holding in HOLDINGS.values():
        kept = holding.setting and not settings
        if holding.way is Way.ROWS and holding.theirs is not None and not kept:
            deleted = connection.execute(delete(holding.table).where(holding.theirs(whose))).rowcount
            if holding.title:
                counts[holding.title] = deleted
    return counts


def _erase_from_index(connection: Connection, whose: Whose) -> None:
    """Take their lines out of the text index, and all of their own conversations."""
    for table in (postings, documents):
        connection.execute(delete(table).where(table.c.place_id.in_(whose.places)))
    query = (
        select(places.c.id, lines.c.id)
        .join(
            places,
            (places.c.character_id == lines.c.character_id)
            & (places.c.conversation_id == lines.c.conversation_id),
        )
        .where(whose.lines, not_(lines.c.conversation_id.in_(whose.conversations)))
    )
    by_place: dict[int, list[int]] = {}
    for place_id, line_id in connection.execute(query):
        by_place.setdefault(place_id, []).append(line_id)
    for place_id, line_ids in by_place.items():
        index.remove(connection, Kind.LINE, place_id, line_ids)
