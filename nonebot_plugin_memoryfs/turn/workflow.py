"""The workflow of a turn: the ten steps of R4.1, in this order, whatever the model does.

heard → recalled and prompted → answered → sent → recorded. Each step hands on a `Turn` that knows more.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

from ..concurrency import in_thread
from ..errors import ModelFailed
from ..model import Ask, ChatModel
from ..model.reply_text import reply_text
from ..prompt.slots import TITLES
from .brief import brief_of
from .prompting import build_message
from .queues import Overheard
from .rooms import Rooms
from .steps import hear, recall, record
from .tools import TurnTools
from .values import Incoming, Turn

logger = logging.getLogger("nonebot_plugin_memoryfs")

NOTICE = "我这会儿脑子有点转不过来，等等再聊好吗？"
"""What the character says when the model fails (R4.6)."""
NOTICE_EVERY = timedelta(minutes=10)
"""At most one notice per conversation in this time."""


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
        self._noticed: dict[str, datetime] = {}

    async def run(self, incoming: Incoming) -> Turn:
        """One turn. What was said is kept from the first step on, whatever fails after it."""
        key = incoming.scope.character_id, incoming.scope.conversation_id
        overheard = self._overheard.take(key)
        turn = await _timed("heard", in_thread(hear, self._rooms, incoming, overheard))
        turn = await _timed("recalled", in_thread(recall, self._rooms, turn))
        tools = TurnTools(self._rooms.graph, turn)
        turn = await _timed("answered", self._answer(turn, tools))
        turn = await _timed("sent", self._send(turn))
        return await in_thread(record, self._rooms, turn, tools.committed)

    async def _answer(self, turn: Turn, tools: TurnTools) -> Turn:
        assert turn.prompt is not None
        ask = Ask(
            system=turn.prompt.text,
            user=build_message(turn),
            tools=tools.bound,
            brief=brief_of(turn, self._rooms.zone),
        )
        try:
            answer = await (await self._model()).answer(ask)
        except ModelFailed as error:
            logger.error("模型没有给出回答：%s", error)
            return replace(turn, errors=(*turn.errors, str(error)))
        return replace(turn, answer=answer)

    async def _send(self, turn: Turn) -> Turn:
        reply = ""
        if turn.answer is not None:
            tools = {call.name for call in turn.answer.calls}
            reply = reply_text(turn.answer.text, TITLES, tools)
        text = reply or self._notice(turn)
        if not text:
            return turn
        try:
            await turn.incoming.send(text)
        except Exception as error:
            logger.warning("回复没有发出去：%r", error)
            return replace(turn, errors=(*turn.errors, f"发送失败：{error!r}"))
        return replace(turn, reply=reply or None)

    def _notice(self, turn: Turn) -> str:
        """What to say instead of an answer; nothing where it was said a short while ago."""
        conversation, now = turn.incoming.scope.conversation_id, self._rooms.clock()
        last = self._noticed.get(conversation)
        if last is not None and now - last < NOTICE_EVERY:
            return ""
        self._noticed[conversation] = now
        return NOTICE


async def _timed(step: str, work: Awaitable[Turn]) -> Turn:
    """Await a step and note how long it took, in milliseconds."""
    started = time.perf_counter()
    turn = await work
    spent = round((time.perf_counter() - started) * 1000, 2)
    return replace(turn, timings=(*turn.timings, (step, spent)))
