"""Triplets as they come in: cleaned, checked, and their `[推测]` marks read."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..text.cleaning import is_blank, one_line
from ..text.folding import fold_name, fold_sentence
from .kinds import EdgeKind

NAME_LIMIT = 64
OBJECT_LIMIT = 500

_MARK = re.compile(r"\s*[\[［【(（]\s*(?:推测|猜测)\s*[\]］】)）]\s*")
_TASKS_ADVICE = "任务用 task_create 和 task_set_state"
_RESERVED = {kind.value.casefold(): _TASKS_ADVICE for kind in EdgeKind if kind is not EdgeKind.RELATES_TO} | {
    EdgeKind.HAS_PERSONA.value.casefold(): "角色的人设写成主语 AI、关系 性格、语气、说话风格等"
}
"""Labels that only the code may write, and what to do instead."""
_FIELDS = (("subject", NAME_LIMIT), ("relation", NAME_LIMIT), ("object", OBJECT_LIMIT))
_LABELS = {"subject": "主语 subject", "relation": "关系 relation", "object": "宾语 object"}


@dataclass(frozen=True, slots=True)
class Triplet:
    """A checked triplet; `inferred` is `None` where nothing was said about it."""

    subject: str
    relation: str
    object: str
    inferred: bool | None = None
    at: datetime | None = None
    """When it was said, where that is known to be another time (bulk import)."""


def tidy(value: str) -> str:
    """A name as it is kept: on one line, and empty if nothing of it can be seen."""
    line = one_line(value)
    return "" if is_blank(line) else line


def unmarked(value: str) -> tuple[str, bool]:
    """A name as it is kept, without its marks; and whether it had one (R2.4)."""
    return tidy(_MARK.sub(" ", value)), bool(_MARK.search(value))


def check(raw: Any) -> Triplet | str:
    """The triplet, or the reason (Chinese) why it can't be taken."""
    values: dict[str, str] = {}
    marked = False
    for field, limit in _FIELDS:
        value = _field(raw, field)
        if not isinstance(value, str):
            return f"缺少{_LABELS[field]}"
        bare, has_mark = unmarked(value)
        marked = marked or has_mark
        if not bare:
            return f"{_LABELS[field]}是空的"
        if len(bare) > limit:
            return f"{_LABELS[field]}有 {len(bare)} 字，最多 {limit} 字"
        values[field] = bare
    if advice := _RESERVED.get(fold_name(values["relation"])):
        return f"关系 {values['relation']} 不能直接写：{advice}"
    inferred = _field(raw, "inferred")
    if inferred is not None and not isinstance(inferred, bool):
        return f"inferred 只能是 true 或 false，收到的是 {inferred!r}"
    at = _field(raw, "at")
    if at is not None and (not isinstance(at, datetime) or at.tzinfo is None):
        return f"时间 at 需要带时区，收到的是 {at!r}"
    return Triplet(values["subject"], values["relation"], values["object"], True if marked else inferred, at)


def check_all(raws: Iterable[Any]) -> tuple[list[Triplet], list[str]]:
    """All triplets, and the reasons for those that can't be taken, numbered from 1."""
    taken: list[Triplet] = []
    refused: list[str] = []
    for number, raw in enumerate(raws, 1):
        checked = check(raw)
        if isinstance(checked, str):
            refused.append(f"第 {number} 条：{checked}")
        else:
            taken.append(checked)
    return taken, refused


def stands_in(object: str, said: str) -> bool:
    """Whether an object's words stand in what a person said (R2.4)."""
    heard = fold_sentence(said)
    return all(_whole_in(fold_sentence(word), heard) for word in object.split())


def _whole_in(word: str, heard: str) -> bool:
    """Whether a folded word stands there, and not as a part of a number: no 2 in 12."""
    before = r"(?<!\d)(?<!\d\.)" if word[:1].isdigit() else ""
    after = r"(?!\.?\d)" if word[-1:].isdigit() else ""
    return re.search(before + re.escape(word) + after, heard) is not None


def _field(raw: Any, name: str) -> Any:
    if isinstance(raw, Mapping):
        return raw.get(name)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if isinstance(raw, (list, tuple)):
        row: list[Any] = list(raw)  # pyright: ignore[reportUnknownArgumentType]
        order = ("subject", "relation", "object", "inferred", "at")
        return row[order.index(name)] if order.index(name) < len(row) else None
    return getattr(raw, name, None)
