"""The labels of edges, and which of them hold one value at a time (R2.5)."""

from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, select

from ..search.places import chunks
from ..storage.tables import relations
from ..storage.upserts import insert_or_ignore
from ..text.folding import fold_name

_BY_KEY = select(relations.c.key, relations.c.id).where(
    relations.c.character_id == bindparam("character_id"),
    relations.c.key.in_(bindparam("keys", expanding=True)),
)
_ADD = insert_or_ignore(relations)

_SAME = {
    "住在": "所在地",
    "现在在": "所在地",
    "在": "所在地",
    "居住地": "所在地",
    "居住在": "所在地",
    "现居": "所在地",
    "工作": "职业",
    "岁数": "年龄",
    "生日是": "生日",
}
"""Labels that mean a single-valued one, so that a correction finds what it corrects."""


def canonical(relation: str, single_valued: frozenset[str]) -> str:
    """The label a fact is kept under; `single_valued` are folded labels."""
    same = _SAME.get(fold_name(relation).removeprefix("我"), relation)
    return same if fold_name(same) in single_valued else relation


def ensure_relations(connection: Connection, character_id: str, names: Iterable[str]) -> dict[str, int]:
    """Find or make labels: folded name → id."""
    keys = list(dict.fromkeys(map(fold_name, names)))
    found = find_relations(connection, character_id, keys)
    missing = [{"character_id": character_id, "key": key} for key in keys if key not in found]
    if missing:
        connection.execute(_ADD.on(connection), missing)
        found.update(find_relations(connection, character_id, [row["key"] for row in missing]))
    return found


def find_relations(connection: Connection, character_id: str, keys: Iterable[str]) -> dict[str, int]:
    """Those of these folded labels that exist, with their ids."""
    found: dict[str, int] = {}
    for chunk in chunks(keys):
        rows = connection.execute(_BY_KEY, {"character_id": character_id, "keys": chunk})
        found.update((row.key, row.id) for row in rows)
    return found
