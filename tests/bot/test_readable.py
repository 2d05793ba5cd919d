"""R7.2: messages as text; R1.4, R4.2: control characters do no harm."""

import asyncio
from typing import Any, cast

import pytest
from nonebot.adapters.onebot.v11 import ActionFailed, Bot, Message, MessageSegment

from nonebot_plugin_memoryfs.bot.readable import Names, mentions, readable

SELF = "12345"


async def name_of(user_id: str) -> str:
    return {"1": "小红"}.get(user_id, user_id)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Message("你好"), "你好"),
        (MessageSegment.at(SELF) + " 你好", "你好"),
        ("叫一下" + MessageSegment.at(1) + "吧", "叫一下@小红(1)吧"),
        (MessageSegment.at(2) + "在吗", "@2在吗"),
        (MessageSegment.at("all") + "开饭", "@全体成员开饭"),
        (Message([MessageSegment.image("base64://aGk="), MessageSegment.face(1)]), "[图片][表情]"),
        (Message([MessageSegment.record("a"), MessageSegment.video("b")]), "[语音][视频]"),
        (Message([MessageSegment.forward("1"), MessageSegment.json("{}")]), "[聊天记录][卡片]"),
        (Message([MessageSegment.reply(5), MessageSegment.text("对")]), "对"),
        (Message([MessageSegment("brand_new", {})]), "[其他消息]"),
        (Message([MessageSegment.text("[CQ:at,qq=all]")]), "[CQ:at,qq=all]"),
        (Message([MessageSegment.text("a\x00b\x07c\u202ed\r\ne\ud800f")]), "abcd\ne\ufffdf"),
        (Message(), ""),
    ],
)
async def test_r7_02_readable(message: Message, expected: str) -> None:
    assert await readable(message, SELF, name_of) == expected


def test_r7_02_mentions_anywhere() -> None:
    assert mentions("看" + MessageSegment.at(SELF) + "这里", SELF)
    assert not mentions(MessageSegment.at(1) + "这里", SELF)


class Platform:
    """Answers `get_group_member_info`, or fails as told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked = 0

    async def get_group_member_info(self, **_: Any) -> Any:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def find(platform: Platform, names: Names | None = None) -> str:
    return await (names or Names()).find(cast(Bot, platform), "20001", "1")


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ({"card": "花花", "nickname": "阿花"}, "花花"),
        ({"card": "", "nickname": "阿花"}, "阿花"),
        ({"card": "\u202e\n", "nickname": None}, "1"),
        ({}, "1"),
    ],
)
async def test_r7_02_card_before_nickname(member: dict[str, Any], expected: str) -> None:
    assert await find(Platform(member)) == expected


@pytest.mark.parametrize("failure", [ActionFailed(retcode=100), TimeoutError()])
async def test_r7_02_a_name_that_cannot_be_had_is_the_id(failure: Exception) -> None:
    assert await find(Platform(failure)) == "1"


async def test_r7_02_names_are_asked_for_once_and_learnt_from_messages() -> None:
    names, platform = Names(), Platform({"nickname": "阿花"})
    assert [await find(platform, names), await find(platform, names)] == ["阿花", "阿花"]
    assert platform.asked == 1
    names.learn("20001", "1", "花花")
    assert await find(platform, names) == "花花"
    await asyncio.sleep(0)
