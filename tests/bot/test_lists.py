"""R7.3: a number means a thing for one viewer, in one place, for a while, and for nobody else."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nonebot_plugin_memoryfs.bot.commands.lists import KEPT_FOR, Lists
from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.own import Item, Kind
from nonebot_plugin_memoryfs.scope import Scope

NOW = datetime(2026, 7, 8, 20, 0, tzinfo=UTC)
MINE = Scope("neko", "qq_group_1", "10001", False)


def items(*texts: str) -> list[Item]:
    return [
        Item(kind=Kind.FACT, id=str(i), text=text, at=NOW, conversation_id="qq_group_1")
        for i, text in enumerate(texts)
    ]


@pytest.fixture
def lists() -> Lists:
    lists = Lists()
    lists.show(MINE, items("一", "二", "三"), NOW).seen.update({1, 2})
    return lists


def test_r7_3_a_number_means_what_was_shown(lists: Lists) -> None:
    assert lists.find(MINE, "2", NOW).text == "二"
    assert lists.find(MINE, "２", NOW).text == "二"


@pytest.mark.parametrize(
    "other",
    [
        replace(MINE, user_id="10002"),
        replace(MINE, user_id="1000"),
        replace(MINE, user_id="100010"),
        replace(MINE, conversation_id="qq_private_10001", private=True),
        replace(MINE, conversation_id="qq_group_2"),
        replace(MINE, character_id="bookshop"),
    ],
)
def test_r7_3_a_foreign_number_is_refused(lists: Lists, other: Scope) -> None:
    with pytest.raises(InvalidInput, match="先用 /记忆 查看"):
        lists.find(other, "1", NOW)


def test_r7_3_a_number_that_was_not_on_a_page_is_refused(lists: Lists) -> None:
    for number in ("3", "4", "0", "999999"):
        with pytest.raises(InvalidInput, match=f"没有 {number} 号"):
            lists.find(MINE, number, NOW)


@pytest.mark.parametrize(
    "text", ["-1", "1.0", "²", "一", "1 2", "", "0x1", "mem_1", "characters/neko", "1" * 21]
)
def test_r7_3_only_a_number_is_a_number(lists: Lists, text: str) -> None:
    with pytest.raises(InvalidInput, match="编号要写数字"):
        lists.find(MINE, text, NOW)


def test_r7_3_a_stale_number_is_refused(lists: Lists) -> None:
    assert lists.find(MINE, "1", NOW + KEPT_FOR - timedelta(seconds=1)).text == "一"
    with pytest.raises(InvalidInput, match="10 分钟"):
        lists.find(MINE, "1", NOW + KEPT_FOR)


def test_r7_3_a_new_list_takes_the_place_of_the_old(lists: Lists) -> None:
    lists.show(MINE, items("四"), NOW).seen.add(1)
    assert lists.find(MINE, "1", NOW).text == "四"
    with pytest.raises(InvalidInput):
        lists.find(MINE, "2", NOW)


def test_r7_3_what_is_gone_has_no_number(lists: Lists) -> None:
    lists.spend(MINE, "1")
    with pytest.raises(InvalidInput):
        lists.find(MINE, "1", NOW)
    assert lists.find(MINE, "2", NOW).text == "二"
