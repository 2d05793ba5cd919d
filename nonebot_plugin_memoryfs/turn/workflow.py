"""The workflow of a turn: the ten steps of R4.1, in this order, whatever the model does.

heard → recalled and prompted → answered → sent → recorded. Each step hands on a `Turn` that knows more.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from ..concurrency import in_thread
from ..errors import OperatorError
from ..graph import TOOLS
from ..model import Answer, Ask, ChatModel
from ..model.reply_text import reply_text
from ..prompt.slots import TITLES
from .brief import brief_of
from .prompting import build_message
from .queues import Overheard
from .rooms import Rooms
from .steps import hear, recall, record, tell_once
from .tools import TurnTools
from .values import Incoming, Key, Turn

logger = logging.getLogger("nonebot_plugin_memoryfs")

NOTICE = "我这会儿脑子有点转不过来，等等再聊好吗？"
"""What the character says when the model fails (R4.6)."""
NOTICE_EVERY = timedelta(minutes=10)
"""At most one notice per conversation in this time."""

BUDGET_NOTICE = "今天的对话额度用完了，明天再聊吧。你说的我都记下了。"
"""What a conversation is told once a day when no model may be asked any more (R4.4)."""

_TOOL_NAMES = frozenset(tool.name for tool in TOOLS)


class Workflow:
    """Runs turns; many conversations at once, each turn on its own."""

    def __init__(
        self,
        rooms: Rooms,
        model: Callable[[], Awaitable[ChatModel]],
        overheard: Overheard,
        turn_done: Callable[[Key], None] = lambda key: None,
    ) -> None:
        """Prepare to run turns.

        Args:
            rooms: what turns read and write.
            model: gives the model, waiting where it is not loaded yet.
            overheard: the lines between turns.
            turn_done: told of every turn that was closed: it is counted, and learning may start (R4.8).
        """
        self._rooms = rooms
        self._model = model
        self._overheard = overheard
        self._turn_done = turn_done
        self._noticed: dict[Key, datetime] = {}

    async def run(self, incoming: Incoming) -> Turn:
        """A whole turn: `hear`, then `answer`."""
        return await self.answer(await self.hear(incoming))

    async def hear(self, incoming: Incoming) -> Turn:
        """Steps 1 and 2. When this returns, what was said is stored, whatever happens after."""
        return await _timed("heard", in_thread(hear, self._rooms, incoming))

    async def answer(self, turn: Turn) -> Turn:
        """Steps 3 to 10 of a turn that was heard."""
        turn = replace(turn, overheard=self._overheard.take(turn.key))
        turn = await _timed("recalled", in_thread(recall, self._rooms, turn))
        tools = TurnTools(self._rooms.graph, turn)
        if not turn.spent:
            turn = await _timed("answered", self._ask(turn, tools))
        turn = await _timed("sent", self._send(turn))
        turn = await in_thread(record, self._rooms, turn, tools.committed, partial(self._may_be_kept, turn))
        self._turn_done(turn.key)
        return turn

    def _may_be_kept(self, turn: Turn) -> bool:
        """Whether the text of the request may be: nothing that others said in it was taken back (R4.11)."""
        quoted = turn.incoming.quoted
        beside = (*turn.overheard, quoted) if quoted else turn.overheard
        return not any(self._overheard.was_taken_back(turn.key, line.source_id) for line in beside)

    async def drop(self, turn: Turn) -> None:
        """Close a heard turn that is not going to be answered (R4.4)."""
        await in_thread(self._rooms.graph.leave_unanswered, turn.turn_id)
        self._turn_done(turn.key)

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
        except OperatorError as error:
            logger.warning("模型用不了：%s", error)
            answer = Answer(failure=str(error))
        except Exception as error:
            logger.exception("模型没有准备好")
            answer = Answer(failure=f"{type(error).__name__}：{error}")
        errors = (*turn.errors, answer.failure) if answer.failure else turn.errors
        return replace(turn, answer=answer, errors=errors)

    async def _send(self, turn: Turn) -> Turn:
        reply = reply_text(turn.answer.text, TITLES, _TOOL_NAMES) if turn.answer else ""
        if not reply and turn.answer and not turn.answer.failure:
            logger.warning("模型的回答里只有标题、标签或工具，没有能说的话")
            turn = replace(turn, errors=(*turn.errors, "回答里没有能说的话"))
        assert turn.recalled is not None
        text = reply or await self._notice(turn)
        if not text:
            return turn
        try:
            await turn.incoming.send(text, turn.recalled.card.name)
        except Exception as error:
            logger.warning("回复没有发出去：%r", error)
            return replace(turn, errors=(*turn.errors, f"发送失败：{error!r}"))
        if not reply and not turn.spent:
            self._noticed[turn.key] = self._rooms.clock()
        return replace(turn, reply=reply or None)

    async def _notice(self, turn: Turn) -> str:
        """What to say instead of an answer; nothing where it was said a short while ago."""
        if turn.spent:
            return BUDGET_NOTICE if await in_thread(tell_once, self._rooms, turn) else ""
        now = self._rooms.clock()
        self._noticed = {k: at for k, at in self._noticed.items() if now - at < NOTICE_EVERY}
        return "" if turn.key in self._noticed else NOTICE


async def _timed(step: str, work: Awaitable[Turn]) -> Turn:
    """Await a step and note how long it took, in milliseconds."""
    started = time.perf_counter()
    turn = await work
    spent = round((time.perf_counter() - started) * 1000, 2)
    return replace(turn, timings=(*turn.timings, (step, spent)))
