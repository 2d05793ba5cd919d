"""Hooks commands into NoneBot: one matcher each, before the chat, which never sees a command (R7.3)."""

import base64
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import nonebot
from nonebot import on_command, on_message
from nonebot.adapters.onebot.v11 import Bot, GroupMessageEvent, Message, MessageEvent, PrivateMessageEvent
from nonebot.exception import AdapterException
from nonebot.matcher import Matcher
from nonebot.params import CommandArg
from nonebot.permission import SUPERUSER

from ...app import App
from ...concurrency import in_thread
from ..arrivals import conversation_of
from ..chat import scope_of
from ..readable import typed
from ..sending import send_reply
from ..triggers import manages, welcome
from .confirming import WAITS, WORD, Confirmations, Question
from .lists import Lists
from .table import Asked, Command, File, Reply, Role

logger = logging.getLogger("nonebot_plugin_memoryfs")

PRIORITY = 5
"""Before the chat's."""
_BEFORE_COMMANDS = PRIORITY - 1
_FAILED = "没有做成，机器人出了点问题；机器人主人可以看日志。"


@dataclass(frozen=True, slots=True)
class Desk:
    """What commands work with while an app runs: what people were shown, and what they were asked."""

    app: App
    lists: Lists = field(default_factory=Lists)
    confirmations: Confirmations[Asked] = field(default_factory=Confirmations[Asked])


def hook(command: Command, desk_of: Callable[[], Desk | None]) -> None:
    """Answer a command from now on.

    Args:
        command: which.
        desk_of: the desk of the running app, if it runs.
    """
    matcher = on_command(
        command.name, aliases=set(command.aliases), force_whitespace=True, priority=PRIORITY, block=True
    )

    @matcher.handle()
    async def _(bot: Bot, event: MessageEvent, text: Message = CommandArg()) -> None:  # noqa: B008
        desk = desk_of()
        if desk is not None:
            await carry_out(command, desk, bot, event, typed(text, bot.self_id))


def hook_confirmations(desk_of: Callable[[], Desk | None]) -> None:
    """See the next message of whoever was asked before commands and the chat do."""

    def was_asked(bot: Bot, event: MessageEvent) -> bool:
        desk = desk_of()
        return desk is not None and desk.confirmations.waits_for(bot.self_id, str(event.user_id))

    matcher = on_message(rule=was_asked, priority=_BEFORE_COMMANDS, block=False)

    @matcher.handle()
    async def _(bot: Bot, event: MessageEvent, matcher: Matcher) -> None:
        desk = desk_of()
        if desk is not None and await confirm(desk, bot, event):
            matcher.stop_propagation()


async def carry_out(command: Command, desk: Desk, bot: Bot, event: MessageEvent, text: str) -> None:
    """Answer one command, where the bot deals with who gave it."""
    app = desk.app
    if not isinstance(event, PrivateMessageEvent | GroupMessageEvent):
        return
    if not welcome(event, app.settings, nonebot.get_bots()):
        return
    if not command.always and not await app.is_on(conversation_of(event)):
        return
    asked = await _asked(desk, bot, event)
    if app.was_taken_back(asked.scope, asked.message_id):
        return
    if not asked.scope.private and not await app.keeps_nothing_of(asked.scope.user_id):
        await app.note_presence(asked.scope)
    try:
        reply = await command.answer(asked, text)
    except Exception:
        logger.exception("/%s 没有做成", command.name)
        reply = _FAILED
    await _send(desk, bot, event, asked, reply)


async def confirm(desk: Desk, bot: Bot, event: MessageEvent) -> bool:
    """Do what the sender confirms with this message; whether there was such a thing."""
    if not isinstance(event, PrivateMessageEvent | GroupMessageEvent):
        return False
    if not welcome(event, desk.app.settings, nonebot.get_bots()):
        return False
    bare = all(segment.is_text() for segment in event.original_message)
    question = desk.confirmations.hear(
        bot.self_id,
        str(event.user_id),
        conversation_of(event),
        event.original_message.extract_plain_text() if bare else None,
        desk.app.clock(),
    )
    if question is None:
        return False
    asked = await _asked(desk, bot, event)
    if asked.role < question.asked.role or asked.scope != question.asked.scope:
        return False
    try:
        reply = await question.run(question.asked)
    except Exception:
        logger.exception("确认过的事没有做成")
        reply = _FAILED
    await _send(desk, bot, event, asked, reply)
    return True


async def role_of(bot: Bot, event: MessageEvent) -> Role:
    """What the sender may do where they are."""
    if await SUPERUSER(bot, event):
        return Role.SUPERUSER
    return Role.MANAGER if manages(event) else Role.EVERYONE


async def _asked(desk: Desk, bot: Bot, event: PrivateMessageEvent | GroupMessageEvent) -> Asked:
    return Asked(
        app=desk.app,
        scope=await scope_of(desk.app, event),
        role=await role_of(bot, event),
        account=bot.self_id,
        message_id=str(event.message_id),
        lists=desk.lists,
        confirmations=desk.confirmations,
    )


async def _send(desk: Desk, bot: Bot, event: MessageEvent, asked: Asked, reply: Reply) -> None:
    """Deliver an answer; a question begins to wait when it is asked."""
    scope = asked.scope
    match reply:
        case str():
            text = reply
        case Question():
            text = f"{reply.text}\n{int(WAITS.total_seconds())} 秒内只回复“{WORD}”两个字就做；说别的就算了。"
            desk.confirmations.ask(bot.self_id, scope.user_id, scope.conversation_id, reply, desk.app.clock())
        case File():
            if await _upload(bot, event, reply):
                return
            text = reply.text
    card = await in_thread(desk.app.rooms.card_of, scope.character_id)
    try:
        await send_reply(bot, event, text, card.name)
    except AdapterException as error:
        logger.warning("命令的回答没能发出：%r", error)


async def _upload(bot: Bot, event: MessageEvent, file: File) -> bool:
    """Send a file into a private chat; whether the client took it. An extension many implementations know."""
    data = base64.b64encode(file.data).decode()
    try:
        await bot.call_api(
            "upload_private_file", user_id=event.user_id, file=f"base64://{data}", name=file.name
        )
    except AdapterException as error:
        logger.info("客户端不收文件（%r），改为发文字", error)
        return False
    return True
