"""The plugin running in this process, and its superuser."""

from collections.abc import AsyncIterator, Iterator

import nonebot
import pytest

from nonebot_plugin_memoryfs.bot import scheduler as jobs
from nonebot_plugin_memoryfs.bot.plugin import running


@pytest.fixture(scope="module")
async def started() -> AsyncIterator[None]:
    jobs.scheduler.start()  # as its plugin does before ours
    await running.start()
    yield
    await running.stop()
    assert [job for job in jobs.scheduler.get_jobs() if job.id.startswith("memoryfs")] == []
    jobs.scheduler.shutdown(wait=False)


@pytest.fixture
def superuser() -> Iterator[str]:
    people = nonebot.get_driver().config.superusers
    people.add("777")
    yield "777"
    people.discard("777")
