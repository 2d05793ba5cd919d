"""What a card may say to this plugin alone: its clock, its sleep, its tools, its persona (R5.4, R3.8, R2.7).

`personality.json` has these keys beside its own; Character Card V2 and V3 below `extensions.memoryfs`.
"""

import re
from typing import TypedDict
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..errors import InvalidInput
from .fields import MAX_NAME, Fields

_TIME = r"([01]?\d|2[0-3]):([0-5]\d)"
_SLEEP = re.compile(rf"{_TIME}\s*[-–—~～至]\s*{_TIME}")


class OwnSettings(TypedDict):
    """The fields of a `Card` that only this plugin knows."""

    timezone: str
    sleep: str
    tools: tuple[str, ...] | None
    identity: tuple[tuple[str, str], ...]


def own_settings(fields: Fields) -> OwnSettings:
    """Read them.

    Raises:
        InvalidInput: a value is not allowed; the message names the key and what is.
    """
    return {
        "timezone": _timezone(fields),
        "sleep": _sleep(fields),
        "tools": None if fields.data.get("tools") is None else fields.texts("tools"),
        "identity": fields.pairs("identity"),
    }


def _timezone(fields: Fields) -> str:
    name = fields.text("timezone", MAX_NAME)
    try:
        if name:
            ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(
            f"角色卡的 {fields.path}timezone 应是时区名，如 Asia/Shanghai，实际是 {name!r}"
        ) from None
    return name


def _sleep(fields: Fields) -> str:
    """The hours of sleep as `HH:MM-HH:MM`."""
    hours = fields.text("sleep", MAX_NAME)
    if not hours:
        return ""
    if found := _SLEEP.fullmatch(hours):
        start, end = (f"{hour:0>2}:{minute}" for hour, minute in (found.group(1, 2), found.group(3, 4)))
        if start != end:
            return f"{start}-{end}"
    raise InvalidInput(f"角色卡的 {fields.path}sleep 应是起止时间，如 23:00-07:00，实际是 {hours!r}")
