"""What `/memoryfs status` tells: counts, sizes, the model, the queue, the last troubles (R7.3)."""

from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sqlalchemy import func, select

from ...app import App
from ...concurrency import in_thread
from ...storage.store import DATABASE_FILE
from ...storage.tables import LIVE_EDGE, edges, files, lines, presence, turns
from ...storage.usage import spent_on
from ...text.sentences import gist
from .table import Asked

_PACKAGE = "nonebot-plugin-memoryfs"
_TROUBLES = 5
_COUNTED = (
    ("对话", select(func.count()).select_from(turns), "轮"),
    ("说过的话", select(func.count()).select_from(lines), "句"),
    ("事实", select(func.count()).select_from(edges).where(LIVE_EDGE), "条"),
    ("记忆文件", select(func.count()).select_from(files), "个"),
    ("认识的人", select(func.count(presence.c.user_id.distinct())), "个"),
)


async def status_text(asked: Asked) -> str:
    """How the bot is; what went wrong, and where the data is, is told only where nobody else reads it."""
    app = asked.app
    model = await app.model("chat")
    health = model.health
    well = "最近一次没有回答" if health.down else "正常"
    lines = [
        f"{_PACKAGE} {await in_thread(_version)}",
        f"模型：{model.name}，{well}",
        *await in_thread(_stored, app, asked.scope.private),
        await in_thread(_budget, app),
        f"排队：{app.conversations.waiting} 条在等，启动以来丢下 {app.conversations.dropped} 条",
    ]
    troubles = [(at, text) for at, text in app.rooms.store.notices]
    if health.last_error and health.last_error_at is not None:
        troubles.append((health.last_error_at, f"模型：{health.last_error}"))
    return "\n".join([*lines, *_troubles(app, troubles, asked.scope.private)])


def _version() -> str:
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return "（直接从源码运行）"


def _stored(app: App, private: bool) -> list[str]:
    store = app.rooms.store
    with store.database.read() as connection:
        counted = [f"{name} {connection.scalar(query)} {unit}" for name, query, unit in _COUNTED]
    told = ["存着：" + "，".join(counted)]
    if store.directory is not None:
        sizes = (_size(store.directory / name) for name in (DATABASE_FILE, f"{DATABASE_FILE}-wal"))
        where = f"，数据目录 {store.directory}" if private else ""
        told.append(f"数据库：{sum(sizes) / 1_000_000:.1f} MB{where}")
    return told


def _budget(app: App) -> str:
    budget, now = app.rooms.learning.budget, app.clock()
    with app.rooms.store.database.read() as connection:
        spent = spent_on(connection, budget.day(now))
    return f"今天用了：请求 {_of(spent.calls, budget.calls)}，token {_of(spent.tokens, budget.tokens)}"


def _of(spent: int, limit: int) -> str:
    return f"{spent}/{limit}" if limit else f"{spent}（不限）"


def _troubles(app: App, troubles: list[tuple[datetime, str]], private: bool) -> list[str]:
    if not troubles:
        return ["最近没有出过问题"]
    if not private:
        return [f"最近出过 {len(troubles)} 次问题，详情请私聊"]
    newest = sorted(troubles, key=lambda trouble: trouble[0])[-_TROUBLES:]
    zone = app.settings.zone
    return [
        "最近的问题：",
        *(f"· {at.astimezone(zone):%m-%d %H:%M} {gist(text, 160)}" for at, text in newest),
    ]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
