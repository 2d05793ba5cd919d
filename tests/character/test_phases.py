"""R5.4: the parts of the day by the character's clock: across midnight, in any zone, on days of change."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.character import Phase, Rhythm, rhythm_of
from nonebot_plugin_memoryfs.errors import InvalidInput

SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("shown", "phase"),
    [
        ("22:59", Phase.NIGHT),
        ("23:00", Phase.SLEEPING),
        ("00:00", Phase.SLEEPING),
        ("06:59", Phase.SLEEPING),
        ("07:00", Phase.MORNING),
        ("09:00", Phase.FORENOON),
        ("11:30", Phase.NOON),
        ("13:30", Phase.AFTERNOON),
        ("17:30", Phase.EVENING),
        ("20:00", Phase.NIGHT),
    ],
)
def test_r5_4_the_default_day(shown: str, phase: Phase) -> None:
    at = datetime.combine(date(2026, 7, 8), time.fromisoformat(shown), SHANGHAI)
    assert Rhythm().phase(at) is phase
    assert Rhythm().phase(at.astimezone(UTC)) is phase


def test_r5_4_hours_within_one_day_and_across_midnight() -> None:
    day = rhythm_of("", "13:00-21:30", SHANGHAI)
    late = rhythm_of("", "03:00-11:00", SHANGHAI)

    def phase(rhythm: Rhythm, hour: int) -> Phase:
        return rhythm.phase(datetime(2026, 7, 8, hour, tzinfo=SHANGHAI))

    assert [phase(day, hour) for hour in (12, 13, 21, 22)] == [
        Phase.NOON,
        Phase.SLEEPING,
        Phase.SLEEPING,
        Phase.NIGHT,
    ]
    assert [phase(late, hour) for hour in (1, 3, 10, 11)] == [
        Phase.NIGHT,
        Phase.SLEEPING,
        Phase.SLEEPING,
        Phase.FORENOON,
    ]


def test_r5_4_the_clock_is_the_characters_own() -> None:
    at = datetime(2026, 7, 8, 16, tzinfo=UTC)
    assert Rhythm(SHANGHAI).phase(at) is Phase.SLEEPING
    assert Rhythm(NEW_YORK).phase(at) is Phase.NOON


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 8), 23), (date(2026, 11, 1), 25)])
def test_r5_4_on_days_when_clocks_are_changed(day: date, hours: int) -> None:
    rhythm = rhythm_of("America/New_York", "23:00-07:00", SHANGHAI)
    stretches = rhythm.stretches(day)
    assert stretches[0].phase is Phase.SLEEPING
    first, last = stretches[0], stretches[-1]
    assert last.end.astimezone(UTC) - first.start.astimezone(UTC) == timedelta(hours=hours)
    assert first.end.astimezone(UTC) - first.start.astimezone(UTC) == timedelta(hours=hours - 17)
    assert rhythm.local(first.end).time() == time(7)


@given(
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC)),
    st.sampled_from(["Asia/Shanghai", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"]),
    st.sampled_from(["", "23:00-07:00", "00:30-02:30", "13:00-21:30", "02:15-03:15"]),
)
def test_r5_4_the_stretches_of_a_day_say_what_each_moment_says(at: datetime, zone: str, sleep: str) -> None:
    rhythm = rhythm_of(zone, sleep, SHANGHAI)
    at = at.replace(second=0, microsecond=0)
    stretches = rhythm.stretches(rhythm.local(at).date())
    [found] = [s for s in stretches if s.start.astimezone(UTC) <= at < s.end.astimezone(UTC)]
    assert found.phase is rhythm.phase(at)
    assert [s.end for s in stretches[:-1]] == [s.start for s in stretches[1:]]


@pytest.mark.parametrize("sleep", ["23:00—07:00", "23:00 ~ 7:00", "23：00-07：00", "23:00至07:00"])
def test_r5_4_hours_as_people_write_them(sleep: str) -> None:
    assert rhythm_of("", sleep, SHANGHAI) == Rhythm(SHANGHAI)


def test_r5_4_midnight_may_be_called_24() -> None:
    assert rhythm_of("", "24:00-08:00", SHANGHAI).asleep_from == time(0)


@pytest.mark.parametrize(
    "sleep", ["23:00", "23-7", "25:00-07:00", "23:61-07:00", "07:00-07:00", "晚上", "24:00-00:00"]
)
def test_r5_4_hours_that_cant_be_read_are_refused(sleep: str) -> None:
    with pytest.raises(InvalidInput, match="23:00-07:00"):
        rhythm_of("", sleep, SHANGHAI)


def test_r5_4_an_unknown_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Mars/Base"):
        rhythm_of("Mars/Base", "", SHANGHAI)


def test_r5_4_a_day_that_never_was_has_no_stretches() -> None:
    assert Rhythm(ZoneInfo("Pacific/Apia")).stretches(date(2011, 12, 30)) == ()
