"""Reading the facts of a TrulyMEM `memory.db`, which is only looked at (R6.6)."""

import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from ..errors import InvalidInput

_HOUSEKEEPING = ("is_type", "has_description", "HAS_STATE", "CONTAINS_INFO", "NEXT_TASK")
"""Labels of its task nodes, which are made anew by every turn."""
_FACTS = f"""
SELECT s.name, r.relation_type, o.name, r.created_at
FROM relations r JOIN entities s ON s.id = r.source_id JOIN entities o ON o.id = r.target_id
WHERE r.status = 'active' AND r.relation_type NOT IN ({", ".join("?" * len(_HOUSEKEEPING))})
ORDER BY r.id
"""


def read_facts(path: Path, zone: tzinfo) -> Iterator[Mapping[str, Any]]:
    """Its facts that hold, oldest first, each once, as triplets with the time they were said.

    Args:
        path: the file.
        zone: the zone of its times, which name none.

    Raises:
        InvalidInput: it is no such file.
    """
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            rows = connection.execute(_FACTS, _HOUSEKEEPING).fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise InvalidInput(f"{path} 不是 TrulyMEM 的 memory.db：{error}") from None
    newest: dict[tuple[Any, ...], datetime | None] = {}
    for *triplet, at in rows:
        newest[tuple(triplet)] = _time(at, zone)
    for (subject, relation, object), at in newest.items():
        yield {"subject": subject, "relation": relation, "object": object, "at": at}


def _time(value: object, zone: tzinfo) -> datetime | None:
    """A time as text or as seconds; nothing where it can't be read."""
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        time = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=zone)
