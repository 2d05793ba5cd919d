"""Character cards: what a prompt needs to know about a character.

The form on disk is the upstream's `personality.json`, with one key more: `identity`, attribute → value.
Fields nobody shows to a model (greeting, avatar, portrait, state) are not read.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any, cast

from ..errors import InvalidInput, TooLong
from ..text.cleaning import clean_json, clean_name
from ..text.neutral import neutralise, quote_line

MAX_FIELD = 8000
"""Characters of one text of a card."""
MAX_NAME = 64
MAX_IDENTITY = 500
"""Characters of one identity value: that of an object in the graph (R2.8)."""
MAX_PROFILE = 2000
SOMEBODY = "对方"
"""What a card calls a person without a known name."""

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
    tags: tuple[str, ...] = ()
    identity: tuple[tuple[str, str], ...] = ()
    """Attribute and value: the persona where the graph holds none (R2.7)."""

    def filled(self, user_name: str = "") -> "Card":
        """The card with `{{user}}` and `{{char}}` replaced; a nickname can't bring structure with it."""
        user = neutralise(clean_name(user_name, SOMEBODY))
        names = {"user": user, "char": self.name}

        def fill(text: str) -> str:
            return _PLACEHOLDER.sub(lambda found: names[found[1].lower()], text)

        changed = {
            field.name: _each_text(getattr(self, field.name), fill)
            for field in fields(self)
            if field.name not in ("id", "name")
        }
        return replace(self, **changed)


@cache
def built_in() -> Card:
    """The card that comes with the package: `neko`, a small cat who remembers."""
    text = files(f"{__package__}").joinpath("neko.json").read_text("utf-8")
    return load_personality(text, "neko")


def load_personality(text: str, card_id: str = "") -> Card:
    """Read the text of a `personality.json`.

    Args:
        text: the JSON.
        card_id: the character's id; blank means its name, as the upstream does.

    Raises:
        InvalidInput: it is no such file; the message names the key and what is allowed.
        TooLong: a text is over its limit.
    """
    data = _parse(text)
    name = quote_line(_text(data, "name", MAX_NAME)) or quote_line(card_id)
    if not name:
        raise InvalidInput("角色卡缺少 name：应是角色的名字")
    card = Card(
        id=card_id.strip() or name,
        name=name,
        system_prompt=_text(data, "systemPrompt"),
        description=_text(data, "description"),
        basic_info=_text(data, "basicInfo"),
        personality=_text(data, "personality"),
        scenario=_text(data, "scenario"),
        example_dialogues=_text(data, "exampleDialogues"),
        response_format=_text(data, "responseFormat"),
        rules=_texts(data, "rules"),
        tags=_texts(data, "tags"),
    )
    return replace(card, identity=_identity(data) or _identity_of(card))


def profile_text(card: Card, user_name: str = "") -> str:
    """The stack item `character.profile`: the card as facts, at most 2,000 characters of whole lines."""
    card = card.filled(user_name)
    lines = [
        f"{label}：{text}"
        for label, text in (
            ("名字", card.name),
            ("简介", card.description),
            ("基本信息", card.basic_info),
            ("性格", card.personality),
            ("场景", card.scenario),
            ("说话方式", card.response_format),
            ("规则", "；".join(card.rules)),
            ("说话的例子", card.example_dialogues),
        )
        if text
    ]
    return _whole_lines(neutralise("\n".join(lines)), MAX_PROFILE)


def _parse(text: str) -> Mapping[str, Any]:
    try:
        data = clean_json(json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"角色卡不是有效的 JSON：{error}") from None
    if not isinstance(data, dict):
        raise InvalidInput('角色卡应是一个 JSON 对象，例如 {"name": …, "systemPrompt": …}')
    return cast(dict[str, Any], data)


def _text(data: Mapping[str, Any], key: str, limit: int = MAX_FIELD) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"角色卡的 {key} 应是文字，实际是 {type(value).__name__}")
    return _within(value.strip(), key, limit)


def _texts(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = data.get(key)
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(v, str) for v in cast(list[Any], values)):
        raise InvalidInput(f"角色卡的 {key} 应是文字的列表")
    texts = tuple(text.strip() for text in cast(list[str], values) if text.strip())
    _within("".join(texts), key, MAX_FIELD)
    return texts


def _identity(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The persona facts a file states itself."""
    pairs = data.get("identity")
    if pairs is None:
        return ()
    if not isinstance(pairs, dict) or not all(
        isinstance(value, str) for value in cast(dict[str, Any], pairs).values()
    ):
        raise InvalidInput("角色卡的 identity 应是 {属性: 文字}")
    return tuple(
        (quote_line(_within(key, "identity", MAX_NAME)), _within(quote_line(value), key, MAX_IDENTITY))
        for key, value in cast(dict[str, str], pairs).items()
        if key.strip() and value.strip()
    )


def _identity_of(card: Card) -> tuple[tuple[str, str], ...]:
    """The persona facts that follow from the other fields."""
    pairs = (
        ("名字", card.name),
        ("角色", card.description),
        ("性格", card.personality),
        ("说话风格", card.response_format),
        ("基本信息", card.basic_info),
    )
    return tuple((key, _shortened(quote_line(value), MAX_IDENTITY)) for key, value in pairs if value)


def _within(text: str, key: str, limit: int) -> str:
    if len(text) > limit:
        raise TooLong(f"角色卡的 {key} 有 {len(text)} 字，最多 {limit} 字")
    return text


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A text, or the texts of nested tuples, changed."""
    if isinstance(value, tuple):
        return tuple(_each_text(item, change) for item in cast(tuple[Any, ...], value))
    return change(value)


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _whole_lines(text: str, limit: int) -> str:
    """The text up to the last whole line within the limit; a first line over it is shortened."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit + 1)
    return text[:end] if end > 0 else _shortened(text, limit)
