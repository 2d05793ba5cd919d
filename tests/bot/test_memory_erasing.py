"""R7.3, R7.4: `/记忆 导出` and `/记忆 清空`: all that is one's own, nothing of anybody else's."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from nonebug import App

from nonebot_plugin_memoryfs.bot.commands.confirming import WAITS
from nonebot_plugin_memoryfs.bot.commands.table import MANAGERS
from nonebot_plugin_memoryfs.bot.plugin import running

from ..sim.payloads import at, text
from .commanding import by, command, give
from .events import SELF_ID, group, private

ASKED = "要清空关于你的一切吗"


async def kept_of(app: App, user_id: int) -> str:
    [told] = await command(app, private("/记忆 查看", user_id=user_id))
    return told


async def test_r7_3_export_as_a_file_or_as_text(app: App, started: None) -> None:
    await give(app, private("我喜欢剪纸", user_id=7101))
    uploads: list[dict[str, Any]] = []
    assert await command(app, private("/记忆 导出", user_id=7101), uploads) == []
    [file] = uploads
    assert file["user_id"] == 7101
    assert file["name"].startswith("memory-7101-")
    body = base64.b64decode(file["file"].removeprefix("base64://")).decode()
    assert "剪纸" in body
    assert json.loads(body)["user_id"] == "7101"
    told = "".join(await command(app, private("/记忆 导出", user_id=7101)))
    assert "剪纸" in told
    assert "# 关于 7101" in told
    [told] = await command(app, group("/记忆 导出", group_id=94, **by("owner", 7101)))
    assert told == "这个请私聊我用：/记忆 导出"
    assert "剪纸" not in "".join(await command(app, private("/记忆 导出 7101", user_id=7102)))


async def test_r7_4_erasing_waits_for_a_bare_word(app: App, started: None) -> None:
    await give(app, private("我喜欢蹦床", user_id=7103))
    await give(app, group([at(SELF_ID), text(" 我喜欢排球")], group_id=95, **by("member", 7103)))
    await give(app, group([at(SELF_ID), text(" 我喜欢羽毛球")], group_id=95, **by("member", 7104)))
    [told] = await command(app, private("/记忆 清空", user_id=7103))
    assert told.startswith(ASKED)
    assert "确认" in told
    [told] = await give(app, private("确认", user_id=7103))
    assert told.startswith("已清除：")
    assert "还没有记下什么" in await kept_of(app, 7103)
    assert "羽毛球" in await kept_of(app, 7104)
    told = "".join(await give(app, private("我喜欢什么？", user_id=7103)))
    assert "蹦床" not in told
    assert "排球" not in told
    assert (await give(app, private("确认", user_id=7103)))[0] != told  # a turn like any other


@pytest.mark.parametrize("between", ["算了", "/记忆 查看", "确认清空", "确认。"])
async def test_r7_3_any_other_message_lets_it_lapse(app: App, started: None, between: str) -> None:
    await give(app, private("我喜欢铁饼", user_id=7105))
    await command(app, private("/记忆 清空", user_id=7105))
    await give(app, private(between, user_id=7105))
    await give(app, private("确认", user_id=7105))
    assert "铁饼" in await kept_of(app, 7105)


async def test_r7_3_nobody_confirms_who_may_not_command(app: App, started: None) -> None:
    await give(app, group([at(SELF_ID), text(" 我喜欢铅球")], group_id=99, **by("admin", 7110)))
    await command(app, group("/记忆 清空 本群", group_id=99, **by("admin", 7110)))
    hidden = {"anonymous": {"id": 1, "name": "大力鬼王", "flag": "f"}, "sub_type": "anonymous"}
    assert await give(app, group("确认", group_id=99, **by("admin", 7110), **hidden)) == []
    [told] = await command(app, group("/记忆 查看", group_id=99, **by("admin", 7110)))
    assert "铅球" in told


async def test_r7_3_it_lapses_after_a_minute(
    app: App, started: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    await give(app, private("我喜欢标枪", user_id=7106))
    await command(app, private("/记忆 清空", user_id=7106))
    assert running.app is not None
    store = running.app.rooms.store
    clock = store.clock
    monkeypatch.setattr(store, "clock", lambda: clock() + WAITS + timedelta(seconds=1))
    await give(app, private("确认", user_id=7106))
    assert "标枪" in await kept_of(app, 7106)


async def test_r7_3_nobody_confirms_for_another_or_elsewhere(app: App, started: None) -> None:
    await give(app, group([at(SELF_ID), text(" 我喜欢铅球")], group_id=96, **by("member", 7107)))
    for other in (
        group("确认", group_id=96, **by("owner", 7108)),
        group([at(7107), text("确认")], group_id=96, **by("admin", 7108)),
        group("确认", group_id=97, **by("member", 7107)),
        private("确认", user_id=7107),
        group([at(SELF_ID), text("确认")], group_id=96, **by("member", 7107)),
    ):
        [told] = await command(app, group("/记忆 清空", group_id=96, **by("member", 7107)))
        assert told.startswith(ASKED)
        assert "铅球" not in told
        assert not any("清空" in told or "清除" in told for told in await give(app, other))
        assert "铅球" in await kept_of(app, 7107)
    [told] = await command(app, group("/记忆 清空", group_id=96, **by("member", 7107)))
    assert await give(app, group("确认", group_id=96, **by("member", 7107))) == ["好，关于你的都清空了。"]
    assert "铅球" not in await kept_of(app, 7107)


async def test_r7_3_a_group_s_memory_is_cleared_by_those_who_manage_it(
    app: App, started: None, superuser: str
) -> None:
    for user_id, thing in ((7110, "跳伞"), (7111, "蹦极")):
        await give(app, group([at(SELF_ID), text(f" 我喜欢{thing}")], group_id=98, **by("member", user_id)))
    await give(app, group([at(SELF_ID), text(" 我喜欢马术")], group_id=99, **by("member", 7110)))
    await give(app, private("我喜欢射箭", user_id=7110))
    clear = "/记忆 清空 本群"
    for refused in (clear, "/memory clear group"):
        [told] = await command(app, group(refused, group_id=98, **by("member", 7110)))
        assert told == f"{MANAGERS.refusal}清你自己的：/记忆 清空"
    [told] = await command(app, private(clear, user_id=int(superuser)))
    assert "要在群里说" in told
    [told] = await command(app, group("/记忆 清空 别人", group_id=98, **by("owner", 7112)))
    assert told.startswith("没有做：")

    [told] = await command(app, group("/记忆 清空", group_id=98, **by("admin", 7112)))
    assert told.startswith(ASKED)
    assert clear in told  # who manages the group is told how to clear that
    [told] = await command(app, group(clear, group_id=98, **by("admin", 7112)))
    assert told.startswith("要清空这个群的记忆吗？会清掉：")
    for name in ("说过的话和收到的回复 4", "对话轮次 2", "提示词", "私聊"):
        assert name in told
    assert "跳伞" not in told
    await give(app, group("确认", group_id=98, **by("owner", 7113)))  # nobody confirms for another
    await give(app, group("算了", group_id=98, **by("admin", 7112)))
    await give(app, group("确认", group_id=98, **by("admin", 7112)))
    assert "跳伞" in await kept_of(app, 7110)

    await command(app, group(clear, group_id=98, **by("admin", 7112)))
    assert await give(app, group("确认", group_id=98, **by("member", 7112))) == []  # no longer an admin
    await command(app, group(clear, group_id=98, **by("admin", 7112)))
    [told] = await give(app, group("确认", group_id=98, **by("admin", 7112)))
    assert told.startswith("好，这个群的记忆清空了：")
    kept = await kept_of(app, 7110)
    assert "跳伞" not in kept
    assert "马术" in kept
    assert "射箭" in kept
    [told] = await command(app, group("/记忆 查看", group_id=98, **by("member", 7111)))
    assert "蹦极" not in told
    [told] = await command(app, group(clear, group_id=98, **by("member", int(superuser))))
    assert told == "这个群没有记下过什么。"
