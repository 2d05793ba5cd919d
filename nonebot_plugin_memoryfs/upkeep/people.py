"""Everybody of whom something is stored, wherever their id stands."""

from datetime import UTC

from sqlalchemy import Connection, select, union

from ..memory.entries import parse_entries
from ..memory.paths import parse_memory_path
from ..prompt.note import user_target
from ..scope import kind_of, private_conversation
from ..storage.learning_tables import relationships
from ..storage.prompt_tables import layers, notes
from ..storage.tables import edges, files, lines, nodes, presence, turns

_TARGET = user_target("")
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
