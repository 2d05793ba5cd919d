"""OneBot events as implementations send them, parsed by the adapter."""

from typing import Any

from nonebot.adapters.onebot.v11 import Adapter, GroupMessageEvent, MessageEvent, PrivateMessageEvent

from ..sim.payloads import Segment

SELF_ID = 12345


def _event(kind: str, message: list[Segment] | str, more: dict[str, Any]) -> MessageEvent:
    event = Adapter.json_to_event(
        {
            "time": 1_780_000_000,
            "self_id": SELF_ID,
            "post_type": "message",
            "message_type": kind,
            "message_id": 7,
            "user_id": 10001,
            "message": message,
            "raw_message": "",
            "font": 0,
            "sender": {"user_id": 10001, "nickname": "小明", "card": ""},
            **more,
        }
    )
    assert isinstance(event, MessageEvent)
    return event


def private(message: list[Segment] | str, **more: Any) -> PrivateMessageEvent:
    event = _event("private", message, {"sub_type": "friend", **more})
    assert isinstance(event, PrivateMessageEvent)
    return event


def group(message: list[Segment] | str, **more: Any) -> GroupMessageEvent:
    event = _event("group", message, {"sub_type": "normal", "group_id": 20001, "anonymous": None, **more})
    assert isinstance(event, GroupMessageEvent)
    return event
