"""Where a word still stands in a data directory: every column of every table, and every JSON file."""

import json
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import select

from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.learning_tables import metadata

_INDEX = ("postings", "documents")


def in_tables(store: Store, word: str) -> list[str]:
    """The rows that hold a word, or index it."""
    return list(_rows(store, word))


def in_files(directory: Path, word: str) -> list[str]:
    """The JSON files that hold a word."""
    return [p.name for p in sorted(directory.rglob("*.json")) if word in p.read_text("utf-8")]


def _rows(store: Store, word: str) -> Iterator[str]:
    escaped = json.dumps(word)[1:-1]
    grams = {word[i : i + 2] for i in range(len(word) - 1)}
    with store.database.read() as connection:
        for table in metadata.sorted_tables:
            for row in connection.execute(select(table)).mappings():
                texts = [str(value) for value in row.values()]
                if any(word in text or escaped in text for text in texts) or (
                    table.name in _INDEX and grams <= set(" ".join(texts).split())
                ):
                    yield f"{table.name}: {dict(row)}"
