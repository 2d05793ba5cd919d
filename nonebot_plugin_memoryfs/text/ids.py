"""Reversible encodings of ids: into path segments (R1.4) and into entry tags (R1.7).

Only what would be mistaken for structure is percent-encoded, so Chinese names stay readable.
"""

import re
from urllib.parse import unquote_to_bytes

_PATH_UNSAFE = re.compile(r"[/\\%\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\.+")
_TAG_UNSAFE = re.compile(r"[\]\[,%\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPE = re.compile(r"(?:%[0-9A-F]{2})+")


def encode_segment(value: str) -> str:
    """Encode an id as one path segment; the empty id becomes `%`, which no other id does."""
    return _PATH_UNSAFE.sub(_percent, value) or "%"


def decode_segment(segment: str) -> str:
    """The id that `encode_segment` made this segment from; other text is returned as it is."""
    return "" if segment == "%" else _decode(segment)


def encode_tag(value: str) -> str:
    """Encode an id for use inside a `[conv:…]` or `[by:…]` tag; the empty id becomes `%`."""
    return _TAG_UNSAFE.sub(_percent, value) or "%"


def decode_tag(value: str) -> str:
    """The id that `encode_tag` made this text from; other text is returned as it is."""
    return "" if value == "%" else _decode(value)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))


def _decode(value: str) -> str:
    return _ESCAPE.sub(_unpercent, value)


def _unpercent(match: re.Match[str]) -> str:
    try:
        return unquote_to_bytes(match[0]).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # no text of ours: it is itself the id
        return match[0]
