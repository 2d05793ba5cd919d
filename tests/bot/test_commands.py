"""R7.3, R5.8, R5.1: commands in NoneBot: who may, what they answer; the jobs on the shared scheduler."""

import nonebot
import pytest
from nonebot.adapters.onebot.v11 import Adapter, Bot, MessageSegment
from nonebug import App

from nonebot_plugin_memoryfs.bot import scheduler as jobs
from nonebot_plugin_memoryfs.bot.commands import COMMANDS, HEARTBEAT
from nonebot_plugin_memoryfs.bot.commands.table import MANAGERS, SUPERUSERS
from nonebot_plugin_memoryfs.bot.plugin import running
from nonebot_plugin_memoryfs.concurrency import in_thread

from .commanding import by, command, count_turns
from .events import SELF_ID, group, private

REFUSAL = MANAGERS.refusal
HELP = HEARTBEAT.title


async def test_r7_3_a_bare_command_is_help(app: App, started: None) -> None:
    [told] = await command(app, group("/心跳", **by("admin")))
    assert told.startswith(HELP)
    assert "/心跳 立即" in told
    assert "全部" not in told


async def test_r7_3_what_is_misspelt_is_named(app: App, started: None) -> None:
    [help] = await command(app, group("/心跳", **by("owner")))
    [told] = await command(app, group("/heartbeat 乱写", **by("owner")))
    assert told == f"没有“乱写”这个用法。\n{help}"
    [told] = await command(app, group("/心跳 开 一下", **by("owner")))
    assert told.startswith("“开”后面不用写别的。用法：/心跳 开：")
    assert await command(app, group("/心跳 乱写", **by("member"))) == [REFUSAL]


async def test_r7_3_who_may_not_is_refused(app: App, started: None) -> None:
    for text in ("/心跳 开", "/心跳 立即", "/心跳"):
        assert await command(app, group(text, **by("member"))) == [REFUSAL]
        assert await command(app, private(text, user_id=602)) == [REFUSAL]
    assert await command(app, group("/心跳 全部 关", **by("admin"))) == [SUPERUSERS.refusal]


async def test_r5_8_a_group_admin_switches_and_looks(app: App, started: None) -> None:
    [told] = await command(app, group("/心跳 开", group_id=31, **by("admin")))
    assert told.startswith("心跳开了")
    [told] = await command(app, group("/心跳 立即", group_id=31, **by("admin")))
    assert told.startswith("记下了：")
    fragment = told.removeprefix("记下了：")
    [told] = await command(app, group("/心跳 状态", group_id=31, **by("owner")))
    assert "心跳：开着" in told
    assert fragment in told
    assert "下一次：" in told
    assert "今天：1/12 段" in told
    [told] = await command(app, group("/心跳 关", group_id=31, **by("admin")))
    assert told.startswith("心跳关了")
    [told] = await command(app, group("/心跳 立即", group_id=31, **by("admin")))
    assert "没有开着" in told


async def test_r5_8_in_private_a_superuser_or_oneself_where_allowed(
    app: App, started: None, superuser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [told] = await command(app, private("/心跳 开", user_id=int(superuser)))
    assert told.startswith("心跳开了")
    assert running.app is not None
    allowing = running.app.settings.model_copy(update={"life_private_self_service": True})
    monkeypatch.setattr(running.app, "settings", allowing)
    [told] = await command(app, private("/心跳 开", user_id=603))
    assert told.startswith("心跳开了")
    assert await command(app, private("/心跳 全部 关", user_id=603)) == [SUPERUSERS.refusal]
    assert await command(app, group("/心跳 开", **by("member"))) == [REFUSAL]


async def test_r5_7_the_global_switch_takes_the_job_away(app: App, started: None, superuser: str) -> None:
    assert jobs.scheduler.get_job(jobs.TICK) is not None
    [told] = await command(app, private("/心跳 全部 关", user_id=int(superuser)))
    assert "停了" in told
    assert jobs.scheduler.get_job(jobs.TICK) is None
    assert jobs.scheduler.get_job(jobs.UPKEEP) is not None
    [told] = await command(app, private("/心跳 状态", user_id=int(superuser)))
    assert "全部心跳都停着" in told
    await command(app, private("/心跳 全部 开", user_id=int(superuser)))
    assert jobs.scheduler.get_job(jobs.TICK) is not None


async def test_r7_3_a_longer_word_is_no_command(app: App, started: None) -> None:
    """`/心跳加速` is for the chat; there it is a turn like any other."""
    assert running.app is not None
    before = await in_thread(count_turns)
    async with app.test_api() as context:
        bot = context.create_bot(base=Bot, adapter=nonebot.get_adapter(Adapter), self_id=str(SELF_ID))
        event = private("/心跳加速了", user_id=604)

        async def send(_event: object, message: MessageSegment, **_: object) -> None: ...

        bot.send = send  # type: ignore[method-assign]
        await nonebot.message.handle_event(bot, event)
        await running.app.conversations.idle()
    assert await in_thread(count_turns) == before + 1


async def test_r7_2_people_the_bot_ignores_get_no_answer(app: App, started: None) -> None:
    anonymous = {"id": 1, "name": "匿名", "flag": "x"}
    assert await command(app, group("/心跳", anonymous=anonymous, **by("admin"))) == []
    assert await command(app, group("/心跳", **by("admin", SELF_ID))) == []


async def test_r5_1_one_job_replaced_on_reload_and_gone_at_stop(started: None) -> None:
    assert running.app is not None
    for _ in range(3):
        jobs.start_jobs(running.app, life=True)
    tick = jobs.scheduler.get_job(jobs.TICK)
    assert tick is not None
    assert (tick.coalesce, tick.max_instances) == (True, 1)
    assert tick.trigger.interval.total_seconds() == 300
    own = [job.id for job in jobs.scheduler.get_jobs() if job.id.startswith("memoryfs")]
    assert sorted(own) == [jobs.TICK, jobs.UPKEEP]
    jobs.stop_jobs()
    assert [job for job in jobs.scheduler.get_jobs() if job.id.startswith("memoryfs")] == []
    jobs.stop_jobs()
    jobs.start_jobs(running.app, life=True)


def test_r7_3_names_bind_once() -> None:
    names = [name for one in COMMANDS for name in (one.name, *one.aliases)]
    assert len(names) == len(set(names))
    for one in COMMANDS:
        words = [word for action in one.actions for word in (action.name, *action.aliases)]
        assert len(words) == len(set(words))
