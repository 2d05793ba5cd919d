"""R7.3: 清空 waits for a bare 确认; it lapses after 60 s or any other message."""

from datetime import UTC, datetime, timedelta

import pytest

from nonebot_plugin_memoryfs.bot.commands.confirming import WAITS, Confirmations, Question

NOW = datetime(2026, 7, 8, 20, 0, tzinfo=UTC)
HERE = "qq_group_1"


async def _done(asked: str) -> str:
    return asked


QUESTION = Question("要清空？", _done, "asked")


@pytest.fixture
def waiting() -> Confirmations[str]:
    confirmations = Confirmations[str]()
    confirmations.ask("12345", "10001", HERE, QUESTION, NOW)
    return confirmations


@pytest.mark.parametrize("text", ["确认", " 确认\n"])
def test_r7_3_a_bare_word_in_time_confirms_once(waiting: Confirmations[str], text: str) -> None:
    in_time = NOW + WAITS - timedelta(seconds=1)
    assert waiting.hear("12345", "10001", HERE, text, in_time) is QUESTION
    assert waiting.hear("12345", "10001", HERE, text, in_time) is None


def test_r7_3_it_lapses(waiting: Confirmations[str]) -> None:
    assert waiting.hear("12345", "10001", HERE, "确认", NOW + WAITS) is None


@pytest.mark.parametrize("text", ["确认一下", "我确认", "确 认", "/确认", "好", "", None])
def test_r7_3_any_other_message_lets_it_lapse(waiting: Confirmations[str], text: str | None) -> None:
    assert waiting.hear("12345", "10001", HERE, text, NOW) is None
    assert waiting.hear("12345", "10001", HERE, "确认", NOW) is None


def test_r7_3_a_message_elsewhere_lets_it_lapse_too(waiting: Confirmations[str]) -> None:
    assert waiting.hear("12345", "10001", "qq_private_10001", "确认", NOW) is None
    assert waiting.hear("12345", "10001", HERE, "确认", NOW) is None


def test_r7_3_nobody_confirms_for_another(waiting: Confirmations[str]) -> None:
    for user_id in ("10002", "1000", "100010", ""):
        assert waiting.hear("12345", user_id, HERE, "确认", NOW) is None
    assert waiting.hear("54321", "10001", HERE, "确认", NOW) is None
    assert waiting.hear("12345", "10001", HERE, "确认", NOW) is QUESTION
