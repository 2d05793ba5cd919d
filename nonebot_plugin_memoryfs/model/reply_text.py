"""What of a model's text is the reply: no reasoning, no headings, tags or tool calls of ours (R4.6, R4.7)."""

import re
from collections.abc import Collection

_TAG = r"(?:think|thinking|thought|reasoning)"
_CLOSED = re.compile(rf"<\s*{_TAG}\b[^>]*>.*?<\s*/\s*{_TAG}\s*>", re.IGNORECASE | re.DOTALL)
_ORPHAN_END = re.compile(rf"^.*<\s*/\s*{_TAG}\s*>", re.IGNORECASE | re.DOTALL)
_OPEN_END = re.compile(rf"<\s*{_TAG}\b[^>]*>.*$", re.IGNORECASE | re.DOTALL)
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
    text = _CLOSED.sub("", text)
    text = _ORPHAN_END.sub("", text)
    text = _OPEN_END.sub("", text)
    lines = [line for line in text.splitlines() if not _is_ours(line, headings, tools)]
    kept = _QUOTE_MARK.sub("", _ENTRY_TAG.sub("", "\n".join(lines)))
    return _BLANK_LINES.sub("\n\n", kept).strip()


def _is_ours(line: str, headings: Collection[str], tools: Collection[str]) -> bool:
    bare = line.strip().strip("#＃*【】 ：:")
    if line.strip() != bare and bare in headings:
        return True
    return any(re.match(rf"[`\s]*{re.escape(tool)}\s*\(", line) for tool in tools)
