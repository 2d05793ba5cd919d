"""What callers hand in, looked at before anything is done with it: the reason why it can't be taken.

The reasons are Chinese and name the argument; nothing wrong is the empty text.
"""

from collections.abc import Iterable, Mapping

from .sentences import gist

_SHOWN = 40
_LARGEST = 2**31 - 1
_WHOLE = f"整数（-{_LARGEST} 到 {_LARGEST}）"


def not_text(**values: object) -> str:
    """Which of these arguments is no text."""
    wrong = ((name, value) for name, value in values.items() if not isinstance(value, str))
    return next((_reason(name, "文字", value) for name, value in wrong), "")


def not_text_or_none(**values: object) -> str:
    """Which of these arguments is given and no text."""
    return not_text(**{name: value for name, value in values.items() if value is not None})


def not_whole(**values: object) -> str:
    """Which of these arguments is no whole number a database column holds."""
    wrong = ((name, value) for name, value in values.items() if not _is_whole(value))
    return next((_reason(name, _WHOLE, value) for name, value in wrong), "")


def not_whole_or_none(**values: object) -> str:
    """Which of these arguments is given and no whole number."""
    return not_whole(**{name: value for name, value in values.items() if value is not None})


def not_list(**values: object) -> str:
    """Which of these arguments is not several things in a row; a text or a mapping is one thing."""
    wrong = ((name, value) for name, value in values.items() if not _is_list(value))
    return next((_reason(name, "列表", value) for name, value in wrong), "")


def not_texts(**values: Iterable[object]) -> str:
    """Which of these lists holds something that is no text."""
    wrong = (w for name, items in values.items() for item in items if (w := not_text(**{name: item})))
    return next(wrong, "")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _reason(name: str, wanted: str, value: object) -> str:
    return f"{name} 需要是{wanted}，收到的是 {gist(repr(value), _SHOWN)}"
