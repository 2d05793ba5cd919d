"""R6.3, R7.1, R7.11: starting, stopping, restarting, refusing; hand-edited and damaged files."""

import asyncio
import json
import os
import subprocess
import sys

import pytest
from sqlalchemy import select

from nonebot_plugin_memoryfs.storage.store import open_beside
from nonebot_plugin_memoryfs.storage.tables import traces

from ..sim.onebot import HandshakeRefused, text
from ..sim.process import BotDied
from .conftest import ROOT, Site


async def test_r7_10_start_names_data_and_address(site: Site) -> None:
    async with site.process() as bot:
        await bot.wait_log(rf"ws://127\.0\.0\.1:{site.port}/onebot/v11/ws")
        await bot.wait_log(r"离线模型")
        await bot.terminate()
        assert "ERROR" not in bot.log()


async def test_r7_11_memory_survives_a_restart(site: Site) -> None:
    async with site.talking() as client:
        await client.private(101, "我喜欢摇滚，最近在做一个 NoneBot 插件")
        assert "摇滚" in (await client.next_reply()).text
    async with site.talking() as client:
        await client.private(101, "我喜欢什么？")
        assert "摇滚" in (await client.next_reply()).text


async def test_r6_13_memory_survives_a_kill(site: Site) -> None:
    async with site.process() as bot, site.client() as client:
        await client.private(101, "我喜欢摇滚")
        await client.next_reply()
        bot.kill()
    async with site.talking() as client:
        await client.private(101, "我喜欢什么？")
        assert "摇滚" in (await client.next_reply()).text


async def test_r7_11_wrong_token_is_refused_and_reconnect_works(site: Site) -> None:
    async with site.process() as bot:
        for token in ("wrong", None):
            with pytest.raises(HandshakeRefused) as refused:
                await site.client(token=token).connect()
            assert refused.value.status == 403
        client = site.client()
        for _ in range(2):
            async with client:
                await client.heartbeat()
                await client.private(101, [text("小忆在吗")])
                assert (await client.next_reply()).text
        await bot.terminate()


async def test_r6_03_a_second_bot_on_the_directory_is_refused(site: Site) -> None:
    async with site.process() as bot:
        other = Site(site.directory)
        other.settings["PORT"] = str(other.port)
        with pytest.raises(BotDied) as died:
            async with other.process():
                pass
        assert str(site.data) in str(died.value)
        assert str(bot.process.pid) in str(died.value)
        await bot.terminate()


def _run_once(site: Site) -> "subprocess.CompletedProcess[str]":
    site.process()
    return subprocess.run(
        [sys.executable, str(ROOT / "bot.py")],
        cwd=site.directory,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )


def test_r6_03_an_unusable_data_directory_ends_the_bot_with_1(site: Site) -> None:
    site.data.parent.mkdir(parents=True)
    site.data.write_text("not a directory")
    ended = _run_once(site)
    assert ended.returncode == 1
    assert "插件没有加载" in ended.stdout + ended.stderr
    assert str(site.data) in ended.stdout + ended.stderr


@pytest.mark.parametrize("written", ["{temperature: 0.5}", "{'api_key': 'sk-hunter2-0123456789'}", "hot"])
def test_r7_01_what_should_be_json_and_is_none_is_named(site: Site, written: str) -> None:
    site.settings["MEMORYFS__MODEL_SETTINGS"] = written
    ended = _run_once(site)
    assert ended.returncode == 1
    log = ended.stdout + ended.stderr
    [line] = [line for line in log.splitlines() if "插件没有加载" in line]
    assert "MEMORYFS__MODEL_SETTINGS" in line
    assert '应为 JSON 对象，如 {"temperature": 0.8, "timeout": 40}' in line
    assert "hunter2" not in log


def test_r7_01_a_wrong_setting_is_one_line_with_name_value_and_what_is_allowed(site: Site) -> None:
    site.settings["MEMORYFS__QUEUE"] = "lots"
    ended = _run_once(site)
    assert ended.returncode == 1
    [line] = [line for line in (ended.stdout + ended.stderr).splitlines() if "插件没有加载" in line]
    for word in ("ERROR", "MEMORYFS__QUEUE", "lots", "1 到 1000"):
        assert word in line


