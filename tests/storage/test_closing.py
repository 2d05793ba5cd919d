"""Closing while other threads are at work: what they began is carried through, nothing begins after."""

import threading

import pytest
from sqlalchemy import func, select

from nonebot_plugin_memoryfs.storage import Database, Store
from nonebot_plugin_memoryfs.storage.presence import note_presence
from nonebot_plugin_memoryfs.storage.tables import presence

from ..conftest import Clock
from ..postgres import on_both


def _close_in_thread(database: Database) -> threading.Thread:
    thread = threading.Thread(target=database.close)
    thread.start()
    return thread


@on_both
class TestBothDatabases:
    def test_r6_01_a_transaction_that_runs_is_carried_through(self, store: Store, clock: Clock) -> None:
        database = store.database
        with database.write() as connection:
            closing = _close_in_thread(database)
            closing.join(0.05)
            assert closing.is_alive(), "closed under a transaction"
            note_presence(connection, "1", "qq_private_1", clock())
            count = connection.execute(select(func.count()).select_from(presence)).scalar()
        closing.join(10)
        assert count == 1
        assert not closing.is_alive()

    def test_r6_01_nothing_begins_after_closing(self, store: Store) -> None:
        store.database.close()
        store.database.close()  # once more does nothing
        with pytest.raises(RuntimeError, match="closed"), store.database.read():
            pass
        with pytest.raises(RuntimeError, match="closed"), store.database.write():
            pass
