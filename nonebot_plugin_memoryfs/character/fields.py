"""Reading the JSON of a card key by key: what is wrong is named by where it stands, with what is allowed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..errors import InvalidInput, TooLong
from ..text.cleaning import clean_json
from ..text.neutral import quote_line

MAX_FIELD = 8000
"""Characters of one text of a card."""
MAX_NAME = 64
MAX_VALUE = 500
"""Characters of one identity value: that of an object in the graph (R2.8)."""
MAX_PAIRS = 40


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object of a card. A key that is absent or null reads as empty.

    Every reader raises `InvalidInput` for another type and `TooLong` for a text over its limit.
    """

    data: Mapping[str, Any]
    path: str = ""
    """Where it stands in the file: empty for the whole, else with a dot at its end."""

    def text(self, key: str, limit: int = MAX_FIELD) -> str:
        """A text, without outer blanks."""
        value = self._of(key, str, "文字") or ""
        return self._within(value.strip(), key, limit)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, without blank ones."""
        values = self.data.get(key)
        if values is None:
            return ()
        if not isinstance(values, list) or not all(isinstance(v, str) for v in cast(list[Any], values)):
            raise InvalidInput(f"角色卡的 {self.path}{key} 应是文字的列表")
        texts = tuple(text.strip() for text in cast(list[str], values) if text.strip())
        self._within("".join(texts), key, MAX_FIELD)
        return texts

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """Attribute and value: those of an object whose values are texts, without blank ones."""
        pairs = self.data.get(key)
        if pairs is None:
            return ()
        if not isinstance(pairs, dict) or not all(
            isinstance(value, str) for value in cast(dict[str, Any], pairs).values()
        ):
            raise InvalidInput(f"角色卡的 {self.path}{key} 应是 {{属性: 文字}}")
        read = tuple(
            (quote_line(self._within(name, key, MAX_NAME)), self._within(quote_line(value), name, MAX_VALUE))
            for name, value in cast(dict[str, str], pairs).items()
            if name.strip() and value.strip()
        )
        if len(read) > MAX_PAIRS:
            raise TooLong(f"角色卡的 {self.path}{key} 有 {len(read)} 项，最多 {MAX_PAIRS} 项")
        return read

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._of(key, bool, " true 或 false")
        return default if value is None else value

    def number(self, key: str) -> float:
        """A number, 0 where there is none."""
        value = self.data.get(key)
        if isinstance(value, bool):
            raise self._wrong(key, value, "数字")
        return self._of(key, int | float, "数字") or 0

    def child(self, key: str) -> "Fields":
        """An object inside."""
        value = self._of(key, dict, " JSON 对象")
        return Fields(cast(dict[str, Any], value or {}), f"{self.path}{key}.")

    def children(self, key: str) -> "list[Fields]":
        """The objects of a list inside."""
        values = cast(list[Any], self._of(key, list, "列表") or [])
        for number, value in enumerate(values):
            if not isinstance(value, dict):
                raise self._wrong(f"{key}[{number}]", value, " JSON 对象")
        return [Fields(value, f"{self.path}{key}[{number}].") for number, value in enumerate(values)]

    def _of(self, key: str, kind: Any, called: str) -> Any:
        value = self.data.get(key)
        if value is not None and not isinstance(value, kind):
            raise self._wrong(key, value, called)
        return value

    def _wrong(self, key: str, value: object, called: str) -> InvalidInput:
        return InvalidInput(f"角色卡的 {self.path}{key} 应是{called}，实际是 {type(value).__name__}")

    def _within(self, text: str, key: str, limit: int) -> str:
        if len(text) > limit:
            raise TooLong(f"角色卡的 {self.path}{key} 有 {len(text)} 字，最多 {limit} 字")
        return text


def parse(text: str) -> Fields:
    """The JSON object a text is.

    Raises:
        InvalidInput: it is none.
    """
    try:
        data = clean_json(json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"角色卡不是有效的 JSON：{error}") from None
    if not isinstance(data, dict):
        raise InvalidInput('角色卡应是一个 JSON 对象，例如 {"name": …, "systemPrompt": …}')
    return Fields(cast(dict[str, Any], data))
