"""What the store of a bench holds: a character's files of many users, each in their private chat."""

import random
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import insert

from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.memory.entries import format_entries
from nonebot_plugin_memoryfs.memory.files import file_from_record
from nonebot_plugin_memoryfs.memory.history import archive_path
from nonebot_plugin_memoryfs.memory.memoryfs import DEFAULT_TIMEZONE
from nonebot_plugin_memoryfs.memory.paths import parse_memory_path
from nonebot_plugin_memoryfs.scope import group_conversation, private_conversation
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import file_history, files, presence

Records = dict[str, dict[str, Any]]
"""Path → record, as in `memory_fs.json`."""

CHARACTER = "neko"
TIMELINE = MemoryFS.path_timeline(CHARACTER)
PER_USER = 6
"""Files of one user."""

_START = datetime(2026, 1, 1, 12, tzinfo=UTC)
_GROUPS = 40
_PHRASES = (
    "最近在准备考试，睡得很晚",
    "喜欢看科幻动画，也喜欢摇滚",
    "说好周末一起去秋叶原看模型",
    "家里的猫叫团子，今年三岁了",
    "不太能吃辣，但是爱喝热可可",
    "上周换了工作，正在适应新团队",
    "问起生日的事，希望收到一本画集",
    "下雨天会想起小时候住过的地方",
)


def make_records(count: int) -> Records:
    """Records of `memory_fs.json`: the timeline, then six files of about 1 KB for each user."""
    return dict(islice(_records(random.Random(0)), count))


def _records(numbers: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    talk = (_entry(numbers, str(n), group_conversation(str(n % _GROUPS)), n) for n in range(30))
    yield TIMELINE, _record(TIMELINE, format_entries(talk, DEFAULT_TIMEZONE))
    for user in map(str, range(sys.maxsize)):
        for path in _places(user):
            yield path, _record(path, content(numbers, user))


def _places(user: str) -> list[str]:
    """The files of a user and of their private chat."""
    by_user = (MemoryFS.path_user_persona, MemoryFS.path_character_persona, MemoryFS.path_recent_digest)
    by_chat = (MemoryFS.path_important_events, MemoryFS.path_plot, MemoryFS.path_life_sim)
    return [
        *(path(CHARACTER, user) for path in by_user),
        *(path(CHARACTER, private_conversation(user)) for path in by_chat),
    ]


def _record(path: str, content: str) -> dict[str, Any]:
    place = parse_memory_path(path)
    return file_from_record(place, {"content": content}, _START, DEFAULT_TIMEZONE).to_record()


def content(numbers: random.Random, user: str) -> str:
    """About 1 KB of UTF-8: four entries."""
    entries = (_entry(numbers, user, private_conversation(user), n) for n in range(4))
    return format_entries(entries, DEFAULT_TIMEZONE)


def _entry(numbers: random.Random, user: str, conversation: str, hours: int) -> Entry:
    text = "，".join([*numbers.sample(_PHRASES, 4), f"记于第{numbers.randrange(10**6)}次谈话。"])
    return Entry(text, at=_START + timedelta(hours=hours), conversation_id=conversation, people=(user,))


def users_of(count: int) -> list[str]:
    """The users who have all their files among this many."""
    return list(map(str, range((count - 1) // PER_USER)))


def fill(store: Store, records: Records) -> None:
    """Put files straight into the tables, with where users were seen, and what the timeline dropped."""
    times = {"created_at": _START, "updated_at": _START}
    rows = iter(records.values())
    with store.database.write() as connection:
        while chunk := [{**record, **times} for record in islice(rows, 5_000)]:
            connection.execute(insert(files), chunk)
        connection.execute(insert(presence), _seen(users_of(len(records))))
        connection.execute(insert(file_history), _dropped())
    MemoryFS(store)  # its JSON file is written when the store is closed


def _dropped() -> list[dict[str, Any]]:
    """As much as the history keeps of each group's entries that the timeline had no room for."""
    numbers, timeline = random.Random(1), parse_memory_path(TIMELINE)
    rows: list[dict[str, Any]] = []
    for n in range(_GROUPS * 50):
        group = group_conversation(str(n % _GROUPS))
        body = format_entries([_entry(numbers, "0", group, n // _GROUPS)], DEFAULT_TIMEZONE)
        path = archive_path(timeline, group)
        rows.append({"path": path, "kind": "entry", "version": 1, "body": body, "at": _START})
    return rows


def _seen(users: Sequence[str]) -> list[dict[str, Any]]:
    """Where users speak: with the character, and in three groups each."""
    return [
        {"user_id": user, "conversation_id": conversation, "first_at": _START}
        for user in users
        for conversation in (private_conversation(user), *map(group_conversation, _groups_of(user)))
    ]


def _groups_of(user: str) -> list[str]:
    return [str((int(user) + step) % _GROUPS) for step in (0, 7, 19)]
