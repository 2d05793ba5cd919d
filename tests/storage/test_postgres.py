"""R6.1 on PostgreSQL, where `MEMORYFS_TEST_DATABASE_URL` names an empty database that may be written."""

import os
from collections.abc import Iterator

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.exc import DBAPIError

from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import note_presence
from nonebot_plugin_memoryfs.storage.store import open_beside
from nonebot_plugin_memoryfs.storage.tables import presence

from ..conftest import Clock

URL = os.environ.get("MEMORYFS_TEST_DATABASE_URL", "")
pytestmark = pytest.mark.skipif(not URL, reason="MEMORYFS_TEST_DATABASE_URL is not set")
COUNT = select(func.count()).select_from(presence)


@pytest.fixture
def opened(clock: Clock) -> Iterator[Store]:
    with Store.open(database_url=URL, clock=clock) as store:
        with store.database.write() as c:
            c.execute(delete(presence))
        yield store


def speak(store: Store, user: str) -> None:
    with store.database.write() as c:
        note_presence(c, user, "qq_group_1", store.clock())


def test_r6_01_a_read_is_one_view(opened: Store) -> None:
    speak(opened, "1")
    other = open_beside(opened.directory or "", URL)  # pyright: ignore[reportArgumentType]
    with other.read() as reader:
        assert reader.scalar(COUNT) == 1
        speak(opened, "2")
        assert reader.scalar(COUNT) == 1
    with other.read() as reader:
        assert reader.scalar(COUNT) == 2
    other.close()


def test_r6_01_reads_cannot_write_and_leave_writes_as_they_were(opened: Store) -> None:
    with pytest.raises(DBAPIError, match="read-only"), opened.database.read() as c:
        c.execute(delete(presence))
    for user in "123":
        speak(opened, user)
        with opened.database.read() as c:
            assert c.scalar(COUNT) == int(user)


def test_r6_03_beside_nothing_can_be_written(opened: Store) -> None:
    beside = open_beside(opened.directory or "", URL)  # pyright: ignore[reportArgumentType]
    with pytest.raises(RuntimeError, match="reading only"), beside.write():
        pass
    with pytest.raises(DBAPIError, match="read-only"), beside.read() as c:
        c.execute(delete(presence))
    beside.close()
