"""Taking what a person wants forgotten out of the turns it was said in: lines, gists, traces (R1.19)."""

from collections.abc import Callable, Collection

from sqlalchemy import Connection, or_, select, update

from ..scope import Scope
from ..search import index
from ..search.index import Kind
from ..search.places import place_of
from ..storage.tables import lines, traces, turns
from .others import ERASED, without


def blank_turns(
    connection: Connection, scope: Scope, turn_ids: Collection[int], gone: Callable[[str], bool]
) -> int:
    """Blank the texts of these turns that state it, and the traces it was shown in; how many.

    Args:
        connection: a write.
        scope: whose turns they are.
        turn_ids: where it was said.
        gone: whether a text states it.
    """
    if not turn_ids:
        return 0
    return (
        _lines(connection, turn_ids, gone)
        + _gists(connection, turn_ids, gone)
        + _traces(connection, scope, turn_ids, gone)
    )


def _lines(connection: Connection, turn_ids: Collection[int], gone: Callable[[str], bool]) -> int:
    query = select(lines).where(lines.c.turn_id.in_(turn_ids))
    found = [row for row in connection.execute(query) if gone(row.text)]
    for row in found:
        connection.execute(update(lines).where(lines.c.id == row.id).values(text=ERASED))
        place_id = place_of(connection, row.character_id, row.conversation_id)
        index.replace(connection, Kind.LINE, place_id, row.id, f"{row.speaker}\n{ERASED}")
    return len(found)


def _gists(connection: Connection, turn_ids: Collection[int], gone: Callable[[str], bool]) -> int:
    query = select(turns.c.id, turns.c.gist).where(turns.c.id.in_(turn_ids))
    found = [row.id for row in connection.execute(query) if gone(row.gist)]
    connection.execute(update(turns).where(turns.c.id.in_(found)).values(gist=""))
    return len(found)


def _traces(
    connection: Connection, scope: Scope, turn_ids: Collection[int], gone: Callable[[str], bool]
) -> int:
    """Of their turns, and of everybody's where it was said: prompts and calls since then may hold it."""
    theirs = select(turns.c.id).where(turns.c.user_id == scope.user_id)
    there = select(turns.c.conversation_id).where(turns.c.id.in_(turn_ids))
    query = select(traces.c.turn_id, traces.c.body, traces.c.prompt).where(
        traces.c.turn_id >= min(turn_ids),
        or_(traces.c.turn_id.in_(theirs), traces.c.conversation_id.in_(there)),
    )
    changed = 0
    for turn_id, body, prompt in connection.execute(query).all():
        cleaned = without(body, gone)
        if cleaned == body and not gone(prompt or ""):
            continue
        row = {"body": cleaned, "prompt": None, "prompt_size": 0}
        connection.execute(update(traces).where(traces.c.turn_id == turn_id).values(row))
        changed += 1
    return changed
