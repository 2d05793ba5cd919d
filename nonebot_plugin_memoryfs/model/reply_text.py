"""What of a model's text is the reply: no reasoning, no headings, tags, markup or tools of ours (R4.6, R4.7).

Every pattern is bounded, so that a text of megabytes takes time in proportion to its length.
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, cast

from ..text.cleaning import clean_message

MAX_REPLY = 8_000
"""Characters of a reply: more than anybody reads in a chat, and no flood of parts."""
SELF = "记忆功能"
"""What a reply may call our tools."""

_INNER = "think|thinking|thought|reasoning|tool_calls?|tool_response|function_calls?"
_TAG = re.compile(
    rf"[<＜◁]\s{{0,3}}(/?)\s{{0,3}}(?:\w{{1,20}}:)?(?:{_INNER})\b[^<>＜＞◁▷]{{0,200}}[>＞▷]", re.IGNORECASE
)
"""As models write them, `<seed:think>` and `◁think▷` too."""
_TAGS_OF_MODELS = {
    "[THINK]": "<think>",
    "[/THINK]": "</think>",
    "<｜tool▁calls▁begin｜>": "<tool_calls>",
    "<｜tool▁calls▁end｜>": "</tool_calls>",
}
"""What some models write for a tag."""
_TEMPLATE_TOKEN = re.compile(r"<[|｜][\w▁|｜ ]{1,40}[|｜]>|\[TOOL_CALLS\]")
_CALL = re.compile(r"^[ \t]{0,8}(?=[\[{])", re.MULTILINE)
_MAX_CALLS, _MAX_CALL = 30, 30_000
"""So many calls written out as text are looked for, and so long ones."""
_JSON = json.JSONDecoder()
_EMPTY_FENCE = re.compile(r"^[ \t]{0,8}```\w{0,20}[ \t]{0,8}\n\s{0,8}```[ \t]{0,8}$", re.MULTILINE)
_ENTRY_TAG = re.compile(r"\[(?:conv|by):[^\[\]\s]{0,200}\] ?")
_QUOTE_MARK = re.compile(r"^› ", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_FENCE = re.compile(r"\s{0,8}```")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_BOLD = re.compile(r"(?<![A-Za-z0-9*])\*\*(?=[^\s*])([^*\n]{1,300})(?<=\S)\*\*(?![A-Za-z0-9*])")


def reply_text(text: str, headings: Collection[str], tools: Collection[str]) -> str:
    """The part of a model's answer a person should read; `""` when nothing of it is.

    Args:
        text: what the model wrote.
        headings: titles of our prompt sections, which must not stand in a reply as lines.
        tools: names of our tools; a line that calls one is left out, and none is named.
    """
    shown = _TEMPLATE_TOKEN.sub("", without_reasoning(clean_message(text)))
    shown = _EMPTY_FENCE.sub("", _without_calls(shown, tools))
    lines = [line for line in shown.splitlines() if not _is_ours(line, headings, tools)]
    kept = _QUOTE_MARK.sub("", _ENTRY_TAG.sub("", "\n".join(_plain(lines))))
    kept = _BLANK_LINES.sub("\n\n", _without_names(kept, tools)).strip()
    return kept if len(kept) <= MAX_REPLY else f"{kept[:MAX_REPLY]}……"


def without_reasoning(text: str) -> str:
    """What stands outside tags of reasoning and of calls written out as text.

    An end without a begin drops all before it, a begin without an end all behind it; `<think/>` is neither.
    """
    for written, tag in _TAGS_OF_MODELS.items():
        text = text.replace(written, tag)
    kept: list[str] = []
    start, inside = 0, False
    for tag in _TAG.finditer(text):
        if not tag[1] and not inside:
            kept.append(text[start : tag.start()])
            start, inside = tag.end(), not tag[0][:-1].endswith("/")
        elif tag[1]:
            if not inside:
                kept.clear()
            start, inside = tag.end(), False
    return "".join(kept) + ("" if inside else text[start:])


def _is_ours(line: str, headings: Collection[str], tools: Collection[str]) -> bool:
    bare = line.strip().strip("#＃*【】 ：:")
    if line.strip() != bare and bare in headings:
        return True
    return any(re.match(rf"[`\s]*{re.escape(tool)}\s*\(", line) for tool in tools) or (
        line.lstrip().startswith(('{"name"', '[{"name"')) and any(f'"{tool}"' in line for tool in tools)
    )


def _without_calls(text: str, tools: Collection[str]) -> str:
    """The text without calls of our tools that are written out as JSON, on however many lines."""
    kept: list[str] = []
    start = tried = 0
    for found in _CALL.finditer(text) if '"name"' in text else ():
        if found.start() >= start and tried < _MAX_CALLS:
            tried += 1
            end = _end_of_call(text[found.end() : found.end() + _MAX_CALL], tools)
            if end:
                kept.append(text[start : found.start()])
                start = found.end() + end
    return "".join(kept) + text[start:]


def _end_of_call(text: str, tools: Collection[str]) -> int:
    """Where the JSON of a call, or of a list of calls, ends that a text begins with; 0 where it is none."""
    try:
        value, end = _JSON.raw_decode(text)
    except (ValueError, RecursionError):
        return 0
    calls = cast("list[Any]", value if isinstance(value, list) else [value])
    return end if calls and all(_names(call, tools) for call in calls) else 0


def _names(call: object, tools: Collection[str]) -> bool:
    return isinstance(call, dict) and cast("dict[str, Any]", call).get("name") in tools


def _plain(lines: list[str]) -> Iterator[str]:
    """The lines without the markup a chat would show as signs; code stays as it is."""
    code = False
    for line in lines:
        if _FENCE.match(line):
            code = not code
        yield line if code else _BOLD.sub(r"\1", _HEADING.sub("", line))


def _without_names(text: str, tools: Collection[str]) -> str:
    if not tools:
        return text
    names = "|".join(map(re.escape, tools))
    return re.sub(rf" ?`?(?<![A-Za-z0-9_])(?:{names})(?![A-Za-z0-9_])(?:\(\))?`? ?", SELF, text)
