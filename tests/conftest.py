"""What every test shares: a clock that is moved by hand, and a store in a fresh directory."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from nonebug import NONEBOT_INIT_KWARGS, NONEBOT_START_LIFESPAN

from .nonebot_setup import INIT  # isort: skip  (NoneBot must load the package before tests import it)

from nonebot_plugin_memoryfs.storage import Store

from .postgres import database_url as database_url
from .postgres import postgres_server as postgres_server
from .skips import pytest_make_collect_report as pytest_make_collect_report
from .skips import pytest_runtest_makereport as pytest_runtest_makereport


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
def store(tmp_path: Path, clock: Clock, database_url: str | None) -> Iterator[Store]:
    """In a fresh directory; on PostgreSQL where a test or its room says so (`tests.postgres`)."""
    with Store.open(tmp_path / "data", database_url, clock=clock) as opened:
        yield opened


def pytest_configure(config: pytest.Config) -> None:
    config.stash[NONEBOT_INIT_KWARGS] = INIT
    config.stash[NONEBOT_START_LIFESPAN] = False


@pytest.fixture(autouse=True)
def no_blocking() -> Iterator[None]:
    """Fails any blocking call on the event loop that package code makes."""
    with blockbuster_ctx(scanned_modules=["nonebot_plugin_memoryfs"]):
        yield
