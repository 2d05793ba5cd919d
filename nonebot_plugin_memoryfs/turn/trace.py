"""Why a turn was answered as it was: the turn's own values, kept, pruned and told (R4.3)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from ..prompt import RenderedPrompt
from ..storage import Database
from ..storage.tables import HAS_TEXT, traces
from .checklist import check
from .values import Recalled, Turn

FULL_TEXTS = 5
"""Newest turns of a conversation that keep the full text of their request."""
FULL_TEXT_BYTES = 50_000_000
"""Full text kept in all."""

CHECKS = {
    "persona_recalled": "查了人设",
    "chain_recalled": "查了任务链",
    "both_in_last_request": "人设与任务链都在最后一次请求里",
    "chain_updated": "更新了任务链",
    "reference_searched": "指代到以前的事时查了任务链",
    "recent_searched": "说到刚才/之前/上次时查了任务链",
}
"""The checklist in words, in its order."""
STEPS = {"heard": "听到", "recalled": "回忆", "answered": "回答", "sent": "发送", "recorded": "记录"}
"""The steps that are timed, in words."""


def trace_of(turn: Turn) -> dict[str, Any]:
    """The trace of a turn as JSON."""
    scope = turn.incoming.scope
    return {
        "turn_id": turn.turn_id,
        "character_id": scope.character_id,
        "conversation_id": scope.conversation_id,
        "user_id": scope.user_id,
        "at": turn.incoming.at.isoformat(),
        "checklist": asdict(check(turn)),
        "recalled": _recalled(turn.recalled) if turn.recalled else None,
        "prompt": _prompt(turn.prompt) if turn.prompt else None,
        "calls": [asdict(call) for call in turn.answer.calls] if turn.answer else [],
        "requests": len(turn.answer.requests) if turn.answer else 0,
        "tokens": [turn.answer.input_tokens, turn.answer.output_tokens] if turn.answer else [0, 0],
        "committed_by_host": list(turn.committed),
        "answered": turn.reply is not None,
        "milliseconds": dict(turn.timings),
        "errors": list(turn.errors),
    }


def save_trace(connection: Connection, turn: Turn, trace: Mapping[str, Any], *, keep_text: bool) -> None:
    """Keep the trace, and the text of its last request where it may be, while it is among the newest."""
    text = _last_request(turn) if keep_text else ""
    scope = turn.incoming.scope
    row = {
        "turn_id": turn.turn_id,
        "character_id": scope.character_id,
        "conversation_id": scope.conversation_id,
        "body": trace,
        "prompt": text,
        "prompt_size": len(text.encode("utf-8", "replace")),
    }
    connection.execute(_ADD, row)
    _forget_older_texts(connection, turn)
    _forget_beyond_limit(connection)


def _last_request(turn: Turn) -> str:
    requests = turn.answer.requests if turn.answer else ()
    return requests[-1].text if requests else (turn.prompt.text if turn.prompt else "")


def latest_trace(database: Database, conversation_id: str | None = None) -> dict[str, Any] | None:
    """The trace of the newest turn, of one conversation or of all; `None` where there is none."""
    query = select(traces.c.body).order_by(traces.c.turn_id.desc()).limit(1)
    if conversation_id:
        query = query.where(traces.c.conversation_id == conversation_id)
    with database.read() as connection:
        return connection.scalar(query)


@dataclass(frozen=True, slots=True)
class KeptTrace:
    """The trace of a turn as it is kept."""

    body: dict[str, Any]
    prompt: str | None
    """The full text of its last request, for the newest turns."""


def trace_by_turn(database: Database, turn_id: int) -> KeptTrace | None:
    """The trace of one turn; `None` where there is none."""
    query = select(traces.c.body, traces.c.prompt).where(traces.c.turn_id == turn_id)
    with database.read() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else KeptTrace(row.body, row.prompt)


def explain(trace: Mapping[str, Any]) -> str:
    """A trace in some ten lines for people."""
    return "\n".join(_lines(trace))


def _lines(trace: Mapping[str, Any]) -> Iterator[str]:
    outcome = "已回答" if trace["answered"] else "没有回答"
    yield f"第 {trace['turn_id']} 轮 · {trace['conversation_id']} · {trace['at'][:16]} · {outcome}"
    yield "检查：" + "，".join(
        f"{'✓' if trace['checklist'][name] else '✗'}{label}" for name, label in CHECKS.items()
    )
    if recalled := trace["recalled"]:
        yield (
            f"想起：人设 {len(recalled['persona'])} 条，相关的事 {len(recalled['facts'])} 条"
            f"（另有 {recalled['facts_left_out']} 条没放下），以前的话 {len(recalled['sayings'])} 句"
        )
        sections = "，".join(f"{s['path']}（{s['entries']} 条）" for s in recalled["memory"])
        yield (
            f"记忆文件：{sections or '没有'}；便签 {len(recalled['notes'])} 条"
            f"（另有 {recalled['notes_left_out']} 条没放下）"
        )
    if prompt := trace["prompt"]:
        kept = "，".join(f"{key} {size}" for key, size in prompt["kept"])
        yield f"提示词 {prompt['characters']} 字：{kept}"
        cut = "，".join(f"{c['part']} {c['lines']} 行" for c in prompt["cuts"])
        yield f"裁掉：{cut or '没有'}"
    called = "；".join(f"{call['name']} → {call['result']}" for call in trace["calls"])
    yield f"工具：{called or '没有调用'}"
    if trace["committed_by_host"]:
        yield "补记：" + "，".join(trace["committed_by_host"])
    spent = "，".join(f"{STEPS.get(k, k)} {ms:g}" for k, ms in trace["milliseconds"].items())
    yield f"请求 {trace['requests']} 次，token {trace['tokens'][0]}+{trace['tokens'][1]}；毫秒：{spent}"
    if trace["errors"]:
        yield "出错：" + "；".join(trace["errors"])


def _recalled(recalled: Recalled) -> dict[str, Any]:
    return {
        "persona": [fact.id for fact in recalled.persona.facts],
        "chain": [task.task_id for task in recalled.chain.tasks],
        "facts": [fact.id for fact in recalled.facts.facts],
        "facts_left_out": recalled.facts.left_out,
        "facts_repeated": sorted(recalled.repeated),
        "sayings": [hit.id for hit in recalled.sayings],
        "looked_back": recalled.back is not None,
        "layer": recalled.layer,
        "memory": [
            {"path": s.path, "entries": len(s.entries), "left_out": s.left_out, "hidden": s.hidden}
            for s in recalled.memory.sections
        ],
        "notes": [one.note.id for one in recalled.notes.shown],
        "notes_left_out": recalled.notes.left_out,
    }


def _prompt(prompt: RenderedPrompt) -> dict[str, Any]:
    return {
        "characters": len(prompt.text),
        "kept": [[kept.key, kept.characters] for kept in prompt.kept],
        "cuts": [asdict(cut) for cut in prompt.cuts],
        "left_out": [list(item) for item in prompt.left_out],
    }


_ADD = insert(traces)
_DROP_TEXT = update(traces).values(prompt=None, prompt_size=0)
_WITH_TEXT = (
    select(traces.c.turn_id)
    .where(
        traces.c.character_id == bindparam("of_character"),
        traces.c.conversation_id == bindparam("of_conversation"),
        HAS_TEXT,
    )
    .order_by(traces.c.turn_id.desc())
    .offset(FULL_TEXTS)
)
_SIZE = select(func.coalesce(func.sum(traces.c.prompt_size), 0)).where(HAS_TEXT)
_OLDEST_TEXT = select(traces.c.turn_id).where(HAS_TEXT).order_by(traces.c.turn_id).limit(20)


def _forget_older_texts(connection: Connection, turn: Turn) -> None:
    scope = turn.incoming.scope
    where = {"of_character": scope.character_id, "of_conversation": scope.conversation_id}
    _drop(connection, connection.scalars(_WITH_TEXT, where))


def _forget_beyond_limit(connection: Connection) -> None:
    while (connection.scalar(_SIZE) or 0) > FULL_TEXT_BYTES:
        _drop(connection, connection.scalars(_OLDEST_TEXT))


def _drop(connection: Connection, turn_ids: Iterable[int]) -> None:
    ids = list(turn_ids)
    if ids:
        connection.execute(_DROP_TEXT.where(traces.c.turn_id.in_(ids)))