async def test_r7_01_an_unknown_setting_is_warned_about_with_the_nearest(site: Site) -> None:
    site.settings["MEMORYFS__TIMEZON"] = "Asia/Tokyo"
    async with site.process() as bot:
        await bot.wait_log(r"WARNING.*MEMORYFS__TIMEZON .*MEMORYFS__TIMEZONE")
        await bot.terminate()


async def test_r6_02_a_hand_edit_of_prompts_and_memory_is_used_while_running(site: Site) -> None:
    async with site.talking() as client:
        await client.private(101, "你好")
        await client.next_reply()
        memory = {
            "characters/neko/users/101/user_persona.md": {
                "content": "[2026-07-01 10:00] [conv:qq_private_101] [by:101] 他的生肖属相是一匹白马",
            }
        }
        (site.data / "memory_fs.json").write_text(json.dumps(memory, ensure_ascii=False), "utf-8")
        await client.private(101, "我的生肖属相是啥？")
        assert "白马" in (await client.next_reply()).text


def _prompt_of(site: Site, turn: int) -> str:
    database = open_beside(site.data, None)
    try:
        with database.read() as connection:
            found = connection.scalar(select(traces.c.prompt).where(traces.c.turn_id == turn))
    finally:
        database.close()
    assert found is not None
    return found


async def test_r3_02_a_hand_edit_of_prompts_json_counts_from_the_next_message_on(site: Site) -> None:
    async with site.talking() as client:
        await client.private(101, "你好")
        await client.next_reply()
        file = site.data / "prompts.json"
        prompts = json.loads(file.read_text("utf-8"))
        prompts["user"]["101"] = "你是一位老船长，说话带海风味。"
        file.write_text(json.dumps(prompts, ensure_ascii=False), "utf-8")
        for _ in range(2):  # when the second is answered, the first is recorded
            await client.private(101, "在吗")
            await client.next_reply()
        assert "老船长" not in await asyncio.to_thread(_prompt_of, site, 1)
        assert "## 设定\n你是一位老船长，说话带海风味。" in await asyncio.to_thread(_prompt_of, site, 2)
    assert "老船长" in file.read_text("utf-8")


async def test_r3_04_a_hand_edit_of_memories_json_counts_from_the_next_message_on(site: Site) -> None:
    async with site.talking() as client:
        await client.private(101, "我的生肖属相是啥？")
        assert "白马" not in (await client.next_reply()).text
        file = site.data / "memories.json"
        notes = json.loads(file.read_text("utf-8"))
        notes.append({"title": "生肖", "content": "他的生肖属相是一匹白马", "target_id": "user_101"})
        file.write_text(json.dumps(notes, ensure_ascii=False), "utf-8")
        await client.private(102, "我的生肖属相是啥？")
        assert "白马" not in (await client.next_reply(to=102)).text
        await client.private(101, "我的生肖属相是啥？")
        assert "白马" in (await client.next_reply(to=101)).text
        [note] = json.loads(file.read_text("utf-8"))
        note["content"] = "他的生肖属相是一条青龙"
        file.write_text(json.dumps([note], ensure_ascii=False), "utf-8")
        await client.private(101, "我的生肖属相是啥？")
        assert "青龙" in (await client.next_reply(to=101)).text
    [note] = json.loads(file.read_text("utf-8"))
    assert note["id"].startswith("mem_")
    assert note["summary"] == note["content"] == "他的生肖属相是一条青龙"


@pytest.mark.parametrize("name", ["memory_fs.json", "prompts.json", "memories.json"])
async def test_r6_02_a_damaged_file_is_set_aside_and_said_so(site: Site, name: str) -> None:
    site.data.mkdir(parents=True)
    (site.data / name).write_text('{"characters/neko/users/1/user_pers', "utf-8")
    async with site.process() as bot:
        await bot.wait_log(rf"{name} 无法读取")
        async with site.client() as client:
            await client.private(101, "我喜欢摇滚")
            assert "摇滚" in (await client.next_reply()).text
        await bot.terminate()
    [aside] = site.data.glob(f"{name}.unreadable-*")
    assert aside.read_text("utf-8").startswith('{"characters')
    assert json.loads((site.data / name).read_text("utf-8")) is not None
