"""Giving commands to the running plugin as NoneBot does, and looking at what comes of them."""

from typing import Any

import nonebot
from nonebot.adapters.onebot.v11 import Adapter, Bot, MessageEvent, MessageSegment
from nonebot.exception import ActionFailed
from nonebug import App
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.bot.plugin import running
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.storage.tables import turns

from .events import SELF_ID


def by(role: str, user_id: int = 601) -> dict[str, object]:
    """A group member of this role."""
    return {"user_id": user_id, "sender": {"user_id": user_id, "nickname": "阿花", "card": "", "role": role}}


def count_turns() -> int:
    assert running.app is not None
    with running.app.rooms.store.database.read() as connection:
        return connection.scalar(select(func.count()).select_from(turns)) or 0


async def give(app: App, event: MessageEvent, uploads: list[dict[str, Any]] | None = None) -> list[str]:
    """Everything that is sent when NoneBot handles an event.

    Args:
        app: nonebug's.
        event: what is handled.
        uploads: takes files that are uploaded; without it the client takes none.
    """
    sent: list[str] = []
    async with app.test_api() as context:
        bot = context.create_bot(base=Bot, adapter=nonebot.get_adapter(Adapter), self_id=str(SELF_ID))

        async def send(_event: object, message: MessageSegment, **_: object) -> None:
            sent.append(message.data["text"])

        async def call_api(api: str, **data: Any) -> None:
            if api == "upload_private_file" and uploads is not None:
                uploads.append(data)
            elif api == "send_private_forward_msg":
                sent.extend(node["data"]["content"][0]["data"]["text"] for node in data["messages"])
            else:
                raise ActionFailed("sim", api)

        bot.send = send  # type: ignore[method-assign]
        bot.call_api = call_api  # type: ignore[method-assign]
        await nonebot.message.handle_event(bot, event)
    assert running.app is not None
    await running.app.conversations.idle()
    return sent


async def command(app: App, event: MessageEvent, uploads: list[dict[str, Any]] | None = None) -> list[str]:
    """Everything that is sent when NoneBot handles a command; none of it is a turn."""
    before = await in_thread(count_turns)
    sent = await give(app, event, uploads)
    assert await in_thread(count_turns) <= before
    return sent
