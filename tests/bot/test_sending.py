"""R4.7: replies go as text; long ones in parts with pauses, very long ones as a forward with a fallback."""

from typing import Any, cast

from nonebot.adapters.onebot.v11 import ActionFailed, Bot, Message

from nonebot_plugin_memoryfs.bot.sending import PART_CHARACTERS, PLAIN_PARTS, send_reply

from .events import group, private


class Wire:
    """Records what goes out."""

    self_id = "12345"

    def __init__(self, *, forwards: bool = True) -> None:
        self.sent: list[Message] = []
        self.forwarded: list[tuple[str, dict[str, Any]]] = []
        self.pauses: list[float] = []
        self._forwards = forwards

    async def send(self, event: Any, message: Any) -> None:
        self.sent.append(Message(message))

    async def call_api(self, action: str, **data: Any) -> None:
        if not self._forwards:
            raise ActionFailed(retcode=1404)
        self.forwarded.append((action, data))

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def reply(self, event: Any, text: str) -> None:
        await send_reply(cast(Bot, self), event, text, "小忆", self.pause)

    @property
    def texts(self) -> list[str]:
        return [message.extract_plain_text() for message in self.sent]


def sentences(characters: int) -> str:
    return "".join(f"这是第{number:04}句话。" for number in range(characters // 10))


async def test_r4_07_codes_are_sent_as_text() -> None:
    wire = Wire()
    await wire.reply(private("x"), "[CQ:at,qq=all] **好** &amp;")
    assert [segment.type for segment in wire.sent[0]] == ["text"]
    assert wire.texts == ["[CQ:at,qq=all] **好** &amp;"]


async def test_r4_07_long_replies_are_split_at_sentences_with_pauses() -> None:
    wire = Wire()
    text = sentences(PART_CHARACTERS * 2)
    await wire.reply(private("x"), text)
    assert 2 <= len(wire.sent) <= PLAIN_PARTS
    assert len(wire.pauses) == len(wire.sent) - 1
    assert all(len(part) <= PART_CHARACTERS and part.endswith("。") for part in wire.texts)
    assert "".join(wire.texts) == text


async def test_r4_07_very_long_replies_are_one_forward() -> None:
    text = sentences(PART_CHARACTERS * (PLAIN_PARTS + 2))
    for event, action in ((private("x"), "send_private_forward_msg"), (group("x"), "send_group_forward_msg")):
        wire = Wire()
        await wire.reply(event, text)
        assert wire.sent == []
        [(called, data)] = wire.forwarded
        assert called == action
        pieces = [node["data"]["content"][0]["data"]["text"] for node in data["messages"]]
        assert "".join(pieces) == text


async def test_r4_07_plain_parts_where_forwards_are_not_known() -> None:
    wire = Wire(forwards=False)
    text = sentences(PART_CHARACTERS * (PLAIN_PARTS + 2))
    await wire.reply(group("x"), text)
    assert "".join(wire.texts) == text
