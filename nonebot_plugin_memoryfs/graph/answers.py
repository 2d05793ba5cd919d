"""The texts of tool answers: what was done, or why not and what to do instead (Chinese)."""

from collections.abc import Sequence
from datetime import tzinfo

from ..text.sentences import gist
from .edges import Edge
from .recall import Search
from .render import FACTS_LIMIT, as_data, fact_lines, facts_of, people_names, trait_lines
from .results import CommitResult, Fact, PurgeResult, RecallResult

_SHOWN = 5
_OBJECT = 40


def committed(ids: Sequence[int], added: int, seen_again: int, superseded: Sequence[Fact]) -> CommitResult:
    """What a commit did."""
    parts = [f"新记下 {added} 条"] if added else []
    if seen_again:
        parts.append(f"{seen_again} 条之前记过，已更新时间")
    if superseded:
        parts.append(f"旧值不再有效：{_brief(superseded)}")
    return CommitResult(
        ok=True,
        text=as_data("；".join(parts) + "。"),
        fact_ids=tuple(ids),
        added=added,
        seen_again=seen_again,
        superseded=tuple(superseded),
    )


def commit_refused(reasons: Sequence[str]) -> CommitResult:
    """Why nothing of a commit was written."""
    told = "；".join(reasons[:_SHOWN])
    return CommitResult(ok=False, text=as_data(f"全部未写入。{told}。请改好后重新提交。"))


def recall_refused(reason: str) -> RecallResult:
    """Why nothing was looked for."""
    return RecallResult(ok=False, text=as_data(f"没有查找：{reason}。"))


def recalled(search: Search, found: Sequence[Edge], zone: tzinfo | None) -> RecallResult:
    """What a recall found, best first; around a hub, older facts were not even looked at."""
    facts = facts_of(search, found[:FACTS_LIMIT])
    said_by = people_names(search, {fact.user_id for fact in facts})
    lines = fact_lines(facts, said_by, zone)
    return _recalled(facts[: len(lines)], lines, len(found) - len(lines))


def persona(search: Search, traits: Sequence[Edge]) -> RecallResult:
    """What the character is like."""
    facts = facts_of(search, traits)
    lines = trait_lines(facts)
    return _recalled(facts[: len(lines)], lines, len(facts) - len(lines))


def _recalled(facts: Sequence[Fact], lines: Sequence[str], left_out: int) -> RecallResult:
    told = list(lines)
    if left_out:
        told.append(f"（至少还有 {left_out} 条没有列出，可以问得更具体）")
    return RecallResult(
        ok=True,
        text="\n".join(told) if told else "没有找到相关记忆。",
        facts=tuple(facts),
        left_out=left_out,
    )


def purged(closed: Sequence[Fact], replacement: str | None) -> PurgeResult:
    """What a purge closed."""
    done = (
        f"已更正：{_brief(closed)} → {gist(replacement, _OBJECT)}"
        if replacement
        else (f"已删除：{_brief(closed)}")
    )
    return PurgeResult(ok=True, text=as_data(f"{done}。30 天内可以撤销。"), purged=tuple(closed))


def purge_refused(reason: str, nearest: Sequence[str] = ()) -> PurgeResult:
    """Why a purge closed nothing."""
    hint = f"相近的名字：{'、'.join(gist(name, _OBJECT) for name in nearest)}。" if nearest else ""
    return PurgeResult(ok=False, text=as_data(f"没有删除任何内容：{reason}。{hint}"), nearest=tuple(nearest))


def undone(opened: Sequence[Fact], outdated: Sequence[Fact]) -> PurgeResult:
    """What an undo brought back, and what had been corrected meanwhile."""
    if not opened and not outdated:
        return PurgeResult(ok=False, text="没有可以撤销的删除（只能撤销 30 天内的）。")
    parts = [f"已恢复：{_brief(opened)}。"] if opened else []
    if outdated:
        parts.append(f"后来另有说法，只恢复成历史：{_brief(outdated)}。")
    return PurgeResult(ok=True, text=as_data("".join(parts)), purged=(*opened, *outdated))


def nobody(name: str) -> str:
    """Why nothing is found under a name."""
    return f"没有叫 {gist(name, _OBJECT)!r} 的"


def _brief(facts: Sequence[Fact]) -> str:
    told = [f"{f.subject} {f.label} {gist(f.object, _OBJECT)}" for f in facts[:_SHOWN]]
    return "、".join(told)
