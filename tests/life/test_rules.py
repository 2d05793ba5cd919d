"""R5.2, R5.7: when a fragment is due, as pure rules."""

from datetime import UTC, datetime, timedelta

from nonebot_plugin_memoryfs.character import Rhythm
from nonebot_plugin_memoryfs.life.rules import Pulse, Rules

RULES, RHYTHM = Rules(), Rhythm()
START = datetime(2026, 7, 8, 2, tzinfo=UTC)  # ten in the morning in Shanghai


def pulse(seen_at: datetime = START) -> Pulse:
    return Pulse(character_id="neko", conversation_id="qq_private_1", on=True, seen_at=seen_at)


def minutes(at: datetime) -> float:
    return (at - START).total_seconds() / 60


def test_r5_2_the_first_is_due_when_nobody_spoke_for_30_minutes() -> None:
    assert minutes(pulse().due(RULES, RHYTHM)) == 30


def test_r5_2_gaps_double_while_nobody_comes_back_up_to_8_hours() -> None:
    state, gaps = pulse(), list[float]()
    at = state.due(RULES, RHYTHM)
    for _ in range(7):
        state = state.written(at, RHYTHM)
        due = state.due(RULES, RHYTHM)
        gaps.append((due - at).total_seconds() / 60)
        at = due
    assert gaps == [60, 120, 240, 480, 480, 480, 480]


def test_r5_2_who_comes_back_starts_the_gaps_anew() -> None:
    state = pulse()
    for _ in range(4):
        state = state.written(state.due(RULES, RHYTHM), RHYTHM)
    assert state.backoff == 3
    assert state.last_at is not None
    back = state.last_at + timedelta(minutes=10)
    state = state.heard(back)
    assert state.backoff == 0
    assert state.due(RULES, RHYTHM) == state.last_at + timedelta(minutes=60)
    assert state.heard(back + timedelta(hours=3)).due(RULES, RHYTHM) == back + timedelta(hours=3.5)


def test_r5_2_one_by_hand_makes_no_gap_longer() -> None:
    state = pulse()
    for minute in range(3):
        state = state.written(START + timedelta(minutes=minute), RHYTHM, by_hand=True)
    assert (state.backoff, state.today) == (0, 3)
    assert minutes(state.due(RULES, RHYTHM)) == 62


def test_r5_2_an_older_turn_changes_nothing() -> None:
    state = pulse().written(START + timedelta(minutes=30), RHYTHM)
    assert state.heard(START - timedelta(hours=1)) == state


def test_r5_2_a_longer_interval_than_8_hours_is_kept() -> None:
    assert Rules(interval=timedelta(days=1)).gap(3) == timedelta(days=1)


def test_r5_7_after_twelve_the_next_is_tomorrow_by_the_characters_clock() -> None:
    state = pulse()
    for hour in range(12):
        state = state.written(START + timedelta(hours=hour), RHYTHM).heard(
            START + timedelta(hours=hour + 0.1)
        )
    assert state.today == 12
    due = state.due(RULES, RHYTHM)
    assert RHYTHM.local(due).isoformat() == "2026-07-09T00:00:00+08:00"
    assert state.written(due, RHYTHM).today == 1


def test_r5_7_a_failing_model_is_left_alone_longer_and_longer() -> None:
    pauses = [RULES.pause(failures).total_seconds() / 60 for failures in (1, 2, 3, 20)]
    assert pauses == [5, 10, 20, 480]
