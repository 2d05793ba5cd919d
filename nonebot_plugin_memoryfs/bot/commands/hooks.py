"""Hooks commands into NoneBot: one matcher each, before the chat, which never sees a command (R7.3)."""

import logging
from collections.abc import Callable

import nonebot
from nonebot import on_command
from nonebot.adapters.onebot.v11 import Bot, GroupMessageEvent, Message, MessageEvent, PrivateMessageEvent
from nonebot.exception import AdapterException
from nonebot.params import CommandArg
from nonebot.permission import SUPERUSER

from ...app import App
from ...concurrency import in_thread
from ..chat import scope_of
from ..sending import send_reply
from ..triggers import welcome
from .table import Asked, Command, Role

logger = logging.getLogger("nonebot_plugin_memoryfs")

PRIORITY = 5
"""Before the chat's."""


def hook(command: Command, app_of: Callable[[], App | None]) -> None:
    """Answer a command from now on.

    Args:
        command: which.
        app_of: the running app, if it runs.
    """
    matcher = on_command(
        command.name, aliases=set(command.aliases), force_whitespace=True, priority=PRIORITY, block=True
    )

    @matcher.handle()
    async def _(bot: Bot, event: MessageEvent, text: Message = CommandArg()) -> None:  # noqa: B008
        app = app_of()
        if app is not None:
            await carry_out(command, app, bot, event, text.extract_plain_text())


async def carry_out(command: Command, app: App, bot: Bot, event: MessageEvent, text: str) -> None:
    """Answer one command, where the bot deals with who gave it."""
    if not isinstance(event, PrivateMessageEvent | GroupMessageEvent):
        return
    if not welcome(event, app.settings, nonebot.get_bots()):
        return
    scope = await scope_of(app, event)
    answer = await command.answer(Asked(app=app, scope=scope, role=await role_of(bot, event)), text)
    card = await in_thread(app.rooms.card_of, scope.character_id)
    try:
        await send_reply(bot, event, answer, card.name)
    except AdapterException as error:
        logger.warning("/%s 的回答没能发出：%r", command.name, error)


async def role_of(bot: Bot, event: MessageEvent) -> Role:
    """What the sender may do where they are."""
    if await SUPERUSER(bot, event):
        return Role.SUPERUSER
    managing = isinstance(event, GroupMessageEvent) and event.sender.role in ("owner", "admin")
    return Role.MANAGER if managing else Role.EVERYONE
