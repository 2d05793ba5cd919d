"""R4.5: the recogniser states what was stated, and nothing else."""

import pytest

from nonebot_plugin_memoryfs.text.folding import fold_name
from nonebot_plugin_memoryfs.text.statements import Statement, asks, recognise, single_valued

from . import statements_report, statements_work

WORK = statements_work.CHINESE + statements_work.ENGLISH
REPORT = statements_report.CHINESE + statements_report.ENGLISH
Fact = tuple[str, str]


def stated(text: str) -> set[Fact]:
    return {(one.relation, fold_name(one.object)) for one in recognise(text)}


@pytest.mark.parametrize(("text", "facts"), WORK)
def test_r4_05_the_working_half_is_read_exactly(text: str, facts: tuple[Fact, ...]) -> None:
    assert stated(text) == {(relation, fold_name(thing)) for relation, thing in facts}


def test_r4_05_precision_on_the_report_half() -> None:
    expected = {(text, relation, fold_name(o)) for text, facts in REPORT for relation, o in facts}
    found = {(text, *fact) for text, _ in REPORT for fact in stated(text)}
    precision = len(found & expected) / len(found)
    recall = len(found & expected) / len(expected)
    print(f"report half: precision {precision:.3f}, recall {recall:.3f}, {len(found)} facts")
    assert precision >= 0.97


def test_r4_05_the_halves_are_large_and_apart() -> None:
    assert len(statements_work.CHINESE + statements_report.CHINESE) >= 150
    assert len(statements_work.ENGLISH + statements_report.ENGLISH) >= 30
    assert not {text for text, _ in WORK} & {text for text, _ in REPORT}


def test_r4_05_a_statement_quotes_its_sentence() -> None:
    assert recognise("早！我喜欢摇滚，最近在做一个 NoneBot 插件。吃饭去了") == [
        Statement("喜欢", "摇滚", "我喜欢摇滚，最近在做一个 NoneBot 插件。"),
        Statement("在做", "一个 NoneBot 插件", "我喜欢摇滚，最近在做一个 NoneBot 插件。"),
    ]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("我喜欢摇滚", [("喜欢", "摇滚")]),
        ("我在做X项目", [("在做", "X项目")]),
        ("我打算学画画", [("打算", "学画画")]),
        ("我现在在广州", [("所在地", "广州")]),
    ],
)
def test_r4_05_the_seeds_four_cases(text: str, facts: list[Fact]) -> None:
    assert [(one.relation, one.object) for one in recognise(text)] == facts


def test_r4_05_a_negation_is_its_own_fact() -> None:
    assert stated("我不喜欢摇滚") == {("不喜欢", "摇滚")}


def test_r4_05_the_same_fact_in_one_sentence_is_stated_once() -> None:
    assert len(recognise("我喜欢猫，我喜欢猫")) == 1


def test_r4_05_the_subject_is_carried_only_by_the_clause_before() -> None:
    assert stated("我喜欢猫，讨厌狗") == {("喜欢", "猫"), ("讨厌", "狗")}
    assert stated("我喜欢猫，小王来了，讨厌狗") == {("喜欢", "猫")}
    assert stated("我喜欢猫。讨厌狗") == {("喜欢", "猫")}


def test_r4_05_a_list_gives_one_fact_each_only_where_it_is_told_as_one() -> None:
    assert stated("我喜欢猫、狗和兔子") == {("喜欢", "猫"), ("喜欢", "狗"), ("喜欢", "兔子")}
    assert stated("我喜欢猫和老鼠") == {("喜欢", "猫和老鼠")}


def test_r4_05_a_pasted_text_states_nothing() -> None:
    assert recognise("我喜欢摇滚。" * 200) == []


@pytest.mark.parametrize("text", ["", " ", "。", "我", "“", "*", "I", "我喜欢", "\ud800我喜欢"])
def test_r4_05_fragments_state_nothing(text: str) -> None:
    assert recognise(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "我喜欢什么",
        "我叫什么名字？",
        "你还记得我的生日吗",
        "上次说到哪了",
        "你会不会唱歌",
        "然后呢",
        "今天几号",
        "告诉我你的名字",
        "what do I like",
        "Where do I live?",
        "do you remember my cat",
        "remind me of the plan",
    ],
)
def test_r4_05_questions_and_requests_to_be_told(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "我喜欢摇滚",
        "没什么",
        "我不怎么喜欢甜的",
        "明天提醒我带伞",
        "remind me to call mum",
        "什么都行",
        "他问“你是谁？”",
        "在吃饭呢",
        "I like rock",
        "what a day",
    ],
)
def test_r4_05_no_question(text: str) -> None:
    assert not asks(text)


def test_r2_05_what_a_person_has_one_of() -> None:
    assert {"年龄", "生日", "所在地", "职业", "昵称"} <= single_valued
    assert not {"喜欢", "讨厌", "在做", "打算", "养了"} & single_valued
