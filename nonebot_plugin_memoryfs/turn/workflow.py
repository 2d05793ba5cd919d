"""The workflow of a turn: the ten steps of R4.1, in this order, whatever the model does.

heard → recalled and prompted → answered → sent → recorded. Each step hands on a `Turn` that knows more.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

from ..concurrency import in_thread
from ..graph import TOOLS
from ..model import Answer, Ask, ChatModel
from ..model.reply_text import reply_text
from ..prompt.slots import TITLES
from .brief import brief_of
from .prompting import build_message
from .queues import Overheard
from .rooms import Rooms
from .steps import hear, recall, record
from .tools import TurnTools
from .values import Incoming, Key, Turn

logger = logging.getLogger("nonebot_plugin_memoryfs")

NOTICE = "我这会儿脑子有点转不过来，等等再聊好吗？"
"""What the character says when the model fails (R4.6)."""
NOTICE_EVERY = timedelta(minutes=10)
"""At most one notice per conversation in this time."""

_TOOL_NAMES = frozenset(tool.name for tool in TOOLS)


class Workflow:
    """Runs turns; many conversations at once, each turn on its own."""

    def __init__(self, rooms: Rooms, model: Callable[[], Awaitable[ChatModel]], overheard: Overheard) -> None:
        """Prepare to run turns.

        Args:
            rooms: what turns read and write.
            model: gives the model, waiting where it is not loaded yet.
            overheard: the lines between turns.
        """
        self._rooms = rooms
        self._model = model
        self._overheard = overheard
        self._noticed: dict[Key, datetime] = {}

    async def run(self, incoming: Incoming) -> Turn:
        """A whole turn: `hear`, then `answer`."""
        return await self.answer(await self.hear(incoming))

    async def hear(self, incoming: Incoming) -> Turn:
        """Steps 1 and 2. When this returns, what was said is stored, whatever happens after."""
        return await _timed("heard", in_thread(hear, self._rooms, incoming))

    async def answer(self, turn: Turn) -> Turn:
        """Steps 3 to 9 of a turn that was heard."""
        turn = replace(turn, overheard=self._overheard.take(turn.key))
        turn = await _timed("recalled", in_thread(recall, self._rooms, turn))
        tools = TurnTools(self._rooms.graph, turn)
        turn = await _timed("answered", self._ask(turn, tools))
        turn = await _timed("sent", self._send(turn))
        return await in_thread(record, self._rooms, turn, tools.committed)

    async def drop(self, turn: Turn) -> None:
        """Close a heard turn that is not going to be answered (R4.4)."""
        await in_thread(self._rooms.graph.leave_unanswered, turn.turn_id)

    async def _ask(self, turn: Turn, tools: TurnTools) -> Turn:
        assert turn.prompt is not None
        ask = Ask(
            system=turn.prompt.text,
            user=build_message(turn),
            tools=tools.bound,
            brief=brief_of(turn, self._rooms.zone),
        )
        try:
            answer = await (await self._model()).answer(ask)
        except Exception as error:
            logger.exception("模型没有准备好")
            answer = Answer(failure=f"{type(error).__name__}：{error}")
        errors = (*turn.errors, answer.failure) if answer.failure else turn.errors
        return replace(turn, answer=answer, errors=errors)

    async def _send(self, turn: Turn) -> Turn:
        assert turn.answer is not None
        assert turn.recalled is not None
        reply = reply_text(turn.answer.text, TITLES, _TOOL_NAMES)
        text = reply or self._notice(turn.key)
        if not text:
            return turn
        try:
            await turn.incoming.send(text, turn.recalled.card.name)
        except Exception as error:
            logger.warning("回复没有发出去：%r", error)
            return replace(turn, errors=(*turn.errors, f"发送失败：{error!r}"))
        if not reply:
            self._noticed[turn.key] = self._rooms.clock()
        return replace(turn, reply=reply or None)

    def _notice(self, key: Key) -> str:
        """What to say instead of an answer; nothing where it was said a short while ago."""
        now = self._rooms.clock()
        self._noticed = {k: at for k, at in self._noticed.items() if now - at < NOTICE_EVERY}
        return "" if key in self._noticed else NOTICE


async def _timed(step: str, work: Awaitable[Turn]) -> Turn:
    """Await a step and note how long it took, in milliseconds."""
    started = time.perf_counter()
    turn = await work
    spent = round((time.perf_counter() - started) * 1000, 2)
    return replace(turn, timings=(*turn.timings, (step, spent)))
