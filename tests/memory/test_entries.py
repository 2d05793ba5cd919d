"""R1.7–R1.9: one grammar for entries, read and written by one parser and one formatter."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.memory.entries import (
    NOWHERE,
    Entry,
    entry_length,
    format_entries,
    format_entry,
    parse_entries,
    repeats,
    same_saying,
)

from .conftest import SHANGHAI, entry

ZONES = [SHANGHAI, UTC, ZoneInfo("America/New_York"), timezone(timedelta(hours=-3, minutes=-30))]

TRICKY = st.text("[]〔,%:\n\r \t\u2028\u3000ab猫conv:by:2026-07 。", max_size=40)
TEXTS = st.one_of(
    TRICKY,
    st.text(max_size=60),
    st.sampled_from(
        ["[conv:x] 你好", "[by:1] a", "[2026-07-08 14:30] a", "[推测] 喜欢猫", "[2026-99-99 99:99] a"]
    ),
)
IDS = st.one_of(st.text(max_size=12), st.text("[],% \n]猫", max_size=8), st.sampled_from(["qq_group_1", ""]))
TIMES = st.datetimes(datetime(1980, 1, 1), datetime(2200, 1, 1))


@st.composite
def entries(draw: st.DrawFn, zone: ZoneInfo | timezone) -> Entry:
    text = draw(TEXTS.filter(lambda t: bool(t.strip())))
    time = draw(st.none() | TIMES)
    return Entry(
        text,
        at=time and time.replace(tzinfo=zone),
        conversation_id=draw(st.none() | IDS),
        people=tuple(draw(st.lists(IDS, max_size=3))),
    )


@given(st.data(), st.sampled_from(ZONES))
def test_r1_07_reading_gives_back_what_was_written(data: st.DataObject, zone: ZoneInfo | timezone) -> None:
    written = tuple(data.draw(st.lists(entries(zone), max_size=5)))
    content = format_entries(written, zone)
    assert parse_entries(content, zone) == written
    assert sum(map(entry_length, written)) + 2 * max(0, len(written) - 1) == len(content)


@given(st.text(max_size=200) | TRICKY)
def test_r1_07_reading_what_was_read_and_written_changes_nothing(content: str) -> None:
    once = parse_entries(content, SHANGHAI)
    assert parse_entries(format_entries(once, SHANGHAI), SHANGHAI) == once


@given(st.text("ab猫。\n", max_size=80))
def test_r1_07_no_word_of_a_hand_written_file_is_lost(content: str) -> None:
    words = "".join(e.text for e in parse_entries(content, SHANGHAI))
    assert words.replace("\n", "") == content.replace("\n", "")


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("用户喜欢动漫", entry("用户喜欢动漫", None)),
        ("[2026-07-08 12:05] 下雨了", entry("下雨了", 5)),
        ("[2026-07-08 12:00] [conv:web_1] 送了礼物", entry("送了礼物", 0, "web_1")),
        ("[2026-07-08 12:00] [conv:g] [by:1,2] 约好了", entry("约好了", 0, "g", "1", "2")),
        ("[conv:g] [by:1] 约好了", entry("约好了", None, "g", "1")),
        ("[by:1] 约好了", entry("约好了", None, None, "1")),
        ("[conv:群%201] 约好了", entry("约好了", None, "群 1")),
        ("[conv:群 1] 手写的标识可以带空格", entry("手写的标识可以带空格", None, "群 1")),
        ("[by:1, 2] 手写的列表也可以", entry("手写的列表也可以", None, None, "1", "2")),
        ("[推测] 喜欢猫", entry("[推测] 喜欢猫", None)),
        ("[2026-07-08 12:00] [推测] 喜欢猫", entry("[推测] 喜欢猫", 0)),
        ("[2026-07-08 12:00]\n写诗\n写了一整个下午", entry("写诗\n写了一整个下午", 0)),
        # what is no tag is text, and nothing is lost
        ("[conv:] 空标签", entry("[conv:] 空标签", None, NOWHERE)),
        ("[2026-13-40 25:61] 没有这一天", entry("[2026-13-40 25:61] 没有这一天", None)),
        ("[2026-07-08 12:00]", entry("[2026-07-08 12:00]", None)),
        ("[by:1] [conv:g] 次序不对", entry("[by:1] [conv:g] 次序不对", None, NOWHERE)),
    ],
)
def test_r1_07_tags_are_optional_and_in_one_order(stored: str, expected: Entry) -> None:
    assert parse_entries(stored, SHANGHAI) == (expected,)


def test_r1_07_entries_are_separated_by_blank_lines_of_any_form() -> None:
    content = "一\r\n\r\n二\n \t\n\n三\n四\n"
    assert [e.text for e in parse_entries(content, SHANGHAI)] == ["一", "二", "三\n四"]


def test_r1_07_one_note_stays_one_entry() -> None:
    note = Entry("第一段\n\n第二段\n \n\n第三段")
    assert note.text == "第一段\n第二段\n第三段"
    assert parse_entries(format_entry(note, SHANGHAI), SHANGHAI) == (note,)


@pytest.mark.parametrize("text", ["[conv:g] a", "[by:1] a", "[2026-07-08 14:30] a", "\n [conv:g] a"])
def test_r1_07_a_text_that_begins_like_a_tag_does_not_become_one(text: str) -> None:
    assert Entry(text).text == "〔" + text.strip()[1:]


@pytest.mark.parametrize(
    "text", ["[推测] a", "[conversation] a", "[2026-07-08] a", "a [conv:g]", "〔conv:g]"]
)
def test_r1_07_any_other_bracket_is_text(text: str) -> None:
    assert Entry(text).text == text


def test_r1_08_an_entry_says_when_where_and_from_whom() -> None:
    line = format_entry(entry("约好周六去秋叶原", 0, "qq_group_9", "10001", "10002"), SHANGHAI)
    assert line == "[2026-07-08 12:00] [conv:qq_group_9] [by:10001,10002] 约好周六去秋叶原"


def test_r1_08_times_are_kept_to_the_minute_and_shown_in_the_zone() -> None:
    moment = datetime(2026, 7, 8, 6, 30, 59, 999, tzinfo=UTC)
    assert Entry("a", at=moment).at == datetime(2026, 7, 8, 6, 30, tzinfo=UTC)
    assert format_entry(Entry("a", at=moment), SHANGHAI) == "[2026-07-08 14:30] a"


@pytest.mark.parametrize("text", ["", "  \n\n ", "\u3000"])
def test_r1_07_there_is_no_blank_entry(text: str) -> None:
    with pytest.raises(InvalidInput, match="不能为空"):
        Entry(text)


def test_r1_08_a_time_needs_a_zone() -> None:
    with pytest.raises(InvalidInput, match="时区"):
        Entry("a", at=datetime(2026, 7, 8))


def test_r1_07_endless_tags_are_refused() -> None:
    with pytest.raises(InvalidInput, match="400"):
        Entry("a", conversation_id=" " * 401)
    stored = f"[conv:{'x' * 1200}] a"
    assert parse_entries(stored, SHANGHAI)[0].text.startswith("〔conv:xxx")


def test_r1_07_what_no_database_can_hold_is_replaced() -> None:
    odd = Entry("a\x00b\ud800", conversation_id="c\ud800", people=("\x00",))
    assert (odd.text, odd.conversation_id, odd.people) == ("a�b�", "c�", ("�",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("我喜欢猫", "我喜欢猫。"),
        ("Hello  World", "ｈｅｌｌｏ world!"),
        ("去 秋叶原", "去秋叶原"),
        ("好！", "好"),
    ],
)
def test_r1_09_the_same_saying_in_other_spelling(one: str, other: str) -> None:
    assert same_saying(entry(one, 0, "g", "1"), entry(other, 9, "g", "1"))


def test_r1_09_other_words_places_or_people_are_another_saying() -> None:
    said = entry("我喜欢猫", 0, "g", "1")
    assert not same_saying(said, entry("我不喜欢猫", 0, "g", "1"))
    assert not same_saying(said, entry("我喜欢猫", 0, "h", "1"))
    assert not same_saying(said, entry("我喜欢猫", 0, "g", "2"))


def test_r1_11_a_long_entry_is_known_again_by_its_shortened_form() -> None:
    whole = entry("第一句。第二句。", 0, "g")
    assert repeats(whole, entry("第一句。…", 0, "g"))
    assert not repeats(whole, entry("第二句。…", 0, "g"))
