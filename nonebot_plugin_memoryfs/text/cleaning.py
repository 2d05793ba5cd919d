"""Text that every database, file and prompt can hold: no half characters, no control characters."""

import re
import unicodedata
from typing import Any

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with what can't be stored (NUL, lone surrogates) replaced by `�`."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MAX_NAME = 40
_FILLERS = "\u2800\u115f\u1160\u3164\uffa0"
"""Letters and symbols that show as a blank."""


def clean_message(text: str) -> str:
    """What a person wrote, without control and direction characters; line breaks and tabs stay."""
    return clean(_CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def clean_name(name: str, fallback: str) -> str:
    """A nickname on one line, at most 40 characters; `fallback` where nothing of it can be seen."""
    folded = one_line(name)[:_MAX_NAME].strip()
    return fallback if is_blank(folded) else folded


def one_line(text: str) -> str:
    """The text on one line, its blanks folded, without control and direction characters."""
    return " ".join(clean_message(text).split())


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen."""
    return not any(is_visible(c) for c in text)


def is_visible(char: str) -> bool:
    """Whether a character shows by itself: no blank, no control or format character, no mere accent."""
    return unicodedata.category(char)[0] not in "ZCM" and char not in _FILLERS


def clean_json(value: Any) -> Any:
    """The same for every string inside a parsed JSON value."""
    match value:
        case str():
            return clean(value)
        case list():
            return [clean_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {clean(key): clean_json(item) for key, item in value.items()}  # pyright: ignore
        case _:
            return value
