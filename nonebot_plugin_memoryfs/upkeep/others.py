"""What the character wrote elsewhere about a person, or from a group, that is erased (R7.3, R7.4).

What others said themselves is not touched. How "about" is decided stands in `words`.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import UTC
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, and_, bindparam, not_, select, update

from ..memory.audience import origin_of
from ..memory.categories import RECENT_DIGEST, USER_PERSONA
from ..memory.entries import Entry, parse_entries
from ..memory.paths import MemoryPath, parse_memory_path
from ..search import index
from ..search.index import Kind
from ..search.places import chunks, place_of
from ..storage.tables import files, lines, tasks, traces, turns
from .person import Person, Whose
from .words import Words

ERASED = "（已抹去）"
"""What stands for a text about somebody who was erased."""

_SAY = update(lines).where(lines.c.id == bindparam("of_line")).values(text=ERASED)
_NO_GIST = update(turns).where(turns.c.id == bindparam("of_turn")).values(gist="")
_TASK = update(tasks).where(tasks.c.id == bindparam("of_task")).values(description=ERASED)
_BODIES = select(traces.c.turn_id, traces.c.conversation_id, traces.c.body, traces.c.prompt_size).where(
    traces.c.turn_id.in_(bindparam("turn_ids", expanding=True))
)
_TRACE = (
    update(traces)
    .where(traces.c.turn_id == bindparam("of_turn"))
    .values(body=bindparam("new_body", type_=traces.c.body.type), prompt=None, prompt_size=0)
)


def gather_words(
    connection: Connection, whose: Whose, words: Words, things: Iterable[str], said_in: Collection[str]
) -> None:
    """Learn what was said and what is kept of it, less what others said themselves in these conversations."""
    own = select(lines.c.text).where(whose.lines, lines.c.by_character.is_(False))
    words.add(connection.scalars(own), things)
    if isinstance(whose, Person):
        for path, content in connection.execute(select(files.c.path, files.c.content)):
            if parse_memory_path(path).user_id == whose.user_id:
                words.add(entry.text for entry in parse_entries(content, UTC))
    said = select(lines.c.text).where(
        not_(whose.lines), lines.c.by_character.is_(False), lines.c.conversation_id.in_(said_in)
    )
    for text in connection.scalars(said):
        words.drop(text)


def erase_from_others(connection: Connection, whose: Whose, words: Words, reach: frozenset[str]) -> int:
    """Blank what the character wrote of it in conversations of others; returns how many texts."""
    return (
        _lines(connection, whose, words, reach)
        + _gists(connection, words, reach, whose)
        + _tasks(connection, words, reach, whose)
        + _traces(connection, words, reach, whose)
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


def digest_repeating(words: Words, reach: frozenset[str]) -> Callable[[MemoryPath, Entry], bool]:
    """Which entries are the character's own summary of another conversation, and repeat these words."""

    def repeating(place: MemoryPath, entry: Entry) -> bool:
        summary = place.kind is RECENT_DIGEST and origin_of(place, entry).conversation_id in reach
        return summary and words.repeated(entry.text)

    return repeating


def _lines(connection: Connection, whose: Whose, words: Words, reach: frozenset[str]) -> int:
    query = select(lines).where(
        lines.c.by_character.is_(True), lines.c.conversation_id.in_(reach), not_(whose.lines)
    )
    found = [row for row in connection.execute(query) if words.about(row.conversation_id, row.text)]
    for row in found:
        connection.execute(_SAY, {"of_line": row.id})
        place_id = place_of(connection, row.character_id, row.conversation_id)
        index.replace(connection, Kind.LINE, place_id, row.id, f"{row.speaker}\n{ERASED}")
    return len(found)


def _gists(connection: Connection, words: Words, reach: frozenset[str], whose: Whose) -> int:
    query = select(turns.c.id, turns.c.conversation_id, turns.c.gist).where(
        turns.c.conversation_id.in_(reach), not_(whose.by(turns.c.user_id))
    )
    found = [row.id for row in connection.execute(query) if words.about(row.conversation_id, row.gist)]
    for turn_id in found:
        connection.execute(_NO_GIST, {"of_turn": turn_id})
    return len(found)


def _tasks(connection: Connection, words: Words, reach: frozenset[str], whose: Whose) -> int:
    query = select(tasks.c.id, tasks.c.conversation_id, tasks.c.description).where(
        tasks.c.conversation_id.in_(reach), not_(whose.by(tasks.c.user_id))
    )
    found = [row.id for row in connection.execute(query) if words.about(row.conversation_id, row.description)]
    for task_id in found:
        connection.execute(_TASK, {"of_task": task_id})
    return len(found)


def _traces(connection: Connection, words: Words, reach: frozenset[str], whose: Whose) -> int:
    """Every kept prompt there goes: it holds what was said around it. Of the rest, what is about them."""
    others: ColumnElement[bool] = and_(
        traces.c.conversation_id.in_(reach), traces.c.turn_id.not_in(whose.turns)
    )
    changed = 0
    for some in chunks(connection.scalars(select(traces.c.turn_id).where(others)).all()):
        for turn_id, conversation_id, body, size in connection.execute(_BODIES, {"turn_ids": some}).all():
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
