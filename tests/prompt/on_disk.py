"""Looking at and editing `prompts.json` and `memories.json` as a person would; ids that look like paths."""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import select

from nonebot_plugin_memoryfs.prompt.layers import FILE
from nonebot_plugin_memoryfs.prompt.notes_file import FILE as NOTES_FILE
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.prompt_tables import layer_history

ODD_IDS = [
    "/../../x",
    "..",
    "a/b",
    "a%2Fb",
    "%",
    "C:\\x",
    "猫",
    "🐱",
    "\x00\x1f",
    "\ud800",
    "user_1",
    "1" * 300,
]


def path_of(store: Store) -> Path:
    assert store.directory is not None
    return store.directory / FILE


def saved(store: Store) -> dict[str, Any]:
    return json.loads(path_of(store).read_text("utf-8"))


def edit(store: Store, data: Any) -> None:
    path_of(store).write_text(json.dumps(data, ensure_ascii=False), "utf-8")


def history(store: Store) -> list[tuple[str, str, str]]:
    with store.database.read() as c:
        rows = c.execute(select(layer_history).order_by(layer_history.c.id))
        return [(row.level, row.target_id, row.content) for row in rows]


def notes_path(store: Store) -> Path:
    assert store.directory is not None
    return store.directory / NOTES_FILE


def saved_notes(store: Store) -> list[dict[str, Any]]:
    return json.loads(notes_path(store).read_text("utf-8"))


def edit_notes(store: Store, data: Any) -> None:
    notes_path(store).write_text(json.dumps(data, ensure_ascii=False), "utf-8")
