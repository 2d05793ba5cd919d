"""The jobs of the plugin, on the scheduler all plugins share: the tick of life, the daily upkeep (R5.1)."""

from datetime import tzinfo

from nonebot import require

from ..app import App

require("nonebot_plugin_apscheduler")

from nonebot_plugin_apscheduler import scheduler

TICK = "memoryfs_life_tick"
TICK_MINUTES = 5
UPKEEP = "memoryfs_upkeep"
UPKEEP_HOUR = 4

_LATE_SECONDS = 3600
"""A daily job that could not run in time still runs when it is so late."""


def start_jobs(app: App, *, life: bool) -> None:
    """Have the app looked after.

    Args:
        app: a started app.
        life: whether characters have a life of their own: the global switch.
    """
    if life:
        start_life(app)
    zone: tzinfo = app.settings.zone
    scheduler.add_job(  # pyright: ignore[reportUnknownMemberType]
        app.upkeep,
        "cron",
        hour=UPKEEP_HOUR,
        timezone=zone,
        id=UPKEEP,
        coalesce=True,
        max_instances=1,
        replace_existing=True,
        misfire_grace_time=_LATE_SECONDS,
    )


def stop_jobs() -> None:
    """Leave no job behind."""
    stop_life()
    _remove(UPKEEP)


def start_life(app: App) -> None:
    """Tick every five minutes; one job, whatever the number of chats."""
    scheduler.add_job(  # pyright: ignore[reportUnknownMemberType]
        app.life.tick,
        "interval",
        minutes=TICK_MINUTES,
        id=TICK,
        coalesce=True,
        max_instances=1,
        replace_existing=True,
        misfire_grace_time=TICK_MINUTES * 60,
    )


def stop_life() -> None:
    """Tick no more."""
    _remove(TICK)


def _remove(job_id: str) -> None:
    if scheduler.get_job(job_id) is not None:  # pyright: ignore[reportUnknownMemberType]
        scheduler.remove_job(job_id)  # pyright: ignore[reportUnknownMemberType]
