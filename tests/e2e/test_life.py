"""R5.3, R5.8: `/心跳` on a running bot: the fragment stands in the file, and nobody is told but who asked."""

import asyncio
import json

from .conftest import Site


async def test_r5_8_a_group_admin_switches_the_heartbeat_on_and_beats_at_once(site: Site) -> None:
    async with site.process() as bot:
        async with site.client() as client:
            await client.group(301, 201, "/心跳 开", role="member")
            assert "才能用" in (await client.next_reply(to=301)).text
            await client.group(301, 202, "/心跳 开", role="admin")
            assert (await client.next_reply(to=301)).text.startswith("心跳开了")
            await client.group(301, 202, "/心跳 立即", role="admin")
            told = (await client.next_reply(to=301)).text
            assert told.startswith("记下了：")
            fragment = told.removeprefix("记下了：")
            await client.silence(0.7)
            assert sum(call.action.startswith("send") for call in client.calls) == 3
        await bot.terminate()
        assert "ERROR" not in bot.log()
    written = await asyncio.to_thread((site.data / "memory_fs.json").read_text, "utf-8")
    content = json.loads(written)["characters/neko/life_sim/qq_group_301.md"]["content"]
    assert content.startswith("[20")
    assert content.endswith(f"] {fragment}")
