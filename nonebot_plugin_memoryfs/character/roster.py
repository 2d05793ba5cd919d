"""The characters of a data directory: one card file each, read again when it changes (R3.11).

`characters/ID.json` or `characters/ID.png`; the default character's card may also be the upstream's
`resources/prompts/personality.json`. No id is ever made into a path (R6.7): ids are compared with the
names the folder has.
"""

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InvalidInput, TooLong
from ..text.ids import decode_segment, encode_segment
from .cards import Card
from .formats import built_in, load_card

FOLDER = "characters"
MAX_BYTES = 16_000_000
"""Larger files are not read: a portrait of a card is smaller."""

_KINDS = (".json", ".png")


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a file: which state of it was read, and the newest card that could be used."""

    version: tuple[int, int]
    card: Card | None


class Roster:
    """Who there is, and the card of each. Thread-safe; reads files, so not for the event loop."""

    def __init__(
        self,
        folder: Path | None,
        report: Callable[[str], None],
        *,
        default: str,
        personality: Path | None = None,
        tools: Collection[str] = (),
    ) -> None:
        """Look at a folder, which need not exist; `None` is an empty one.

        Args:
            folder: where the cards are.
            report: told once of each state of a file that can't be used.
            default: the default character's id (setting `CHARACTER`).
            personality: the default character's card, if that file is there.
            tools: the names a card may give in `tools`.
        """
        self.default = default
        self._folder = folder
        self._personality = personality
        self._tools = tools
        self._report = report
        self._known: dict[Path, _Known] = {}

    def card(self, character_id: str) -> Card:
        """The card of a character; one without a usable file has the default one's, or else the built-in.

        While a file can't be used, the card that was read from it before stays.
        """
        if found := self._own_card(character_id):
            return found
        fallback = None if character_id == built_in().id else self._own_card(self.default)
        return replace(fallback or built_in(), id=character_id)

    def cards(self) -> list[Card]:
        """The cards of all characters, by id: of those with a usable file, the default one, the built-in."""
        ids = {self.default, built_in().id, *self._ids()}
        return [self.card(i) for i in sorted(ids) if i in self]

    def __contains__(self, character_id: object) -> bool:
        """Whether there is such a character, so that a chat can be bound to it."""
        if character_id in (self.default, built_in().id):
            return True
        return isinstance(character_id, str) and self._own_card(character_id) is not None

    def has_card(self, character_id: str) -> bool:
        """Whether a character has a card of its own."""
        return character_id == built_in().id or self._own_card(character_id) is not None

    def _own_card(self, character_id: str) -> Card | None:
        if not character_id.strip():
            return None
        paths = self._files(character_id)
        if character_id == self.default and self._personality:
            paths.insert(0, self._personality)
        return next((card for path in paths if (card := self._read(path, character_id))), None)

    def _ids(self) -> Iterator[str]:
        """The ids that files are named after."""
        for path in self._entries():
            if path.suffix.lower() in _KINDS and not path.name.startswith("."):
                yield decode_segment(path.stem)

    def _files(self, character_id: str) -> list[Path]:
        names = [encode_segment(character_id) + kind for kind in _KINDS]
        found = {path.stem + path.suffix.lower(): path for path in self._entries()}
        return [found[name] for name in names if name in found]

    def _entries(self) -> list[Path]:
        if self._folder is None:
            return []
        try:
            with os.scandir(self._folder) as entries:
                return [Path(entry.path) for entry in entries]
        except OSError:
            return []

    def _read(self, path: Path, character_id: str) -> Card | None:
        """The card in a file; `None` if the file is absent or never could be used."""
        try:
            stat = path.stat()
        except OSError:
            self._known.pop(path, None)
            return None
        version = (stat.st_mtime_ns, stat.st_size)
        known = self._known.get(path)
        if known is None or known.version != version:
            card = self._load(path, character_id, stat.st_size)
            known = self._known[path] = _Known(version, card or (known.card if known else None))
        return known.card

    def _load(self, path: Path, character_id: str, size: int) -> Card | None:
        try:
            if size > MAX_BYTES:
                raise TooLong(f"超过 {MAX_BYTES} 字节")
            card = replace(load_card(path.read_bytes(), character_id), id=character_id)
            self._check_tools(card)
        except InvalidInput as error:
            problem = str(error)
        except OSError as error:
            problem = error.strerror or "读取失败"
        else:
            return card
        self._report(f"角色卡文件 {path.name} 未采用：{problem}")
        return None

    def _check_tools(self, card: Card) -> None:
        unknown = next((name for name in card.tools or () if name not in self._tools), None)
        if unknown is not None:
            allowed = "、".join(sorted(self._tools))
            raise InvalidInput(f"角色卡的 tools 里没有 {unknown[:40]!r} 这个工具，只能是 {allowed}")
