"""The upstream's folder of prompt files, read as it stands: `user/user_ID.txt`, `group/group_ID.txt`,
`neko.txt`, `personality.json` (R3.2).

No id is ever made into a path (R6.7): ids are compared with the names the folder has.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from ..character import Card, read_card
from ..errors import InvalidInput, TooLong
from ..text.cleaning import clean
from ..text.ids import encode_segment
from .layers import MAX_CHARACTERS, Level

MAX_BYTES = 8_000_000
"""Larger files are not read: a card may hold a portrait, nothing here is longer."""

T = TypeVar("T")


class PromptFolder:
    """The prompt files below one directory; a file that can't be used is reported once per version of it."""

    def __init__(self, directory: Path | None, report: Callable[[str], None]) -> None:
        """Look at a directory, which need not exist; `None` is an empty folder."""
        self._directory = directory
        self._texts = _Files(_layer_text, report)
        self._cards = _Files(read_card, report)

    def text(self, level: Level, target_id: str = "") -> str:
        """The text a file gives for a layer; empty without one."""
        if self._directory is None:
            return ""
        if level == "default":
            return self._texts.read(self._directory / "neko.txt") or ""
        path = _entry(self._directory / level, f"{level}_{encode_segment(target_id)}.txt")
        return (self._texts.read(path) if path else None) or ""

    def card(self) -> Card | None:
        """The card of `personality.json`, if there is one."""
        return self._cards.read(self._directory / "personality.json") if self._directory else None


class _Files(Generic[T]):
    """Parsed files, read again when they change."""

    def __init__(self, parse: Callable[[str], T], report: Callable[[str], None]) -> None:
        self._parse = parse
        self._report = report
        self._known: dict[Path, tuple[tuple[int, int], T | None]] = {}

    def read(self, path: Path) -> T | None:
        """The parsed file; `None` if it is absent or can't be used."""
        try:
            stat = path.stat()
        except OSError:
            self._known.pop(path, None)
            return None
        version = (stat.st_mtime_ns, stat.st_size)
        known = self._known.get(path)
        if known is None or known[0] != version:
            known = self._known[path] = (version, self._load(path, stat.st_size))
        return known[1]

    def _load(self, path: Path, size: int) -> T | None:
        try:
            if size > MAX_BYTES:
                raise TooLong(f"超过 {MAX_BYTES} 字节")
            return self._parse(path.read_text("utf-8-sig"))
        except UnicodeDecodeError:
            problem = "应为 UTF-8 编码"
        except InvalidInput as error:
            problem = str(error)
        except OSError as error:
            problem = error.strerror or "读取失败"
        self._report(f"提示词文件 {path.name} 未采用：{problem}")
        return None


def _layer_text(text: str) -> str:
    if len(text.strip()) > MAX_CHARACTERS:
        raise TooLong(f"有 {len(text.strip())} 字，最多 {MAX_CHARACTERS} 字")
    return clean(text.strip())


def _entry(directory: Path, name: str) -> Path | None:
    """The entry of this exact name in a directory."""
    try:
        with os.scandir(directory) as entries:
            return next((Path(entry.path) for entry in entries if entry.name == name), None)
    except OSError:
        return None
