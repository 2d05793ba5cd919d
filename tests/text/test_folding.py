"""When two spellings are one name (R2.2) and two texts one sentence (R1.9)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.text.folding import fold_name, fold_sentence


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＡＢＣ", "abc"),
        ("Alice  Liddell", "alice liddell"),
        (" 小明\u3000", "小明"),
        ("Ｔａｓｋ＿１", "task_1"),
        ("STRASSE", "straße"),
        ("ｶﾅ", "カナ"),
    ],
)
def test_r2_02_spellings_of_one_name_fold_alike(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(("one", "other"), [("Task_1", "Task_10"), ("小明", "小明明"), ("a b", "ab")])
def test_r2_02_different_names_stay_different(one: str, other: str) -> None:
    assert fold_name(one) != fold_name(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("喜欢摇滚。", "喜欢摇滚"),
        ("喜欢，摇滚！", "喜欢摇滚"),
        ("He likes  ROCK.", "he likes rock"),
        ("在 北京", "在北京"),
    ],
)
def test_r1_09_blanks_punctuation_width_and_case_do_not_matter(one: str, other: str) -> None:
    assert fold_sentence(one) == fold_sentence(other)


def test_r1_09_signs_alone_stay_different() -> None:
    assert fold_sentence("？") != fold_sentence("！")
    assert fold_sentence("👍") != fold_sentence("👎")
    assert fold_sentence("喜欢 1") != fold_sentence("喜欢 2")


@given(st.text(alphabet="甲乙aAＡß１1 \u3000，。！?-"))
def test_r1_09_folding_twice_changes_nothing(text: str) -> None:
    assert fold_sentence(fold_sentence(text)) == fold_sentence(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("今天-5度", "今天5度"),
        ("价格1.5", "价格15"),
        ("生日1.2", "生日12"),
        ("2026-1-11", "2026-11-1"),
        ("1:30起床", "13:0起床"),
    ],
)
def test_r1_09_punctuation_inside_numbers_counts(one: str, other: str) -> None:
    assert fold_sentence(one) != fold_sentence(other)
