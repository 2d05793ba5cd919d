"""Season and weather of a character's day: the same for all its chats, and the same again after a restart."""

import random
from datetime import date
from enum import Enum


class Season(Enum):
    """A quarter of the year; the value is its name."""

    SPRING = "春"
    SUMMER = "夏"
    AUTUMN = "秋"
    WINTER = "冬"


class Weather(Enum):
    """The weather of one day."""

    CLEAR = "晴"
    CLOUDY = "阴"
    RAIN = "雨"
    WINDY = "风"
    SNOW = "雪"


_LIKELY: dict[Season, tuple[tuple[Weather, int], ...]] = {
    Season.SPRING: ((Weather.CLEAR, 4), (Weather.CLOUDY, 2), (Weather.RAIN, 3), (Weather.WINDY, 2)),
    Season.SUMMER: ((Weather.CLEAR, 5), (Weather.CLOUDY, 2), (Weather.RAIN, 4)),
    Season.AUTUMN: ((Weather.CLEAR, 5), (Weather.CLOUDY, 3), (Weather.RAIN, 2), (Weather.WINDY, 2)),
    Season.WINTER: ((Weather.CLEAR, 4), (Weather.CLOUDY, 3), (Weather.WINDY, 2), (Weather.SNOW, 2)),
}


def season_of(day: date) -> Season:
    """The season of a day, spring beginning in March."""
    return list(Season)[(day.month - 3) % 12 // 3]


def weather_of(character_id: str, day: date) -> Weather:
    """The weather where a character lives; drawn anew for each day."""
    kinds, weights = zip(*_LIKELY[season_of(day)], strict=True)
    return random.Random(f"{character_id} {day}").choices(kinds, weights)[0]
