"""Where a text may be cut: shortened texts (R1.10), replies in parts (R4.7), one-line gists.

A cut falls behind the greatest unit that fits, never in an address or a joined character.
"""

import re
import unicodedata

_CLOSERS = r"[”’」』）)\]】》]*(?:[\"'](?=\s))?"
_PARAGRAPH = re.compile(r"(?=\n\s{0,8}\n)")
_SENTENCE = re.compile(rf"[。！？!?…‥｡]+{_CLOSERS}|(?<!\d)\.+{_CLOSERS}(?=\s)|(?=\n)")
_CLAUSE = re.compile(r"[，,；;：、~～—]+(?=\D)")
_BLANK = re.compile(r"(?=\s)")
_ADDRESS = re.compile(r"(?:https?://|www\.)[!-~]+")
_ADDRESS_END = ".,!?;:)]}'\""
_LONGEST_ADDRESS = 2048
_LONGEST_CLUSTER = 64


def shorten(text: str, limit: int) -> str:
    """Shorten to at most `limit` characters, at a sentence end if one is near, ending with `…`.

    A text that fits stays as it is; what is left of any other text is never empty.
    """
    if limit < 1:
        raise ValueError(f"the limit must be at least 1, not {limit!r}")
    if len(text) <= limit:
        return text
    return text[: _cut(text, limit - 1, (_SENTENCE, _CLAUSE, _BLANK))].rstrip() + "…"


def split_reply(text: str, limit: int) -> list[str]:
    """Split into parts of at most `limit` characters, at paragraphs, else sentences, else less.

    Nothing but blanks at the cuts and around the text is lost; a text of blanks has no parts.
    """
    if limit < 1:
        raise ValueError(f"the limit must be at least 1, not {limit!r}")
    parts: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        at = _cut(rest, limit, (_PARAGRAPH, _SENTENCE, _CLAUSE, _BLANK))
        parts.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*parts, rest] if rest else parts


def gist(text: str, limit: int) -> str:
    """The text on one line, its blanks folded, shortened to at most `limit` characters."""
    return shorten(" ".join(text.split()), limit)


def _cut(text: str, limit: int, units: tuple[re.Pattern[str], ...]) -> int:
    """The best place to cut within `limit`: the greatest unit that keeps a third of the room."""
    addresses = _addresses(text, limit)
    ends = [_unit_ends(text, limit, unit, addresses) for unit in units]
    for floor in (max(limit // 3, 1), 1):
        for found in ends:
            if found and found[-1] >= floor:
                return found[-1]
    return _between_characters(text, limit, addresses)


def _unit_ends(text: str, limit: int, unit: re.Pattern[str], addresses: list[tuple[int, int]]) -> list[int]:
    ends = (match.end() for match in unit.finditer(text, 0, limit + 2))
    return [end for end in ends if end <= limit and not _inside(end, addresses)]


def _addresses(text: str, limit: int) -> list[tuple[int, int]]:
    """Spans of the web addresses around `limit` and before it, without the punctuation behind."""
    found: list[tuple[int, int]] = []
    for match in _ADDRESS.finditer(text, 0, limit + _LONGEST_ADDRESS):
        found.append((match.start(), match.start() + len(match[0].rstrip(_ADDRESS_END))))
    return found


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(start < at < end for start, end in spans)


def _between_characters(text: str, limit: int, addresses: list[tuple[int, int]]) -> int:
    """The last place within `limit` that parts no address and no joined character, if any."""
    before = next((start for start, end in addresses if start < limit < end), 0)
    if before:
        return before
    for at in range(limit, max(limit - _LONGEST_CLUSTER, 0), -1):
        if not _joined(text[at - 1], text[at]):
            return at
    return limit


def _joined(left: str, right: str) -> bool:
    """Whether two neighbours are shown as one character."""
    return (
        unicodedata.category(right)[0] == "M"
        or "\u200d" in (left, right)
        or "\U0001f3fb" <= right <= "\U0001f3ff"
        or ("\U0001f1e6" <= left <= "\U0001f1ff" and "\U0001f1e6" <= right <= "\U0001f1ff")
        or ("\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff")
        or "\u1160" <= right <= "\u11ff"
    )
