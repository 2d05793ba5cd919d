"""R7.3: `/memoryfs`, for superusers alone."""

import base64
import json
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from nonebug import App

from nonebot_plugin_memoryfs.bot.commands import COMMANDS
from nonebot_plugin_memoryfs.bot.commands.operator import OPERATOR
from nonebot_plugin_memoryfs.bot.commands.table import SUPERUSERS
from nonebot_plugin_memoryfs.bot.plugin import running
from nonebot_plugin_memoryfs.concurrency import in_thread

from ..sim.payloads import at, text
from .commanding import by, command, give
from .events import group, private


async def test_r7_3_everybody_else_is_refused(app: App, started: None) -> None:
    for action in OPERATOR.actions:
        for event in (
            private(f"/memoryfs {action.name}", user_id=610),
            group(f"/memoryfs {action.name} qq_private_777", **by("owner", 610)),
        ):
            assert await command(app, event) == [SUPERUSERS.refusal]
    assert await command(app, private("/memoryfs", user_id=610)) == [SUPERUSERS.refusal]


async def test_r7_3_status(app: App, started: None, superuser: str) -> None:
    await give(app, private("我喜欢滑雪", user_id=611))
    assert running.app is not None
    running.app.rooms.store.report("memories.json 读不懂，另存了")
    [told] = await command(app, private("/memoryfs status", user_id=int(superuser)))
    first, *rest = told.splitlines()
    assert first.startswith("nonebot-plugin-memoryfs ")
    assert any(line.startswith("模型：离线") and line.endswith("正常") for line in rest)
    assert any(line.startswith("存着：对话 ") for line in rest)
    assert any(line.startswith("数据库：") and " MB" in line for line in rest)
    assert any(line.startswith("今天用了：请求 ") and "不限" in line for line in rest)
    assert any(line.startswith("排队：0 条") for line in rest)
    assert any("memories.json 读不懂" in line for line in rest)
    directory = running.app.rooms.store.directory
    assert directory is not None
    assert any(str(directory) in line for line in rest)
    [told] = await command(app, group("/memoryfs 状态", **by("member", int(superuser))))
    assert "读不懂" not in told
    assert str(directory) not in told
    assert "详情请私聊" in told


async def test_r4_3_why_in_private_alone(app: App, started: None, superuser: str) -> None:
    await give(app, private("我喜欢滑冰", user_id=612))
    [told] = await command(app, private("/memoryfs why qq_private_612", user_id=int(superuser)))
    assert "qq_private_612" in told
    assert "检查：" in told
    assert len(told.splitlines()) <= 11
    [told] = await command(app, private("/memoryfs why qq_private_613", user_id=int(superuser)))
    assert told == "还没有这样的对话。"
    [told] = await command(app, group("/memoryfs why qq_private_612", **by("member", int(superuser))))
    assert told == "这个请私聊我用：/memoryfs why"


async def test_r7_7_web_gives_a_code_in_private_alone(app: App, started: None, superuser: str) -> None:
    [told] = await command(app, private("/memoryfs web", user_id=int(superuser)))
    assert "/memoryfs/" in told
    assert "登录码 " in told
    [again] = await command(app, private("/memoryfs web", user_id=int(superuser)))
    assert again != told
    [told] = await command(app, group("/memoryfs web", **by("owner", int(superuser))))
    assert told == "这个请私聊我用：/memoryfs web"


async def test_r6_5_backup_export_and_verify(app: App, started: None, superuser: str) -> None:
    await give(app, private("我喜欢雕塑", user_id=614))
    user_id = int(superuser)
    [told] = await command(app, private("/memoryfs backup", user_id=user_id))
    path = Path(told.removeprefix("备份好了：").split("（")[0])
    assert await in_thread(is_zipfile, path)
    [told] = await command(app, private("/memoryfs verify", user_id=user_id))
    assert told.startswith("没有发现问题")
    uploads: list[dict[str, Any]] = []
    assert await command(app, private("/memoryfs export 614", user_id=user_id), uploads) == []
    assert uploads[0]["user_id"] == user_id
    assert "雕塑" in base64.b64decode(uploads[0]["file"].removeprefix("base64://")).decode()
    for written in ([text("/memoryfs export ６１４")], [text("/memoryfs export "), at(614)]):
        await command(app, private(written, user_id=user_id), uploads)
        assert uploads[-1]["name"].startswith("memory-614-")
    [told] = await command(app, group("/memoryfs export 614", **by("member", user_id)))
    assert told == "这个请私聊我用：/memoryfs export"
    [told] = await command(app, private("/memoryfs export 61499", user_id=user_id))
    assert told == "没有存过与 61499 有关的内容。"
    [told] = await command(app, private("/memoryfs export ../614", user_id=user_id))
    assert told.startswith("没有做：要写 QQ 号")


async def test_r6_6_import_counts_first(app: App, started: None, superuser: str, tmp_path: Path) -> None:
    user_id = int(superuser)
    path = "characters/neko/users/615/user_persona.md"
    record = {path: {"path": path, "content": "爱看舞狮"}}
    source = tmp_path / "memory_fs.json"
    await in_thread(source.write_text, json.dumps(record), "utf-8")
    [told] = await command(app, private(f"/memoryfs import {source}", user_id=user_id))
    assert "已有 0" in told
    assert "确认" in told
    assert "舞狮" not in "".join(await command(app, private("/记忆 查看", user_id=615)))
    [told] = await give(app, private("确认", user_id=user_id))
    assert told.startswith("导入好了。")
    assert "舞狮" in "".join(await command(app, private("/记忆 查看", user_id=615)))
    [told] = await command(app, private(f"/memoryfs import {source}", user_id=user_id))
    assert "没有新的" in told
    [told] = await command(app, private(f"/memoryfs import {source} 处处可见", user_id=user_id))
    assert "处处可见的条目 1" in told
    await give(app, private("确认", user_id=user_id))
    assert "舞狮" in "".join(await command(app, group("/记忆 查看", group_id=72, user_id=615)))
    [told] = await command(app, private(f"/memoryfs import {tmp_path / 'none'}", user_id=user_id))
    assert told == f"没有做：没有 {tmp_path / 'none'} 这个文件或目录"
    [told] = await command(app, private("/memoryfs import memory.db", user_id=user_id))
    assert "要写是谁的" in told


def test_r7_3_every_action_says_who_may_and_how(app: App) -> None:
    for command_ in COMMANDS:
        for action in command_.actions:
            assert action.help
            assert action.may.who
            assert not action.example or action.takes
