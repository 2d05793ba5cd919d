"""What of a model's text is the reply: no reasoning, no headings, tags or tool calls of ours (R4.6, R4.7)."""

import re
from collections.abc import Collection

_TAG = re.compile(r"<\s{0,3}(/?)\s{0,3}(?:think|thinking|thought|reasoning)\b[^<>]{0,200}>", re.IGNORECASE)
_ENTRY_TAG = re.compile(r"\[(?:conv|by):[^\]\s]*\] ?")
_QUOTE_MARK = re.compile(r"^› ", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


def reply_text(text: str, headings: Collection[str], tools: Collection[str]) -> str:
    """The part of a model's answer a person should read; `""` when nothing of it is.

    Args:
        text: what the model wrote.
        headings: titles of our prompt sections, which must not stand in a reply as lines.
        tools: names of our tools; a line that calls one is left out.
    """
    lines = [line for line in _without_reasoning(text).splitlines() if not _is_ours(line, headings, tools)]
    kept = _QUOTE_MARK.sub("", _ENTRY_TAG.sub("", "\n".join(lines)))
    return _BLANK_LINES.sub("\n\n", kept).strip()


def _without_reasoning(text: str) -> str:
    """What stands outside reasoning tags: an end without a begin drops all before it, and so on."""
    kept: list[str] = []
    start, inside = 0, False
    for tag in _TAG.finditer(text):
        if not tag[1] and not inside:
            kept.append(text[start : tag.start()])
            inside = True
        elif tag[1]:
            if not inside:
                kept.clear()
            start, inside = tag.end(), False
    return "".join(kept) + ("" if inside else text[start:])


def _is_ours(line: str, headings: Collection[str], tools: Collection[str]) -> bool:
    bare = line.strip().strip("#＃*【】 ：:")
    if line.strip() != bare and bare in headings:
        return True
    return any(re.match(rf"[`\s]*{re.escape(tool)}\s*\(", line) for tool in tools)
