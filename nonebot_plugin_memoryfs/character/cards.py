"""Character cards: what a prompt needs to know about a character, whatever form its file has."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from ..text.cleaning import clean_name
from ..text.neutral import neutralise, quote_line

MAX_PROFILE = 2000
SOMEBODY = "对方"
"""What a card calls a person without a known name."""

_DERIVED = 200
"""Characters of an identity value that is made from another field: those of a card fit into one recall."""
_PLACEHOLDER = re.compile(r"\{\{\s*(user|char)\s*\}\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One character, as its author wrote it."""

    id: str
    """The character id of scopes and memory paths."""
    name: str
    system_prompt: str = ""
    """The last of the prompt layers (R3.2)."""
    description: str = ""
    basic_info: str = ""
    personality: str = ""
    scenario: str = ""
    example_dialogues: str = ""
    response_format: str = ""
    rules: tuple[str, ...] = ()
    lore: tuple[str, ...] = ()
    """What its lorebook always says."""
    tags: tuple[str, ...] = ()
    identity: tuple[tuple[str, str], ...] = ()
    """Attribute and value: its persona in the graph (R2.7)."""
    timezone: str = ""
    """The zone of its clock; empty for that of the settings."""
    sleep: str = ""
    """When it sleeps, `HH:MM-HH:MM`; empty for the usual hours (R5.4)."""
    tools: tuple[str, ...] | None = None
    """The only tools it may call (R3.8); `None` for all."""

    def filled(self, user_name: str = "") -> "Card":
        """The card with `{{user}}` and `{{char}}` replaced; a nickname can't bring structure with it."""
        user = neutralise(clean_name(user_name, SOMEBODY))
        names = {"user": user, "char": neutralise(self.name)}

        def fill(text: str) -> str:
            return _PLACEHOLDER.sub(lambda found: names[found[1].lower()], text)

        changed = {
            field.name: _each_text(getattr(self, field.name), fill)
            for field in fields(self)
            if field.name not in ("id", "name")
        }
        return replace(self, **changed)

    def with_identity(self) -> "Card":
        """The card with an identity: its own, or what follows from the other fields."""
        if self.identity:
            return self
        pairs = (
            ("名字", self.name),
            ("角色", self.description),
            ("性格", self.personality),
            ("说话风格", self.response_format),
            ("基本信息", self.basic_info),
        )
        identity = ((key, _shortened(quote_line(value), _DERIVED)) for key, value in pairs if value)
        return replace(self, identity=tuple(identity))


def profile_text(card: Card, user_name: str = "") -> str:
    """The stack item `character.profile`: the card as facts, at most 2,000 characters of whole lines.

    What is too long for that is shortened alike, so that a long story does not cost the rules.
    """
    card = card.filled(user_name)
    parts = [
        neutralise(f"{label}：{text}")
        for label, text in (
            ("名字", card.name),
            ("简介", card.description),
            ("基本信息", card.basic_info),
            ("性格", card.personality),
            ("场景", card.scenario),
            ("说话方式", card.response_format),
            ("规则", "；".join(card.rules)),
            ("背景", "\n".join(card.lore)),
            ("说话的例子", card.example_dialogues),
        )
        if text
    ]
    share = _fair_share([len(part) + 1 for part in parts], MAX_PROFILE + 1) - 1
    return "\n".join(_whole_lines(part, share) for part in parts)


def _fair_share(sizes: Sequence[int], room: int) -> int:
    """The most each may have so that all fit: the small ones whole, the others alike."""
    for left, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        if size * left > room:
            return room // left
        room -= size
    return max(sizes, default=0)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A text, or the texts of nested tuples, changed."""
    if isinstance(value, tuple):
        return tuple(_each_text(item, change) for item in cast(tuple[Any, ...], value))
    return change(value) if isinstance(value, str) else value


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _whole_lines(text: str, limit: int) -> str:
    """The text up to the last whole line within the limit; a first line over it is shortened."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit + 1)
    return text[:end] if end > 0 else _shortened(text, limit)
