"""Paths of memory files: built from ids by one reversible encoding, and read back (R1.4)."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypedDict

from ..errors import InvalidMemoryPath
from ..text.ids import decode_segment, encode_segment
from . import categories
from .categories import KINDS, FileKind

MAX_PATH = 512
"""Most characters a path may have."""

_ROOT = "characters/"
_FORBIDDEN = re.compile(r"[\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PLACEHOLDERS = {
    "{user}": r"(?P<user>[^/]+)",
    "{conversation}": r"(?P<conversation>[^/]+)",
    "{rest}": r".+",
}


def _pattern(kind: FileKind) -> re.Pattern[str]:
    form = re.escape(kind.form).replace(r"\{", "{").replace(r"\}", "}")
    for placeholder, pattern in _PLACEHOLDERS.items():
        form = form.replace(placeholder, pattern)
    return re.compile(form)


_PATTERNS = tuple((kind, _pattern(kind)) for kind in KINDS)


@dataclass(frozen=True, slots=True)
class MemoryPath:
    """A well-formed path, understood."""

    text: str
    """The path as written."""
    character_id: str
    kind: FileKind
    """The row of the table whose form it has."""
    user_id: str | None = None
    """The user it names, if it lies below `users/`."""
    conversation_id: str | None = None
    """The conversation it names, if it lies below `events/`, `plot/` or `life_sim/`."""


class PathDescription(TypedDict):
    """What `describe_memory_path` tells."""

    category: str
    category_label: str
    injects_to_prompt: bool
    category_order: int


@lru_cache(maxsize=4096)
def parse_memory_path(path: str) -> MemoryPath:
    """Understand a path. Raises `InvalidMemoryPath` for a malformed one (R1.4)."""
    _check(path)
    character, rest = path.removeprefix(_ROOT).split("/", 1)
    matches = ((kind, pattern.fullmatch(rest)) for kind, pattern in _PATTERNS)
    kind, match = next((kind, match) for kind, match in matches if match)
    ids = {name: _id_of(segment) for name, segment in match.groupdict().items()}
    return MemoryPath(path, _id_of(character), kind, ids.get("user"), ids.get("conversation"))


def describe_memory_path(path: str) -> PathDescription:
    """The category of a path and what holds for it. Raises `InvalidMemoryPath` for a malformed one."""
    category = parse_memory_path(path).kind.category
    return {
        "category": category.value,
        "category_label": category.label,
        "injects_to_prompt": category.injects,
        "category_order": category.order,
    }


def build_path(kind: FileKind, character_id: str, **ids: str) -> str:
    """The path of this kind for these ids (`user`, `conversation`, `rest`).

    Raises:
        InvalidMemoryPath: the ids make it longer than 512 characters.
    """
    segments = {name: encode_segment(str(value)) for name, value in ids.items()}
    path = f"{_ROOT}{encode_segment(str(character_id))}/{kind.form.format(**segments)}"
    _check(path)
    return path


def path_user(char_id: str, user_id: str) -> str:
    """`characters/{char_id}/users/{user_id}.md`"""
    return build_path(categories.USER_SUMMARY, char_id, user=user_id)


def path_user_persona(char_id: str, user_id: str) -> str:
    """`characters/{char_id}/users/{user_id}/user_persona.md`"""
    return build_path(categories.USER_PERSONA, char_id, user=user_id)


def path_character_persona(char_id: str, user_id: str) -> str:
    """`characters/{char_id}/users/{user_id}/character_persona.md`"""
    return build_path(categories.CHARACTER_PERSONA, char_id, user=user_id)


def path_recent_digest(char_id: str, user_id: str) -> str:
    """`characters/{char_id}/users/{user_id}/recent_digest.md`"""
    return build_path(categories.RECENT_DIGEST, char_id, user=user_id)


def path_important_events(char_id: str, conv_id: str) -> str:
    """`characters/{char_id}/events/{conv_id}.md`"""
    return build_path(categories.IMPORTANT_EVENTS, char_id, conversation=conv_id)


def path_timeline(char_id: str) -> str:
    """`characters/{char_id}/timeline.md`"""
    return build_path(categories.TIMELINE, char_id)


def path_life_sim(char_id: str, conv_id: str) -> str:
    """`characters/{char_id}/life_sim/{conv_id}.md`"""
    return build_path(categories.LIFE_SIM, char_id, conversation=conv_id)


def path_diary_daily(char_id: str) -> str:
    """`characters/{char_id}/diary/daily.md`"""
    return build_path(categories.DIARY, char_id, rest="daily")


def path_diary_weekly(char_id: str) -> str:
    """`characters/{char_id}/diary/weekly.md`"""
    return build_path(categories.DIARY, char_id, rest="weekly")


def path_plot(char_id: str, conv_id: str) -> str:
    """`characters/{char_id}/plot/{conv_id}.md`"""
    return build_path(categories.PLOT, char_id, conversation=conv_id)


def path_world_events(char_id: str) -> str:
    """`characters/{char_id}/world/events.md`"""
    return build_path(categories.WORLD, char_id, rest="events")


def path_general(char_id: str) -> str:
    """`characters/{char_id}/general.md`"""
    return build_path(categories.GENERAL, char_id)


def _check(path: str) -> None:
    """Raise `InvalidMemoryPath` unless the path is well formed."""
    if not isinstance(path, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidMemoryPath(f"记忆路径应是文字，实际是 {path!r}")
    segments = path.split("/")
    if len(path) > MAX_PATH:
        raise InvalidMemoryPath(_refusal(path, f"超过 {MAX_PATH} 个字符"))
    if not path.startswith(_ROOT) or len(segments) < 3:
        raise InvalidMemoryPath(_refusal(path, "不在 characters/{角色}/ 之下"))
    if any(segment in ("", ".", "..") for segment in segments):
        raise InvalidMemoryPath(_refusal(path, "含空的、“.”或“..”的一段"))
    if _FORBIDDEN.search(path):
        raise InvalidMemoryPath(_refusal(path, "含反斜杠或控制字符"))
    if not path.endswith(".md"):
        raise InvalidMemoryPath(_refusal(path, "不以 .md 结尾"))


def _refusal(path: str, reason: str) -> str:
    shown = path if len(path) <= 80 else f"{path[:80]}…"
    return f"记忆路径 {shown!r} 无效：{reason}；应形如 characters/{{角色}}/…/名称.md"


def _id_of(segment: str) -> str:
    """The id a segment encodes; a segment we would never have made is itself the id."""
    decoded = decode_segment(segment)
    return decoded if encode_segment(decoded) == segment else segment
