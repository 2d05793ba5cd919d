"""The order in which messages came, whatever NoneBot does to them on the way (R4.4).

NoneBot handles every event in a task of its own, and the rule of any command, of whatever plugin, takes its
arguments apart in a thread: of two messages that come together, the later one may reach the chat first.
"""

import asyncio
import weakref
from contextlib import suppress
from itertools import takewhile

from nonebot.adapters.onebot.v11 import GroupMessageEvent, PrivateMessageEvent

from ..scope import group_conversation, private_conversation

WAITS = 2.0
"""Seconds a message waits at most for an earlier one that another plugin is busy with."""

SpokenEvent = PrivateMessageEvent | GroupMessageEvent


def conversation_of(event: SpokenEvent) -> str:
    """The conversation an event belongs to (R7.1)."""
    if isinstance(event, GroupMessageEvent):
        return group_conversation(str(event.group_id))
    return private_conversation(str(event.user_id))


class Arrivals:
    """Which messages of each conversation are on their way to the chat. For the event loop's thread alone."""

    def __init__(self, waits: float = WAITS) -> None:
        self._waits = waits
        self._here: dict[str, dict[int, asyncio.Event]] = {}

    def come(self, event: SpokenEvent) -> None:
        """A message has come; it counts until it leaves, or until nobody holds it any more."""
        conversation_id = conversation_of(event)
        self._here.setdefault(conversation_id, {})[id(event)] = asyncio.Event()
        weakref.finalize(event, self._leave, conversation_id, id(event)).atexit = False

    def leave(self, event: SpokenEvent) -> None:
        """A message was taken in, or it never gets to the chat."""
        self._leave(conversation_of(event), id(event))

    async def turn_of(self, event: SpokenEvent) -> None:
        """Wait until those that came before have left, each for a short while at most."""
        here = self._here.get(conversation_of(event), {})
        if id(event) not in here:
            return
        for earlier in list(takewhile(lambda known: known != id(event), here)):
            if left := here.get(earlier):
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._waits):
                        await left.wait()

    def _leave(self, conversation_id: str, event_id: int) -> None:
        here = self._here.get(conversation_id, {})
        if left := here.pop(event_id, None):
            left.set()
        if not here:
            self._here.pop(conversation_id, None)
