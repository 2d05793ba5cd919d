"""A MemoryFS on a fresh store, and people who speak in places."""

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.scope import Scope, Viewer, kind_of
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import note_presence, viewer_of

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOON = datetime(2026, 7, 8, 12, 0, tzinfo=SHANGHAI)

Watch = Callable[..., None]
MakeViewer = Callable[..., Viewer]


def at(minutes: float = 0) -> datetime:
    """Some minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def entry(text: str, minutes: float | None = 0, where: str | None = None, *people: str) -> Entry:
    when = None if minutes is None else at(minutes)
    return Entry(text, at=when, conversation_id=where, people=people)


def flush(store: Store) -> None:
    """Write `memory_fs.json` now."""
    store.face("memory_fs.json", None).flush()  # type: ignore[arg-type]  # pyright: ignore


@pytest.fixture
def fs(store: Store) -> MemoryFS:
    return MemoryFS(store)


@pytest.fixture
def seen(store: Store) -> Callable[..., None]:
    """Note that a user was seen speaking somewhere, some minutes after noon."""

    def note(user: str, conversation: str, minutes: float = 0) -> None:
        with store.database.write() as connection:
            note_presence(connection, user, conversation, at(minutes))

    return note


@pytest.fixture
def viewer(store: Store) -> Callable[..., Viewer]:
    def make(user: str, conversation: str, character: str = "neko") -> Viewer:
        scope = Scope(character, conversation, user, kind_of(conversation) != "group")
        with store.database.read() as connection:
            return viewer_of(connection, scope)

    return make
