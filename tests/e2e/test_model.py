"""R7.11, R4.6, R2.12, R2.13: `bot.py` between a model service and a OneBot client, on real sockets."""

from collections.abc import AsyncIterator

import pytest

from nonebot_plugin_memoryfs.turn.workflow import NOTICE

from ..sim.endpoint import Endpoint, calls, refuses, says
from .conftest import Site

KEY = "sk-hunter2-0123456789"
COMMIT = ("memory_commit", {"triplets": [{"subject": "用户", "relation": "喜欢", "object": "摇滚"}]})
RECALL = ("memory_recall", {"query_intent": "用户,喜欢"})
SUMMARY = "调用了 memory_commit 和 memory_recall，共 2 次：记下了用户喜欢摇滚，也查过用户别的喜好，没有更多。"


@pytest.fixture
async def service(site: Site) -> AsyncIterator[Endpoint]:
    """A model service, and the settings that point the bot at it."""
    async with Endpoint() as service:
        site.settings |= {
            "MEMORYFS__BASE_URL": f"http://{service.host}",
            "MEMORYFS__API_KEY": KEY,
            "MEMORYFS__MODEL": "neko-1",
            "MEMORYFS__MODEL_SETTINGS": '{"temperature": 0.5}',
        }
        yield service


async def test_r7_11_a_429_parallel_tools_a_rewrite_and_a_clean_reply(site: Site, service: Endpoint) -> None:
    service.answer(
        refuses(429, Retry_After="1"),
        calls(COMMIT, RECALL),
        calls(("context_rewrite", {"summary": SUMMARY})),
        says("<think>该怎么说呢</think>\n## 想起的事\n**记住啦**，你喜欢摇滚！<|im_end|>"),
        says("摇滚呀"),
    )
    async with site.process() as bot, site.client() as client:
        await bot.wait_log("现在用的模型：neko-1", timeout=60)
        await client.private(101, "我喜欢摇滚")
        assert (await client.next_reply()).text == "记住啦，你喜欢摇滚！"
        refused, first, second, third = service.asked
        assert refused.body == first.body
        assert first.body["temperature"] == 0.5
        assert first.roles == ["system", "user"]
        assert second.roles == ["system", "user", "assistant", "tool", "tool"]
        assert third.messages == [*first.messages, {"role": "user", "content": SUMMARY}]
        await client.private(101, "我喜欢什么？")
        assert (await client.next_reply()).text == "摇滚呀"
        assert "摇滚" in service.asked[-1].messages[0]["content"]
        assert service.asked[-1].roles == ["system", "user"]
        await bot.terminate()
        assert "ERROR" not in bot.log()
        assert "没有给出回答" not in bot.log()
        assert KEY not in bot.log()


async def test_r4_06_a_wrong_key_is_one_notice_one_line_a_turn_and_nothing_lost(
    site: Site, service: Endpoint
) -> None:
    things = ["摇滚", "爵士", "民谣", "说唱"]
    service.answer(refuses(401, f"Incorrect API key provided: {KEY}"))
    async with site.process() as bot, site.client() as client:
        await bot.wait_log("现在用的模型", timeout=60)
        for number, thing in enumerate(things, 1):
            await client.private(101, f"我喜欢{thing}")
            await bot.wait_log(rf"(?s)(WARNING.*没有给出回答：密钥不对.*){{{number}}}")
        assert (await client.next_reply()).text == NOTICE
        await client.silence(0.3)
        assert len(service.asked) == len(things)
        service.answer(says("都记得"))
        await client.private(101, "我喜欢什么？")
        assert (await client.next_reply()).text == "都记得"
        system = service.asked[-1].messages[0]["content"]
        assert [thing for thing in things if f"喜欢 {thing}" in system] == things
        await bot.terminate()
        assert "MEMORYFS__API_KEY" in bot.log()
        assert "Traceback" not in bot.log()
        assert KEY not in bot.log()
    stored = b"".join(file.read_bytes() for file in site.data.iterdir() if file.is_file())
    assert KEY.encode() not in stored
