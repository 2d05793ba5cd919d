"""R4.14, R5.5: the offline generator: a life that reads like one, in every season, awake and asleep."""

import itertools
import random
import re
from datetime import UTC, date, datetime, timedelta

import pytest

from nonebot_plugin_memoryfs.character import Card, Phase, Rhythm, built_in
from nonebot_plugin_memoryfs.life import colours, nights
from nonebot_plugin_memoryfs.life.check import (
    NEAR_COPY,
    SHORT,
    check,
    forbidden,
    likeness,
    not_asleep,
    weight,
)
from nonebot_plugin_memoryfs.life.offline import SCENES, Setting, write_fragment
from nonebot_plugin_memoryfs.life.weather import Season, Weather, season_of, weather_of
from nonebot_plugin_memoryfs.memory import Entry

RHYTHM = Rhythm()
PLAIN = Card(id="plain", name="阿青")


def month(card: Card, number: int, *, hours: float = 2) -> list[tuple[datetime, Phase, str]]:
    """What a character writes in a month, every so many hours: 12 a day."""
    rng, last = random.Random(number), tuple[Entry, ...]()
    written: list[tuple[datetime, Phase, str]] = []
    for step in range(int(30 * 24 / hours)):
        at = datetime(2026, number, 1, tzinfo=UTC) + step * timedelta(hours=hours)
        phase = RHYTHM.phase(at)
        text = write_fragment(Setting(card, RHYTHM.local(at), phase, last), rng)
        last = (*last, Entry(text, at=at))[-10:]
        written.append((at, phase, text))
    return written


@pytest.mark.parametrize("card", [built_in(), PLAIN], ids=["neko", "plain"])
@pytest.mark.parametrize("number", [1, 4, 7, 10])
def test_r4_14_a_month_has_300_different_fragments_and_no_near_copies(card: Card, number: int) -> None:
    written = month(card, number)
    texts = [text for _, _, text in written]
    assert len(set(texts)) >= 300
    for at, (_, phase, text) in enumerate(written):
        before = texts[max(0, at - 5) : at]
        checked = check(text, phase, before)
        assert (checked.refusal, checked.text, checked.short) == ("", text, False)
        assert all(likeness(text, other) < NEAR_COPY for other in before)


def test_r5_4_the_generator_sleeps_at_night_and_is_awake_by_day() -> None:
    for _, phase, text in month(built_in(), 7):
        assert (not_asleep(text) == "") or phase is not Phase.SLEEPING


def test_r4_14_it_looks_back_at_what_was_done_before() -> None:
    back = {sentence for scene in SCENES for sentence in scene.afterwards}
    told = sum(any(sentence in text for sentence in back) for _, _, text in month(built_in(), 4, hours=1))
    assert told > 50


def test_r4_14_the_card_shows() -> None:
    neko = "".join(text for _, _, text in month(built_in(), 4))
    plain = "".join(text for _, _, text in month(PLAIN, 4))
    assert "尾巴" in neko
    assert "翻自己的小本子" in neko
    assert all(line not in plain for line in (*colours.OF_CATS, *nights.OF_CATS))


def test_r4_14_who_keeps_a_cat_is_none() -> None:
    for card in (
        Card(id="f", name="老周", description="七十岁的老渔夫，住在海边的木屋里，养了一只猫"),
        Card(id="f", name="老周", description="最喜欢猫", tags=("猫奴",)),
    ):
        told = "".join(text for _, _, text in month(card, 4))
        assert all(line not in told for line in (*colours.OF_CATS, *nights.OF_CATS))
    for card in (
        Card(id="c", name="橘子", description="一只爱睡的橘猫"),
        Card(id="c", name="橘子", tags=("猫",)),
        Card(id="c", name="橘子", description="住在旧书店的猫娘"),
    ):
        assert any(line in text for _, _, text in month(card, 4) for line in colours.OF_CATS)


@pytest.mark.parametrize("number", [1, 4, 7, 10])
def test_r4_14_a_robot_neither_eats_nor_breathes(number: int) -> None:
    robot = Card(id="r", name="铁七", description="一台在图书馆值夜的机器人，不吃不喝，没有体温")
    told = [text for _, _, text in month(robot, number)]
    flesh = re.compile("吃|喝|面条|饺子|汤|茶(?!几)|鼾|呼吸|汗")
    assert [text for text in told if flesh.search(text)] == []
    assert len(set(told)) >= 300


