"""R4.14: the offline model keeps what it is told, answers from what is remembered, and invents nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from nonebot_plugin_memoryfs.model import Brief, Exchange, Fact, Saying
from nonebot_plugin_memoryfs.model.offline import reply, triplets

NOW = datetime(2026, 7, 8, tzinfo=UTC)
UNKNOWN = "还不知道"


def fact(subject: str, relation: str, thing: str, *, hours: int = 0, inferred: bool = False) -> Fact:
    at = NOW + timedelta(hours=hours)
    mine = subject == "用户"
    return Fact(
        subject=subject, relation=relation, object=thing, about_speaker=mine, inferred=inferred, at=at
    )


def brief(text: str, *facts: Fact, **more: Any) -> Brief:
    identity = (("角色", "住在聊天窗口里的小猫娘"), ("爱好", "晒太阳"))
    return Brief(text=text, turn_id=1, character="小忆", identity=identity, facts=facts, **more)


def ask(text: str, *facts: Fact, **more: Any) -> str:
    return reply(brief(text, *facts, **more), stored=False)


ROCK = fact("用户", "喜欢", "摇滚")
ABOUT_ME = (
    ROCK,
    fact("用户", "名字", "阿杰"),
    fact("用户", "年龄", "25岁"),
    fact("用户", "所在地", "上海"),
    fact("用户", "职业", "程序员"),
    fact("用户", "生日", "3月5日"),
    fact("用户", "在做", "一个 NoneBot 插件"),
)


def test_r4_14_states_what_it_stored() -> None:
    told = brief("我喜欢摇滚，最近在做一个 NoneBot 插件")
    assert [(t["relation"], t["object"]) for t in triplets(told)] == [
        ("喜欢", "摇滚"),
        ("在做", "一个 NoneBot 插件"),
    ]
    assert reply(told, stored=True).startswith("记住了：你喜欢摇滚")


def test_r4_14_claims_nothing_that_was_not_stored() -> None:
    assert "记住了" not in reply(brief("我喜欢摇滚"), stored=False)


def test_r2_08_no_more_facts_than_one_call_takes() -> None:
    many = "我喜欢" + "、".join(f"第{number}号汽水" for number in range(60))
    assert len(triplets(brief(many))) == 20


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("我喜欢什么？", "你喜欢摇滚。"),
        ("你知道我喜欢什么吗", "你喜欢摇滚。"),
        ("你还记得我喜欢什么吗？", "你喜欢摇滚。"),
        ("我之前说我喜欢什么？", "你喜欢摇滚。"),
        ("我叫什么", "你叫阿杰。"),
        ("我叫什么名字来着？", "你叫阿杰。"),
        ("我多大了", "你25岁。"),
        ("我几岁？", "你25岁。"),
        ("我住哪儿？", "你在上海。"),
        ("我现在住在哪里", "你在上海。"),
        ("我做什么工作的？", "你是程序员。"),
        ("我的生日是哪天？", "你的生日是3月5日。"),
        ("我在做什么？", "你在做一个 NoneBot 插件。"),
    ],
)
def test_r4_14_answers_from_facts(question: str, answer: str) -> None:
    assert ask(question, *ABOUT_ME) == answer


@pytest.mark.parametrize(
    "question",
    [
        "我妈妈喜欢什么？",
        "鲁迅喜欢什么？",
        "老王喜欢什么？",
        "我女朋友喜欢谁",
        "如果我喜欢你怎么办？",
        "20001喜欢什么？",
        "《三体》是我喜欢的吗？",
        "香菜我喜欢吗",
        "我喜欢爵士吗？",
    ],
)
def test_r4_14_the_askers_facts_are_no_answer_to_other_questions(question: str) -> None:
    assert "摇滚" not in ask(question, ROCK)


def test_r4_14_others_are_answered_by_their_own_facts() -> None:
    jazz = fact("花花", "喜欢", "爵士")
    assert ask("花花喜欢什么？", ROCK, jazz) == "花花喜欢爵士。"
    assert ask("@花花(20001) 喜欢什么", ROCK, jazz) == "花花喜欢爵士。"
    assert ask("谁喜欢爵士？", ROCK, jazz) == "花花喜欢爵士。"
    assert "爵士" not in ask("我喜欢什么？", jazz)


@pytest.mark.parametrize("question", ["我喜欢香菜吗？", "香菜我喜欢吗", "我喜不喜欢香菜？", "我讨厌香菜吗"])
def test_r4_05_the_newest_of_opposite_facts_answers(question: str) -> None:
    before, after = fact("用户", "喜欢", "香菜"), fact("用户", "不喜欢", "香菜", hours=1)
    assert ask(question, before, after) == "你不喜欢香菜。"


def test_r4_05_what_is_disliked_is_not_what_is_liked() -> None:
    facts = (ROCK, fact("用户", "不喜欢", "香菜"))
    assert ask("我不喜欢什么？", *facts) == "你不喜欢香菜。"
    assert ask("我喜欢什么？", *facts) == "你喜欢摇滚。"


def test_r4_14_marks_guesses() -> None:
    assert "猜" in ask("我喜欢什么？", fact("用户", "喜欢", "音乐", inferred=True))


def test_r4_14_tells_all_it_knows_of_the_asker() -> None:
    answer = ask("关于我你知道些什么？", *ABOUT_ME, fact("花花", "喜欢", "爵士"))
    assert "摇滚" in answer
    assert "上海" in answer
    assert "爵士" not in answer


@pytest.mark.parametrize("question", ["你是谁？", "你叫什么名字？", "你是机器人吗？"])
def test_r4_14_says_who_it_is(question: str) -> None:
    answer = ask(question, ROCK)
    assert "小忆" in answer
    assert "机器人" in answer


def test_r4_14_asked_about_itself_it_answers_about_itself() -> None:
    assert ask("你喜欢什么？", ROCK) == "我喜欢晒太阳。"
    assert UNKNOWN in ask("你讨厌什么？", ROCK)


class TestSayings:
    """What was said, where no fact answers."""

    said = Saying(speaker="小李", by_speaker=True, text="周末要去看画展", at=NOW)

    def test_r4_14_quotes_with_the_day(self) -> None:
        answer = ask("周末要去干嘛来着？", sayings=(self.said,))
        assert answer == "你在7月8日说过：「周末要去看画展」"

    def test_r2_02_a_shared_nickname_makes_nobody_the_speaker(self) -> None:
        other = Saying(speaker="小李", by_speaker=False, text="周末要去看画展", at=NOW)
        assert ask("周末要去干嘛来着？", sayings=(other,)).startswith("小李在7月8日")

    def test_r4_14_the_newest_turns_count_as_well(self) -> None:
        past = Exchange(speaker="小李", by_speaker=True, said="暗号是芝麻开门", answered="好", at=NOW)
        assert "芝麻开门" in ask("暗号是什么？", recent=(past,))

    def test_r4_14_what_others_said_is_no_answer_about_oneself(self) -> None:
        other = Saying(speaker="小红", by_speaker=False, text="我的护照在抽屉里", at=NOW)
        assert UNKNOWN in ask("我的护照在哪里？", sayings=(other,))


class TestLookingBack:
    """刚才我们聊了什么？"""

    mine = Exchange(speaker="小明", by_speaker=True, said="想去看画展", answered="听起来不错", at=NOW)
    hers = Exchange(speaker="阿花", by_speaker=False, said="我喜欢摇滚", answered="记住了", at=NOW)

    def test_r2_16_quotes_the_newest_turn(self) -> None:
        answer = ask("刚才我们聊了什么？", recent=(self.mine,))
        assert answer == "刚才你说：「想去看画展」，我说：「听起来不错」"

    def test_r2_02_others_words_are_not_put_into_the_askers_mouth(self) -> None:
        assert ask("刚才我们聊了什么？", recent=(self.hers,)).startswith("刚才阿花说：")
        assert "想去看画展" in ask("刚才我说了什么？", recent=(self.hers, self.mine))

    def test_r2_16_does_not_quote_a_question_that_looked_back(self) -> None:
        asked = Exchange(speaker="小明", by_speaker=True, said="刚才我说什么了", answered="…", at=NOW)
        assert "想去看画展" in ask("上次我们说了什么？", recent=(asked, self.mine))


def test_r4_14_says_when_it_does_not_know() -> None:
    assert UNKNOWN in ask("我的生日是哪天？")


def test_r4_02_answers_a_bare_call() -> None:
    assert ask("")


@pytest.mark.parametrize("text", ["明天提醒我带伞", "七点叫我起床", "remind me to call mum"])
def test_r4_14_a_reminder_is_no_question(text: str) -> None:
    assert "不会" in ask(text, ROCK)
    assert UNKNOWN not in ask(text)
