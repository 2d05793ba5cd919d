"""Sends a reply as text, never parsed; a long one in parts, a very long one as a merged forward (R4.7)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from nonebot.adapters.onebot.v11 import Bot, GroupMessageEvent, MessageEvent, MessageSegment
from nonebot.exception import AdapterException

from ..text.sentences import split_reply

logger = logging.getLogger("nonebot_plugin_memoryfs")

PART_CHARACTERS = 500
"""A part is at most this long."""
PLAIN_PARTS = 4
"""More parts than this go as one merged forward."""
PAUSE_SECONDS = 0.8
"""Between parts, so that they arrive in order and read like typing."""

Pause = Callable[[float], Awaitable[None]]


async def send_reply(
    bot: Bot, event: MessageEvent, text: str, name: str, pause: Pause = asyncio.sleep
) -> None:
    """Send a reply where the message came from.

    Args:
        bot: the account that sends it.
        event: the message that is answered.
        text: what is said.
        name: the character's name, under which a merged forward shows it.
        pause: waits between parts.

    Raises:
        AdapterException: the platform refused it, or did not answer.
    """
    parts = split_reply(text, PART_CHARACTERS)
    if len(parts) > PLAIN_PARTS:
        try:
            await _send_forward(bot, event, parts, name)
            return
        except AdapterException as error:
            logger.info("合并转发未被接受（%r），改为逐条发送", error)
    for number, part in enumerate(parts):
        if number:
            await pause(PAUSE_SECONDS)
        await bot.send(event, MessageSegment.text(part))


async def _send_forward(bot: Bot, event: MessageEvent, parts: list[str], name: str) -> None:
    """One merged forward: an extension of OneBot v11 that most implementations know."""
    nodes = [
        {"type": "node", "data": {"name": name, "uin": bot.self_id, "content": [_text(part)]}}
        for part in parts
    ]
    if isinstance(event, GroupMessageEvent):
        await bot.call_api("send_group_forward_msg", group_id=event.group_id, messages=nodes)
    else:
        await bot.call_api("send_private_forward_msg", user_id=event.user_id, messages=nodes)


def _text(part: str) -> dict[str, object]:
    return {"type": "text", "data": {"text": part}}
