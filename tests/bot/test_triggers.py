"""R7.2: which messages are heard, and which are answered."""

import pytest
from nonebot.adapters.onebot.v11 import MessageEvent

from nonebot_plugin_memoryfs.bot.triggers import addressed, heard
from nonebot_plugin_memoryfs.config import Settings, parse

from ..sim.onebot import at, image, text
from .events import SELF_ID, group, private

ANONYMOUS = {"id": 1, "name": "匿名", "flag": "x"}


def never() -> float:
    return 0.0001


@pytest.mark.parametrize(
    ("event", "settings", "expected"),
    [
        (private("你好"), {}, True),
        (private("你好"), {"users_deny": [10001]}, False),
        (private("#你好"), {"ignore_prefixes": ["#"]}, False),
        (private("  #你好"), {"ignore_prefixes": ["#"]}, False),
        (private("你#好"), {"ignore_prefixes": ["#"]}, True),
        (private("你好", user_id=SELF_ID), {}, False),
        (private("你好", user_id=777), {}, False),
        (group("你好"), {}, True),
        (group("你好"), {"groups_allow": [1]}, False),
        (group("你好"), {"groups_allow": [20001]}, True),
        (group("你好"), {"groups_allow": [20001], "groups_deny": [20001]}, False),
        (group("你好", anonymous=ANONYMOUS, sub_type="anonymous"), {}, False),
        (group("你好", sub_type="notice"), {}, False),
    ],
)
def test_r7_02_heard(event: MessageEvent, settings: dict[str, object], expected: bool) -> None:
    assert heard(event, parse(settings), {"12345", "777"}) is expected


@pytest.mark.parametrize(
    ("event", "settings", "expected"),
    [
        (private("你好"), {}, True),
        (group("你好"), {}, False),
        (group([text("你"), at(SELF_ID), text("好")]), {}, True),
        (group([at(99), text("好")]), {}, False),
        (group([at("all"), text("好")]), {}, False),
        (group([image("a.jpg")]), {}, False),
        (group("你好"), {"chime_in": {"20001": 1}}, True),
        (group("你好"), {"chime_in": {"20002": 1}}, False),
        (group("你好"), {"chime_in": {"20001": 0}}, False),
    ],
)
def test_r7_02_addressed(event: MessageEvent, settings: dict[str, object], expected: bool) -> None:
    assert addressed(event, parse(settings), never) is expected


def test_r7_02_to_me_as_the_adapter_found_it_addresses_the_bot() -> None:
    event = group("你好")
    event.to_me = True
    assert addressed(event, Settings(), never)


def test_r7_02_never_chimes_in_by_default() -> None:
    assert not addressed(group("你好"), Settings(), lambda: 0.0)
