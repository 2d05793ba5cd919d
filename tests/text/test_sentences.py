"""Where texts are cut: R1.10 (shortened entries), R4.7 (replies in parts), gists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.text.sentences import gist, shorten, split_reply

ADDRESS = "https://example.org/a?b=1!c"
WORDS = ["今天天气不错", "。", "！", "，", "……", "\n", "\n\n", " ", "Hello world", ". ", "3.14", "”", "“"]
JOINED = ["👨‍👩‍👧", "👍🏽", "🇨🇳", "e\u0301"]
PIECES = st.sampled_from([*WORDS, *JOINED, f"{ADDRESS} ", "字" * 30])
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=20).map("".join))


@given(TEXTS, st.integers(1, 80))
def test_r1_10_shortened_is_never_over_the_limit_nor_empty(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert bool(short) == bool(text)
    if short != text:
        assert short.endswith("…")
        assert text.startswith(short[:-1])


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("第一句。第二句。", 8, "第一句。第二句。"),
        ("第一句。第二句。第三句。", 11, "第一句。第二句。…"),
        ("他说：“好。”然后走了很远很远", 10, "他说：“好。”…"),
        ("One sentence. Two sentences here.", 20, "One sentence.…"),
        ("版本 3.14 发布了很多很多新功能啊", 8, "版本 3.14…"),
        ("没有句号只有，逗号的一句很长的话", 10, "没有句号只有，…"),
        ("一个完全没有标点的很长的句子", 6, "一个完全没…"),
        ("看👨‍👩‍👧吧", 4, "看…"),
        ("a", 1, "a"),
        ("ab", 1, "…"),
    ],
)
def test_r1_10_shortened_at_a_sentence_end_if_there_is_one(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


@pytest.mark.parametrize("cut", [shorten, split_reply, gist])
def test_r1_10_a_limit_below_one_is_refused(cut: object) -> None:
    assert callable(cut)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        cut("长长的文字", 0)


@given(TEXTS, st.integers(1, 80))
def test_r4_07_parts_fit_and_lose_nothing_but_blanks_at_cuts(text: str, limit: int) -> None:
    parts = split_reply(text, limit)
    assert all(0 < len(part) <= limit for part in parts)
    at = 0
    for part in parts:
        found = text.index(part, at)
        assert not text[at:found].strip()
        at = found + len(part)
    assert not text[at:].strip()


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("", 10, []),
        ("  \n", 10, []),
        ("短句。", 10, ["短句。"]),
        ("第一段。也是。\n\n第二段。", 12, ["第一段。也是。", "第二段。"]),
        ("一二三。四五六。七八九。", 8, ["一二三。四五六。", "七八九。"]),
        ("真的吗？！当然是真的！", 7, ["真的吗？！", "当然是真的！"]),
        ("第一行\n第二行\n第三行", 8, ["第一行\n第二行", "第三行"]),
        ("没有句号，只有逗号，一直说", 6, ["没有句号，", "只有逗号，", "一直说"]),
        ("看 https://example.org/a?b=1 这里", 28, ["看 https://example.org/a?b=1", "这里"]),
        ("详细见这里https://example.org/a", 22, ["详细见这里", "https://example.org/a"]),
        ("喵" * 7, 3, ["喵喵喵", "喵喵喵", "喵"]),
        ("喵喵👍🏽喵", 3, ["喵喵", "👍🏽喵"]),
        ("喵喵e\u0301喵", 3, ["喵喵", "e\u0301喵"]),
    ],
)
def test_r4_07_replies_are_split_at_the_greatest_unit(text: str, limit: int, parts: list[str]) -> None:
    assert split_reply(text, limit) == parts


@given(st.lists(PIECES, max_size=20).map("".join), st.integers(40, 90))
def test_r4_07_no_address_and_no_joined_character_is_parted(text: str, limit: int) -> None:
    parts = split_reply(text, limit)
    for unit in (ADDRESS, "👨‍👩‍👧", "👍🏽", "e\u0301"):
        assert sum(part.count(unit) for part in parts) == text.count(unit)


@given(TEXTS, st.integers(1, 60))
def test_r2_15_a_gist_is_one_short_line(text: str, limit: int) -> None:
    line = gist(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert bool(line) == bool(text.strip())


def test_r2_15_a_gist_folds_blanks() -> None:
    assert gist(" 甲\n\n 乙\t丙 ", 20) == "甲 乙 丙"
