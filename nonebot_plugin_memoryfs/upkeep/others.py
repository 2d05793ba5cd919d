"""What the character wrote in the turns of others about a person who is erased (R7.4).

What others said themselves is not touched. How "about" is decided stands in `words`.
"""

from collections.abc import Callable, Iterable
from datetime import UTC
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, and_, bindparam, not_, select, update

from ..memory.audience import origin_of
from ..memory.categories import USER_PERSONA
from ..memory.entries import Entry, parse_entries
from ..memory.paths import MemoryPath, parse_memory_path
from ..search import index
from ..search.index import Kind
from ..search.places import place_of
from ..storage.tables import files, lines, tasks, traces, turns
from .person import Person
from .words import Words

ERASED = "（已抹去）"
"""What stands for a text about somebody who was erased."""

_SAY = update(lines).where(lines.c.id == bindparam("of_line")).values(text=ERASED)
_NO_GIST = update(turns).where(turns.c.id == bindparam("of_turn")).values(gist="")
_TASK = update(tasks).where(tasks.c.id == bindparam("of_task")).values(description=ERASED)
_TRACE = (
    update(traces)
    .where(traces.c.turn_id == bindparam("of_turn"))
    .values(body=bindparam("new_body", type_=traces.c.body.type), prompt=None, prompt_size=0)
)


def gather_words(connection: Connection, person: Person, words: Words, things: Iterable[str]) -> None:
    """Learn what a person said and what is kept of them, less what others in their groups said themselves."""
    own = select(lines.c.text).where(person.lines, lines.c.by_character.is_(False))
    words.add(connection.scalars(own), things)
    for path, content in connection.execute(select(files.c.path, files.c.content)):
        if parse_memory_path(path).user_id == person.user_id:
            words.add(entry.text for entry in parse_entries(content, UTC))
    said = select(lines.c.text).where(
        not_(person.lines), lines.c.by_character.is_(False), lines.c.conversation_id.in_(person.groups)
    )
    for text in connection.scalars(said):
        words.drop(text)


def erase_from_others(connection: Connection, person: Person, words: Words, reach: frozenset[str]) -> int:
    """Blank what the character wrote about them in conversations of others; returns how many texts."""
    return (
        _lines(connection, person, words, reach)
        + _gists(connection, words, reach, person)
        + _tasks(connection, words, reach, person)
        + _traces(connection, words, reach, person)
    )


def about_entry(words: Words, reach: frozenset[str]) -> Callable[[MemoryPath, Entry], bool]:
    """Which entries of memory files are about them without carrying their tag.

    What is remembered of somebody from that person's own words is theirs, even if it names them.
    """

    def about(place: MemoryPath, entry: Entry) -> bool:
        conversation_id = origin_of(place, entry).conversation_id
        if conversation_id not in reach:
            return False
        named = place.kind is not USER_PERSONA and words.named(conversation_id, entry.text)
        return named or words.repeated(entry.text)

    return about


def _lines(connection: Connection, person: Person, words: Words, reach: frozenset[str]) -> int:
    query = select(lines).where(
        lines.c.by_character.is_(True), lines.c.conversation_id.in_(reach), not_(person.lines)
    )
    found = [row for row in connection.execute(query) if words.about(row.conversation_id, row.text)]
    for row in found:
        connection.execute(_SAY, {"of_line": row.id})
        place_id = place_of(connection, row.character_id, row.conversation_id)
        index.replace(connection, Kind.LINE, place_id, row.id, f"{row.speaker}\n{ERASED}")
    return len(found)


def _gists(connection: Connection, words: Words, reach: frozenset[str], person: Person) -> int:
    query = select(turns.c.id, turns.c.conversation_id, turns.c.gist).where(
        turns.c.conversation_id.in_(reach), turns.c.user_id != person.user_id
    )
    found = [row.id for row in connection.execute(query) if words.about(row.conversation_id, row.gist)]
    for turn_id in found:
        connection.execute(_NO_GIST, {"of_turn": turn_id})
    return len(found)


def _tasks(connection: Connection, words: Words, reach: frozenset[str], person: Person) -> int:
    query = select(tasks.c.id, tasks.c.conversation_id, tasks.c.description).where(
        tasks.c.conversation_id.in_(reach), tasks.c.user_id != person.user_id
    )
    found = [row.id for row in connection.execute(query) if words.about(row.conversation_id, row.description)]
    for task_id in found:
        connection.execute(_TASK, {"of_task": task_id})
    return len(found)


def _traces(connection: Connection, words: Words, reach: frozenset[str], person: Person) -> int:
    """Every kept prompt there goes: it holds what was said around it. Of the rest, what is about them."""
    others: ColumnElement[bool] = and_(
        traces.c.conversation_id.in_(reach), traces.c.turn_id.not_in(person.turns)
    )
    changed = 0
    for turn_id, conversation_id, body, size in connection.execute(
        select(traces.c.turn_id, traces.c.conversation_id, traces.c.body, traces.c.prompt_size).where(others)
    ).all():
        cleaned = without(body, lambda text, where=conversation_id: words.about(where, text))
        if cleaned != body or size:
            connection.execute(_TRACE, {"of_turn": turn_id, "new_body": cleaned})
            changed += cleaned != body
    return changed


def without(body: dict[str, Any], gone: Callable[[str], bool]) -> dict[str, Any]:
    """A trace with every such text blanked, but for what says which turn it is."""
    return body | {key: _without(value, gone) for key, value in body.items() if not isinstance(value, str)}


def _without(value: Any, gone: Callable[[str], bool]) -> Any:
    if isinstance(value, str):
        return ERASED if gone(value) else value
    if isinstance(value, dict):
        return {key: _without(item, gone) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_without(item, gone) for item in cast(list[Any], value)]
    return value
