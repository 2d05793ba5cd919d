"""Everybody, and every group, of whom something is stored, wherever their id stands."""

from datetime import UTC

from sqlalchemy import Connection, select, union

from ..memory.entries import parse_entries
from ..memory.paths import parse_memory_path
from ..prompt.note import group_target, user_target
from ..scope import group_conversation, kind_of, private_conversation
from ..storage.learning_tables import relationships
from ..storage.prompt_tables import layers, notes
from ..storage.tables import edges, files, lines, nodes, places, presence, turns

_TARGET = user_target("")
_GROUP = group_target("")
_PRIVATE = private_conversation("")


def everybody(connection: Connection) -> list[str]:
    """The ids of all people, in order."""
    columns = (t.c.user_id for t in (presence, turns, lines, edges, nodes, relationships))
    query = union(*(select(column).where(column.is_not(None)) for column in columns))
    found = {str(user_id) for user_id in connection.scalars(query)}
    found.update(connection.scalars(select(layers.c.target_id).where(layers.c.level == "user")))
    for target in connection.scalars(select(notes.c.target_id).distinct()):
        if target.startswith(_TARGET):
            found.add(target.removeprefix(_TARGET))
    for path, content in connection.execute(select(files.c.path, files.c.content)):
        place = parse_memory_path(path)
        found.update(person for entry in parse_entries(content, UTC) for person in entry.people)
        if place.user_id:
            found.add(place.user_id)
        if place.conversation_id and kind_of(place.conversation_id) == "private":
            found.add(place.conversation_id.removeprefix(_PRIVATE))
    return sorted(found - {""})


def groups(connection: Connection) -> list[str]:
    """The conversation ids of all groups, in order."""
    columns = (table.c.conversation_id for table in (places, turns, lines, presence, notes))
    found: set[str | None] = set(connection.scalars(union(*(select(column) for column in columns))))
    for target in connection.scalars(select(notes.c.target_id).distinct()):
        if target.startswith(_GROUP):
            found.add(group_conversation(target.removeprefix(_GROUP)))
    for path, content in connection.execute(select(files.c.path, files.c.content)):
        found.add(parse_memory_path(path).conversation_id)
        found.update(entry.conversation_id for entry in parse_entries(content, UTC))
    return sorted(conversation for conversation in found if conversation and kind_of(conversation) == "group")
