"""What one request to the model holds, turn after turn, beside a messages array (R6.10).

One person talks in one chat: facts, questions about them, small talk, changes of mind. The model answers at
once; the requests are those of the real workflow over real rooms. A messages array sends the same stable text
and all that was said so far.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.learn import Learner
from nonebot_plugin_memoryfs.memory.context import DEFAULT_BUDGET
from nonebot_plugin_memoryfs.model import Answer, Ask, Health, ModelRequestLog, Question, Reply
from nonebot_plugin_memoryfs.model.tokens import estimate
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.turn import Incoming, Overheard, Workflow

from .report import Bound, Row

TURNS = 300
WINDOW = 25
"""Turns whose mean is a row."""

LEGEND = f"""Means over {WINDOW} turns; tokens are estimated; most: the largest request of the window.
recalled: what of it are facts, sayings and entries that were found; it fills a budget of its own."""

BUDGET = DEFAULT_BUDGET + 1_200 + 5 * 240
"""Characters of memory files (R1.12), facts (R2.9), and five sayings with name and day."""

_FILLS = frozenset({"graph.facts", "memory_fs.context"})
_SCOPE = Scope("neko", "qq_private_1", "1", private=True)
_START = datetime(2026, 1, 1, 8, tzinfo=UTC)
_THINGS = ("摇滚", "爵士", "香菜", "登山", "猫", "科幻小说", "桌游", "咖啡", "摄影", "骑车", "火锅", "钢琴")
_LINES = (
    "我喜欢{0}",
    "我不喜欢{0}",
    "我打算周末去试试{0}",
    "我最近在学{0}，第{1}天了",
    "我喜欢{0}吗？",
    "刚才我们聊了什么？",
    "今天好累，第{1}次想请假",
    "说起{0}，你怎么看",
    "哈哈哈第{1}个笑话也太冷了",
    "晚安",
)
_REPLIES = (
    "嗯嗯，我听着呢。",
    "这样呀，那后来怎么样了？",
    "好呀，说起来我也挺好奇的。",
    "摸摸头，早点休息。",
)


T = TypeVar("T")


@dataclass
class AtOnce:
    """A model that answers at once and keeps what it was asked."""

    choose: random.Random
    asked: list[Ask] = field(default_factory=list[Ask])
    name: str = "bench"
    health: Health = field(default_factory=Health)

    async def answer(self, ask: Ask) -> Answer:
        """Say something."""
        self.asked.append(ask)
        log = ModelRequestLog(text=f"{ask.system}\n\n{ask.user}", milliseconds=0.0)
        return Answer(text=self.choose.choice(_REPLIES), requests=(log,))

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Answer as the rules do."""
        return Reply(value=question.by_rules())


def talk(turns: int, choose: random.Random) -> Iterator[str]:
    """What is said, turn after turn."""
    for number in range(turns):
        yield choose.choice(_LINES).format(choose.choice(_THINGS), number)


async def measure(turns: int, directory: Path) -> list[Row]:
    """Talk, and the size of a request by windows of turns."""
    choose = random.Random(1)
    now = _START
    app = await asyncio.to_thread(App.open, Settings(), directory, clock=lambda: now)
    model = AtOnce(choose)
    replies: list[str] = []

    async def ready() -> AtOnce:
        return model

    async def send(text: str, _: str) -> None:
        replies.append(text)

    learner = Learner(app.rooms.learning, ready)
    workflow = Workflow(app.rooms, ready, Overheard(), learner.turn_done)
    array: list[int] = []
    recalled: list[int] = []
    said = 0
    for text in talk(turns, choose):
        now += timedelta(minutes=choose.randrange(1, 120))
        turn = await workflow.run(Incoming(scope=_SCOPE, speaker="小明", text=text, at=now, send=send))
        await learner.idle()
        assert turn.prompt is not None
        recalled.append(sum(kept.characters for kept in turn.prompt.kept if kept.key in _FILLS))
        said += len(text)
        array.append(len(turn.prompt.stable_text) + said)
        said += len(replies[-1])
    await app.close()
    sizes = [len(ask.system) + len(ask.user) for ask in model.asked]
    tokens = [estimate(ask.system + ask.user) for ask in model.asked]
    return list(_rows(sizes, tokens, array, recalled))


def _rows(
    sizes: Sequence[int], tokens: Sequence[int], array: Sequence[int], recalled: Sequence[int]
) -> Iterator[Row]:
    for start in range(0, len(sizes) - WINDOW + 1, WINDOW):
        window = slice(start, start + WINDOW)
        yield {
            "turns": f"{start + 1}-{start + WINDOW}",
            "characters": sum(sizes[window]) / WINDOW,
            "recalled": sum(recalled[window]) / WINDOW,
            "most": max(sizes[window]),
            "tokens": sum(tokens[window]) / WINDOW,
            "messages array": sum(array[window]) / WINDOW,
        }


def bounds_of(rows: Sequence[Row]) -> list[Bound]:
    """Flat but for what is recalled, and that within its budget.

    A young chat has little to recall; facts and files fill their budget over hundreds of turns. So what
    decides is the rest of a request, against turns 26-50, and the budget; all of it together is reported.
    """
    quarter = len(rows) // 4
    if not quarter:
        return []
    second, young, last = rows[quarter : 2 * quarter], rows[1:2], rows[-quarter:]

    def mean(some: Sequence[Row], name: str) -> float:
        return fmean(row[name] for row in some)

    def rest(some: Sequence[Row]) -> float:
        return mean(some, "characters") - mean(some, "recalled")

    since = f"last quarter ÷ turns {rows[1]['turns']}"
    return [
        *(
            Bound(
                f"{n} per request, last quarter ÷ second",
                mean(last, n) / mean(second, n),
                "at most",
                1.1,
                "times",
            )
            for n in ("characters", "tokens")
        ),
        Bound("what is recalled ÷ its budget", max(row["recalled"] for row in rows) / BUDGET, "at most", 1),
        Bound(f"characters but for what is recalled, {since}", rest(last) / rest(young), "at most", 1.1),
        Bound(
            f"characters, {since}",
            mean(last, "characters") / mean(young, "characters"),
            "at most",
            1.1,
            "times",
        ),
        Bound("messages array ÷ characters, last quarter", _array_to_ours(last), "at least", 1.0, "times"),
    ]


def _array_to_ours(rows: Sequence[Row]) -> float:
    return fmean(row["messages array"] for row in rows) / fmean(row["characters"] for row in rows)
