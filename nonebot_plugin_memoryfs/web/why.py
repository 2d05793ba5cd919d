"""A trace as people read it: ids become the things themselves, keys become words (R4.3)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from ..graph import FactReview
from ..prompt.slots import slot_of
from ..search.lines import Line
from ..turn import PastTurn
from ..turn.trace import CHECKS, STEPS, KeptTrace
from .facts import FactView
from .values import place_label


class Said(BaseModel):
    """A line somebody said."""

    speaker: str
    text: str
    at: datetime
    place: str
    conversation_id: str
    by_character: bool
    turn_id: int | None

    @classmethod
    def of(cls, line: Line) -> "Said":
        """The view of a line."""
        fields = {name: getattr(line, name) for name in cls.model_fields if name != "place"}
        return cls(**fields, place=place_label(line.conversation_id))


class Check(BaseModel):
    """A step of the checklist."""

    label: str
    done: bool


class Recalled(BaseModel):
    """What came to mind."""

    persona: list[FactView]
    facts: list[FactView]
    facts_left_out: int
    sayings: list[Said]
    tasks: int = Field(description="任务链里有多少个")
    looked_back: bool = Field(description="这句话指向以前，所以回头找过")
    files: list["RecalledFile"]
    base: str = Field(description="用的是哪一层提示词")


class RecalledFile(BaseModel):
    """A memory file that was read."""

    path: str
    entries: int
    left_out: int = Field(description="没放下的")
    hidden: int = Field(description="这里不该让人看到的")


class Part(BaseModel):
    """A part of the prompt."""

    label: str
    characters: int


class CutPart(BaseModel):
    """What had no room."""

    label: str
    lines: int


class Call(BaseModel):
    """A tool call."""

    label: str
    ok: bool
    result: str
    milliseconds: float


class Step(BaseModel):
    """How long a step took."""

    label: str
    milliseconds: float


class Why(BaseModel):
    """Why a turn was answered as it was."""

    turn_id: int
    said: str
    reply: str
    at: datetime
    place: str
    checks: list[Check]
    recalled: Recalled | None
    prompt_characters: int
    parts: list[Part]
    cuts: list[CutPart]
    calls: list[Call]
    written: list[FactView] = Field(description="这一轮记下的")
    by_host: list[str] = Field(description="模型没记、由规则补记的")
    requests: int
    tokens: tuple[int, int] = Field(description="读入与写出")
    steps: list[Step]
    errors: list[str]
    prompt: str | None = Field(description="完整的提示词，只留最近几轮的")


def why_of(facts: FactReview, turn: PastTurn, trace: KeptTrace, sayings: Sequence[Line]) -> Why:
    """The explanation of a turn.

    Args:
        facts: tells what stands behind ids.
        turn: what was said.
        trace: what was kept of how it was answered.
        sayings: the lines that came to mind.
    """
    body = trace.body
    prompt: dict[str, Any] = body["prompt"] or {"characters": 0, "kept": (), "cuts": ()}
    return Why(
        turn_id=turn.id,
        said=turn.said,
        reply=turn.reply,
        at=turn.at,
        place=place_label(turn.conversation_id),
        checks=[Check(label=label, done=body["checklist"][name]) for name, label in CHECKS.items()],
        recalled=_recalled(facts, body["recalled"], sayings) if body["recalled"] else None,
        prompt_characters=prompt["characters"],
        parts=[Part(label=_part(key), characters=size) for key, size in prompt["kept"]],
        cuts=[CutPart(label=_word(_CUTS, cut["part"]), lines=cut["lines"]) for cut in prompt["cuts"]],
        calls=[_call(call) for call in body["calls"]],
        written=[FactView.of(fact) for fact in facts.facts_of_turn(turn.id)],
        by_host=body["committed_by_host"],
        requests=body["requests"],
        tokens=body["tokens"],
        steps=[Step(label=_word(STEPS, name), milliseconds=ms) for name, ms in body["milliseconds"].items()],
        errors=body["errors"],
        prompt=trace.prompt or None,
    )


def _recalled(facts: FactReview, recalled: Mapping[str, Any], sayings: Sequence[Line]) -> Recalled:
    return Recalled(
        persona=[FactView.of(fact) for fact in facts.facts_by_id(recalled["persona"])],
        facts=[FactView.of(fact) for fact in facts.facts_by_id(recalled["facts"])],
        facts_left_out=recalled["facts_left_out"],
        sayings=[Said.of(line) for line in sayings],
        tasks=len(recalled["chain"]),
        looked_back=recalled["looked_back"],
        files=[RecalledFile(**file) for file in recalled["memory"]],
        base=_base(recalled["layer"]),
    )


def _call(call: Mapping[str, Any]) -> Call:
    return Call(
        label=_word(_TOOLS, call["name"]),
        ok=call["ok"],
        result=call["result"],
        milliseconds=call["milliseconds"],
    )


def _part(key: str) -> str:
    return _PARTS.get(key) or slot_of(key).title


def _word(words: Mapping[str, str], key: str) -> str:
    """What a key is called; a key without a word of its own is its own."""
    return words.get(key) or key


def _base(layer: str) -> str:
    level, _, source = layer.partition("/")
    return f"{_word(_LEVELS, level)}（{_word(_SOURCES, source)}）" if layer else "没有"


_LEVELS = {"user": "这个人的提示词", "group": "本群的提示词", "default": "默认提示词", "card": "角色卡"}
_SOURCES = {"store": "prompts.json", "file": "resources/prompts 文件夹", "card": "自带"}
_PARTS = {"tools": "工具说明", "memories": "便签"}
_CUTS = {
    "timeline": "时间线",
    "life_sim": "生活片段",
    "important_event": "重要事件",
    "plot": "剧情摘要",
    "recent_digest": "近期摘要",
    "turns": "较早的对话",
    "facts": "事实",
    "sayings": "以前说过的话",
    "notes": "便签",
}
_TOOLS = {
    "memory_commit": "记下事实",
    "memory_recall": "查找事实",
    "memory_purge": "更正或删除事实",
    "task_create": "新建任务",
    "task_set_state": "更新任务",
}
