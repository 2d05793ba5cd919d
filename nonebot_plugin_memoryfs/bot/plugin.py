"""The plugin as NoneBot loads it: settings, the hold on the data directory, and the hooks.

Importing it neither listens nor waits. A wrong setting, a data directory in use or one that can't be
written stops the plugin from being loaded (R6.3, R7.1).
"""

import logging

import nonebot
from nonebot import on_message, on_notice, require
from nonebot.adapters.onebot.v11 import (
    Bot,
    FriendRecallNoticeEvent,
    GroupMessageEvent,
    GroupRecallNoticeEvent,
    MessageEvent,
    PrivateMessageEvent,
)
from nonebot.log import LoguruHandler
from nonebot.message import event_postprocessor, event_preprocessor

require("nonebot_plugin_localstore")

import nonebot_plugin_localstore as localstore

from .chat import Chat
from .commands import COMMANDS
from .commands.hooks import hook, hook_confirmations
from .life_cycle import Running, read_settings, take_directory

_log = logging.getLogger("nonebot_plugin_memoryfs")
_log.setLevel(logging.INFO)
_log.handlers = [LoguruHandler()]
_log.propagate = False

settings = read_settings()
running = Running(settings, take_directory(localstore.get_plugin_data_dir))
"""The app while the bot runs: the one documented singleton of this edge."""

driver = nonebot.get_driver()
driver.on_startup(running.start)
driver.on_shutdown(running.stop)

hook_confirmations(lambda: running.desk)
for command in COMMANDS:
    hook(command, lambda: running.desk)


@event_preprocessor
async def _(event: PrivateMessageEvent | GroupMessageEvent) -> None:
    running.arrivals.come(event)


@event_postprocessor
async def _(event: PrivateMessageEvent | GroupMessageEvent) -> None:
    running.arrivals.leave(event)


chat = on_message(priority=98, block=False)


@chat.handle()
async def _(bot: Bot, event: MessageEvent) -> None:
    receiver: Chat | None = running.chat
    if receiver is not None:
        await receiver.receive(bot, event)


taken_back = on_notice(priority=98, block=False)


@taken_back.handle()
async def _(event: GroupRecallNoticeEvent | FriendRecallNoticeEvent) -> None:
    receiver: Chat | None = running.chat
    if receiver is not None:
        await receiver.withdraw(event)
