"""Text that every database and file can hold: no half characters, no NUL."""

import re
from typing import Any

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with what can't be stored (NUL, lone surrogates) replaced by `�`."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


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
