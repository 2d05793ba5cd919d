"""R2.21: the tokens of the text index, and R2.9: the keywords of a recall."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.text.grams import grams, grams_for_query, keywords, weak_grams


def test_r2_21_cjk_gives_shingles_and_single_characters() -> None:
    assert grams("长门有希") == dict.fromkeys(["长门", "门有", "有希", "长", "门", "有", "希"], 1)


def test_r2_21_counts_are_kept() -> None:
    assert grams("猫猫猫")["猫"] == 3
    assert grams("猫猫猫")["猫猫"] == 2
    assert grams("cats and cats")["cat"] == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Running RUNS run", {"run": 3}),
        ("ＮｏｎｅＢｏｔ", {"nonebot": 1}),
        ("2026年", {"2026": 1, "年": 1}),
        ("Task_10", {"task": 1, "10": 1}),
        ("don’t", {"don't": 1}),
        ("👍🏽", {"👍": 1}),
        ("🇨🇳", {"🇨🇳": 1}),
        ("❤️", {"❤": 1}),
        ("，。!? \n", {}),
        ("", {}),
    ],
)
def test_r2_21_words_digits_and_emoji_are_words(text: str, words: dict[str, int]) -> None:
    assert grams(text) == words


@pytest.mark.parametrize("text", ["ありがとう", "カラオケ", "안녕하세요", "ラーメン"])
def test_r2_21_kana_and_hangul_count_like_cjk(text: str) -> None:
    assert grams_for_query(text) == list(dict.fromkeys(text[i : i + 2] for i in range(len(text) - 1)))


def test_r2_21_half_width_kana_is_found_by_full_width() -> None:
    assert grams("ﾗｰﾒﾝ") == grams("ラーメン")


def test_r2_21_no_shingle_spans_two_runs() -> None:
    assert "门有" not in grams("长门，有希")
    assert "门有" not in grams("长门 yuki 有希")


def test_r2_21_a_query_uses_a_single_character_only_where_it_stands_alone() -> None:
    assert grams_for_query("猫") == ["猫"]
    assert grams_for_query("我 喜欢猫 Cats 猫") == ["我", "喜欢", "欢猫", "cat", "猫"]
    assert weak_grams("我 喜欢猫 Cats") == ["喜", "欢", "猫"]


@given(st.text())
def test_r2_21_a_text_is_found_by_its_own_words(text: str) -> None:
    stored = grams(text)
    assert set(grams_for_query(text)) | set(weak_grams(text)) == set(stored)
    assert all(0 < len(gram) <= 64 for gram in stored)


def test_r2_21_a_long_word_fits_its_column() -> None:
    assert [len(gram) for gram in grams("a1" * 5000)] == [64]


def test_r2_21_threads_stem_alike() -> None:
    words = [f"{stem}{end}" for stem in ("walk", "jump", "look", "talk") for end in ("ing", "ed", "s")]
    texts = [" ".join(words[i:] + words[:i]) for i in range(len(words))] * 20
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(grams, texts))
    assert all(one == {"walk": 3, "jump": 3, "look": 3, "talk": 3} for one in found)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("AI,人设,角色,性格,语气,说话风格", ["AI", "人设", "角色", "性格", "语气", "说话风格"]),
        ("TaskNode,工作记忆,任务链", ["TaskNode", "工作记忆", "任务链"]),
        ("a，b、c;d；e\u3000f\tg", ["a", "b", "c", "d", "e", "f", "g"]),
        (" ,, 摇滚 ,", ["摇滚"]),
        ("Rock, rock, ＲＯＣＫ", ["Rock"]),
        ("100%_x", ["100%_x"]),
        ("", []),
    ],
)
def test_r2_09_keywords_are_split_at_commas_and_blanks(query: str, words: list[str]) -> None:
    assert keywords(query) == words
