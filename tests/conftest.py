"""What every test shares: a clock that is moved by hand, and a store in a fresh directory."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.storage import Store


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 7, 8, 6, 30, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **amount: float) -> None:
        self.now += timedelta(**amount)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(tmp_path / "data", clock=clock) as opened:
        yield opened
