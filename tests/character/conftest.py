"""A folder of cards, edited as people edit files."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.character import Roster


class Folder:
    """A data directory with cards in it, and what was reported about them."""

    def __init__(self, directory: Path) -> None:
        self.cards = directory / "characters"
        self.cards.mkdir(parents=True)
        self.personality = directory / "personality.json"
        self.reports: list[str] = []
        self._writes = 0

    def roster(self, default: str = "neko") -> Roster:
        return Roster(
            self.cards,
            self.reports.append,
            default=default,
            personality=self.personality,
            tools=["memory_recall"],
        )

    def put(self, name: str, content: Any) -> Path:
        """Write a file as an editor does: never twice with the same time."""
        path = self.personality if name == "personality.json" else self.cards / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        self._writes += 1
        os.utime(path, (self._writes, self._writes))
        return path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "cards")
