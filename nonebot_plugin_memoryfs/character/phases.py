"""The part of the day a character lives in, by its own clock: time zone and hours of sleep (R5.4)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from itertools import groupby
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..errors import InvalidInput

_HOURS = re.compile(r"(\d{1,2})[:：](\d{2})\s*[-–—~～至到]\s*(\d{1,2})[:：](\d{2})")
_MINUTE = timedelta(minutes=1)
_SHANGHAI = ZoneInfo("Asia/Shanghai")


class Phase(Enum):
    """A part of the day; the value is its name for people and models."""

    SLEEPING = "睡眠"
    MORNING = "早晨"
    FORENOON = "上午"
    NOON = "中午"
    AFTERNOON = "下午"
    EVENING = "傍晚"
    NIGHT = "夜里"


_AWAKE = (
    (time(5), Phase.MORNING),
    (time(9), Phase.FORENOON),
    (time(11, 30), Phase.NOON),
    (time(13, 30), Phase.AFTERNOON),
    (time(17, 30), Phase.EVENING),
    (time(20), Phase.NIGHT),
)
"""When each waking part begins; before the first it is still night."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One part of one day, from a moment to another."""

    phase: Phase
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A character's time zone and hours of sleep, which may lie across midnight."""

    zone: ZoneInfo = _SHANGHAI
    asleep_from: time = time(23)
    asleep_until: time = time(7)

    def local(self, at: datetime) -> datetime:
        """The moment as the character's clock shows it."""
        return at.astimezone(self.zone)

    def phase(self, at: datetime) -> Phase:
        """The part of the day at a moment (timezone-aware): what the clock on the wall shows decides."""
        shown = self.local(at).time()
        after, before = self.asleep_from <= shown, shown < self.asleep_until
        across = self.asleep_from > self.asleep_until
        if (after or before) if across else (after and before):
            return Phase.SLEEPING
        return next((phase for start, phase in reversed(_AWAKE) if start <= shown), Phase.NIGHT)

    def midnight(self, day: date) -> datetime:
        """When a day begins."""
        return datetime.combine(day, time(), self.zone)

    def stretches(self, day: date) -> tuple[Stretch, ...]:
        """The parts of a day in order, without a gap, also on the days when clocks are changed."""
        pieces = groupby(self._minutes(day), self.phase)
        begun = [(phase, self.local(next(minutes))) for phase, minutes in pieces]
        if not begun:  # a day this zone skipped, when it changed sides of the date line
            return ()
        ends = [*(start for _, start in begun[1:]), self.midnight(day + timedelta(days=1))]
        return tuple(Stretch(phase, start, end) for (phase, start), end in zip(begun, ends, strict=True))

    def _minutes(self, day: date) -> Iterator[datetime]:
        at, end = self.midnight(day).astimezone(UTC), self.midnight(day + timedelta(days=1)).astimezone(UTC)
        while at < end:
            yield at
            at += _MINUTE


def rhythm_of(timezone: str, sleep: str, default: ZoneInfo) -> Rhythm:
    """The rhythm a card describes.

    Args:
        timezone: a zone's name; blank for the default one.
        sleep: when it sleeps, like `23:00-07:00`; blank for just that.
        default: the zone of a card that names none.

    Raises:
        InvalidInput: there is no such zone, or the hours can't be read.
    """
    zone = default
    if timezone.strip():
        try:
            zone = ZoneInfo(timezone.strip())
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InvalidInput(f"没有时区 {timezone!r}：应是时区名，如 Asia/Shanghai") from None
    if not sleep.strip():
        return Rhythm(zone)
    try:
        found = _HOURS.fullmatch(sleep.strip())
        hours = [int(part) for part in found.groups()] if found else []
        start, end = time(hours[0] % 24, hours[1]), time(hours[2] % 24, hours[3])
        if max(hours[0], hours[2]) > 24 or start == end:
            raise ValueError(sleep)
    except (ValueError, IndexError):
        raise InvalidInput(f"睡眠时间 {sleep!r} 看不懂：应形如 23:00-07:00，起止不能相同") from None
    return Rhythm(zone, start, end)
