"""The chat hook: a OneBot message becomes a turn, in arrival order within its conversation (R7.2, R4.4)."""

import asyncio
import random
from collections.abc import Callable
from weakref import WeakValueDictionary

import nonebot
from nonebot.adapters.onebot.v11 import (
    Bot,
    FriendRecallNoticeEvent,
    GroupMessageEvent,
    GroupRecallNoticeEvent,
    MessageEvent,
    PrivateMessageEvent,
)

from ..app import App
from ..config import Settings
from ..scope import Scope, group_conversation, private_conversation
from ..text.cleaning import clean_name
from ..turn import Incoming, OverheardLine
from .arrivals import Arrivals, SpokenEvent, conversation_of
from .readable import Names, readable
from .sending import send_reply
from .triggers import addressed, heard, manages


class Chat:
    """Turns messages of every bot account into turns of the app."""

    def __init__(
        self,
        app: App,
        settings: Settings,
        chance: Callable[[], float] = random.random,
        arrivals: Arrivals | None = None,
    ) -> None:
        """Hear for an app.

        Args:
            app: the running app.
            settings: whom to hear.
            chance: what decides about chiming in, 0 to 1.
            arrivals: the order messages came in; without it, the order of the calls.
        """
        self._app = app
        self._arrivals = arrivals or Arrivals()
        self._chance = chance
        self._settings = settings
        self._names = Names()
        self._order: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def receive(self, bot: Bot, event: MessageEvent) -> None:
        """Hear a message: answer it, or keep it as context; ignored ones leave no trace.

        Only an event that says it is a private or a group message counts: what merely looks like a
        message may have an audience nobody knows (R1.17).
        """
        if not isinstance(event, PrivateMessageEvent | GroupMessageEvent):
            return
        if not heard(event, self._settings, nonebot.get_bots()):
            return
        await self._arrivals.turn_of(event)
        try:
            await self._receive(bot, event)
        finally:
            self._arrivals.leave(event)

    async def _receive(self, bot: Bot, event: SpokenEvent) -> None:
        conversation_id = conversation_of(event)
        lock = self._order.setdefault(conversation_id, asyncio.Lock())
        async with lock:  # first come, first served: looking up a name must not let others overtake
            if not await self._app.is_on(conversation_id):
                return
            scope = await scope_of(self._app, event)
            if not self._app.was_taken_back(scope, str(event.message_id)):
                await self._take_in(bot, event, scope)

    async def _take_in(self, bot: Bot, event: MessageEvent, scope: Scope) -> None:
        speaker, at = self._name(event), self._app.clock()
        unkept = await self._app.keeps_nothing_of(scope.user_id)
        if not scope.private and not unkept:
            await self._app.note_presence(scope)
        text = await self._text(bot, event)
        if not addressed(event, self._settings, self._chance):
            if text and not unkept:
                self._app.overhear(scope, OverheardLine(speaker, text, str(event.message_id)))
            return
        if scope.private and not text:
            return
        incoming = Incoming(
            scope=scope,
            speaker=speaker,
            text=text,
            at=at,
            send=lambda reply, name: send_reply(bot, event, reply, name),
            account=bot.self_id,
            administers=manages(event),
            source_ids=(str(event.message_id),),
            quoted=await self._quoted(bot, event),
        )
        await self._app.conversations.submit(await self._app.workflow.hear(incoming))

    async def withdraw(self, event: GroupRecallNoticeEvent | FriendRecallNoticeEvent) -> None:
        """A message was taken back (R4.11): what it stored goes, behind what is being taken in there.

        One that is still on its way, behind other plugins or a slow call, is not taken in any more.
        """
        if isinstance(event, GroupRecallNoticeEvent):
            conversation_id = group_conversation(str(event.group_id))
        else:
            conversation_id = private_conversation(str(event.user_id))
        lock = self._order.setdefault(conversation_id, asyncio.Lock())
        async with lock:
            character = await self._app.character_of(str(event.self_id), conversation_id)
            await self._app.withdraw(character, conversation_id, str(event.message_id))

    def _name(self, event: MessageEvent) -> str:
        user_id = str(event.user_id)
        name = clean_name(event.sender.card or event.sender.nickname or "", user_id)
        if isinstance(event, GroupMessageEvent):
            self._names.learn(str(event.group_id), user_id, name)
        return name

    async def _text(self, bot: Bot, event: MessageEvent) -> str:
        async def name_of(user_id: str) -> str:
            if isinstance(event, GroupMessageEvent) and not await self._app.keeps_nothing_of(user_id):
                return await self._names.find(bot, str(event.group_id), user_id)
            return user_id

        return await readable(event.message, str(event.self_id), name_of)

    async def _quoted(self, bot: Bot, event: MessageEvent) -> OverheardLine | None:
        if event.reply is None:
            return None
        sender = event.reply.sender
        if await self._app.keeps_nothing_of(str(sender.user_id)):
            return None
        speaker = clean_name(sender.card or sender.nickname or "", str(sender.user_id))

        async def bare(user_id: str) -> str:
            return user_id

        text = await readable(event.reply.message, str(event.self_id), bare)
        speaker = "你" if str(sender.user_id) == bot.self_id else speaker
        return OverheardLine(speaker, text, str(event.reply.message_id))


async def scope_of(app: App, event: PrivateMessageEvent | GroupMessageEvent) -> Scope:
    """Who speaks to which character where."""
    conversation = conversation_of(event)
    character = await app.character_of(str(event.self_id), conversation)
    private = not isinstance(event, GroupMessageEvent)
    return Scope(character, conversation, str(event.user_id), private)
