"""R4.14, R5.5: the offline generator: a life that reads like one, in every season, awake and asleep."""

import itertools
import random
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