def test_r4_14_a_hobby_is_not_missed_while_it_is_done() -> None:
    missed = [form.format(hobby="晒太阳") for form in colours.OF_HOBBY]
    basking = next(scene for scene in SCENES if scene.mark == "太阳").openings
    told = [text for _, _, text in month(built_in(), 10, hours=1)]
    assert any(line in text for text in told for line in missed)
    for text in told:
        assert not any(opening + line in text for opening in basking for line in missed)


def test_r4_14_placeholders_of_a_card_are_filled() -> None:
    card = Card(id="c", name="阿青", identity=(("爱好", "看{{char}}的旧照片。"),))
    told = "".join(text for _, _, text in month(card, 4))
    assert "看阿青的旧照片" in told
    assert "{{" not in told
    assert "。。" not in told


def test_r4_14_it_does_not_look_back_at_what_is_long_past() -> None:
    back = {sentence for scene in SCENES for sentence in scene.afterwards}
    evening = RHYTHM.midnight(date(2026, 4, 8)) + timedelta(hours=19)
    for hours, told in ((2, True), (9, False)):
        opening = next(scene.openings[0] for scene in SCENES if scene.mark == "面包")
        last = (Entry(opening, at=evening - timedelta(hours=hours)),)
        setting = Setting(PLAIN, evening, RHYTHM.phase(evening), last)
        texts = [write_fragment(setting, random.Random(seed)) for seed in range(60)]
        assert any(sentence in text for text in texts for sentence in back) is told


def test_r4_14_seasons_differ() -> None:
    summer = "".join(text for _, _, text in month(PLAIN, 7))
    winter = "".join(text for _, _, text in month(PLAIN, 1))
    assert "蝉" in summer
    assert "雪" not in summer.replace("雪糕", "").replace("糖做的雪", "")
    assert "蝉" not in winter
    assert "西瓜" not in winter


def test_r4_14_a_card_that_names_somebody_costs_no_fragment() -> None:
    card = Card(id="c", name="c", identity=(("爱好", "和用户聊天、回复消息"),))
    assert all(forbidden(text) == "" for _, _, text in month(card, 4))


def test_r4_14_every_sentence_is_allowed_and_every_hour_has_a_choice() -> None:
    for scene in SCENES:
        for sentence in (*scene.openings, *scene.details, *scene.closings, *scene.afterwards):
            assert forbidden(sentence) == ""
            assert sentence.endswith("。")
        assert all(scene.mark in opening for opening in scene.openings)
        sizes = [
            weight(a + b + c) for a, b, c in itertools.product(scene.openings, scene.details, scene.closings)
        ]
        assert min(sizes) >= SHORT
        assert max(sizes) <= 100
    for phase, season, weather, weekend in itertools.product(Phase, Season, Weather, (True, False)):
        if phase is Phase.SLEEPING or (weather is Weather.SNOW) != (season is Season.WINTER):
            continue
        fitting = [
            scene
            for scene in SCENES
            if phase in scene.phases
            and season in scene.seasons
            and weather in scene.weather
            and scene.weekend in (None, weekend)
        ]
        assert len(fitting) >= 3, (phase, season, weather)
    for sentence in (
        *nights.LYING,
        *nights.DREAMS,
        *nights.QUIET,
        *itertools.chain(*nights.OF_SEASON.values()),
    ):
        assert not_asleep(f"睡着。{sentence}") == ""


def test_r4_14_season_and_weather_of_a_day_are_the_same_for_all_its_chats() -> None:
    assert [season_of(date(2026, number, 1)) for number in (1, 3, 6, 9, 12)] == [
        Season.WINTER,
        Season.SPRING,
        Season.SUMMER,
        Season.AUTUMN,
        Season.WINTER,
    ]
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(365)]
    assert [weather_of("neko", day) for day in days] == [weather_of("neko", day) for day in days]
    assert {weather_of("neko", day) for day in days} == set(Weather)
    assert all(
        weather_of("neko", day) is not Weather.SNOW for day in days if season_of(day) is not Season.WINTER
    )
