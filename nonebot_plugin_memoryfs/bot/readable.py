"""A message as text a person would read: names for mentions, short placeholders for pictures (R7.2)."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping

from nonebot.adapters.onebot.v11 import Bot, Message, MessageSegment
from nonebot.exception import AdapterException

from ..text.cleaning import clean_message, clean_name

logger = logging.getLogger("nonebot_plugin_memoryfs")

_PLACEHOLDERS = {
    "image": "[图片]",
    "face": "[表情]",
    "mface": "[表情]",
    "record": "[语音]",
    "video": "[视频]",
    "file": "[文件]",
    "forward": "[聊天记录]",
    "node": "[聊天记录]",
    "json": "[卡片]",
    "xml": "[卡片]",
    "share": "[链接]",
    "music": "[音乐]",
    "location": "[位置]",
    "contact": "[名片]",
    "dice": "[骰子]",
    "rps": "[猜拳]",
    "shake": "[窗口抖动]",
    "poke": "[戳一戳]",
    "markdown": "[卡片]",
}
_OTHER = "[其他消息]"
_SILENT = frozenset({"reply", "anonymous", "keyboard"})
_NAME_TIMEOUT_SECONDS = 3.0
_KNOWN_NAMES = 5_000

NameOf = Callable[[str], Awaitable[str]]
"""User id → the name they go by here."""


class Names:
    """Names of group members: learnt from their messages, asked for once where unknown.

    Who could not be found goes by their id until they speak.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], str] = OrderedDict()

    def learn(self, group_id: str, user_id: str, name: str) -> None:
        """Remember the name of somebody who spoke."""
        self._known[group_id, user_id] = name
        self._known.move_to_end((group_id, user_id))
        if len(self._known) > _KNOWN_NAMES:
            self._known.popitem(last=False)

    async def find(self, bot: Bot, group_id: str, user_id: str) -> str:
        """The card or nickname of a member; the bare id where the platform does not tell in time."""
        if known := self._known.get((group_id, user_id)):
            return known
        try:
            member = await asyncio.wait_for(
                bot.get_group_member_info(group_id=int(group_id), user_id=int(user_id)),
                _NAME_TIMEOUT_SECONDS,
            )
        except (AdapterException, TimeoutError, ValueError) as error:
            logger.debug("查不到群 %s 成员 %s 的名字：%r", group_id, user_id, error)
            member = {}
        name = clean_name(str(member.get("card") or member.get("nickname") or ""), user_id)
        self.learn(group_id, user_id, name)
        return name


async def readable(message: Message, self_id: str, name_of: NameOf) -> str:
    """The text of a message; mentions of the bot itself and reply marks are left out."""
    mentioned = {str(s.data.get("qq", "")) for s in message if s.type == "at"} - {self_id, "all", ""}
    found = await asyncio.gather(*map(name_of, mentioned))
    names = dict(zip(mentioned, found, strict=True))
    return clean_message("".join(_piece(s, self_id, names) for s in message)).strip()


def typed(message: Message, self_id: str) -> str:
    """The words of a message as they are typed into a command: who is mentioned goes by number, pictures and
    the like are no words."""
    return "".join(_piece(s, self_id, {}) for s in message if s.is_text() or s.type == "at")


def _piece(segment: MessageSegment, self_id: str, names: Mapping[str, str]) -> str:
    if segment.is_text():
        return str(segment.data.get("text", ""))
    if segment.type == "at":
        return _mention(str(segment.data.get("qq", "")), self_id, names)
    return "" if segment.type in _SILENT else _PLACEHOLDERS.get(segment.type, _OTHER)


def _mention(user_id: str, self_id: str, names: Mapping[str, str]) -> str:
    if user_id == self_id:
        return ""
    if user_id == "all":
        return "@全体成员"
    name = names.get(user_id, user_id)
    return f"@{name}({user_id})" if name != user_id else f"@{user_id}"


def mentions(message: Message, self_id: str) -> bool:
    """Whether the bot is mentioned anywhere in the message, the middle too (R7.2)."""
    return any(s.type == "at" and str(s.data.get("qq")) == self_id for s in message)
