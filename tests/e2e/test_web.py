"""R7.5, R7.7: the web API of a running `bot.py`, over real HTTP."""

import asyncio
import json
import stat
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlencode

from .conftest import Site

PATH = "characters/neko/users/101/user_persona.md"
WEB_TOKEN = "web-token-of-the-settings"


def _get(site: Site, token: str | None, params: dict[str, str]) -> tuple[int, Any]:
    url = f"http://127.0.0.1:{site.port}/api/review/memory-fs?{urlencode(params)}"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


async def get(site: Site, token: str | None = WEB_TOKEN, **params: str) -> tuple[int, Any]:
    return await asyncio.to_thread(_get, site, token, params)


async def test_r7_05_a_file_written_by_hand_is_listed_and_read(site: Site) -> None:
    site.settings["MEMORYFS__WEB_TOKEN"] = WEB_TOKEN
    async with site.process() as bot:
        await bot.wait_log(rf"http://127\.0\.0\.1:{site.port}/api/review/memory-fs")
        assert await get(site) == (200, {"files": [], "total": 0})
        memory = {PATH: {"content": "喜欢白马", "importance": 0.8}}
        (site.data / "memory_fs.json").write_text(json.dumps(memory, ensure_ascii=False), "utf-8")

        status, answer = await get(site)
        assert (status, answer["total"]) == (200, 1)
        [file] = answer["files"]
        assert (file["path"], file["content"], file["importance"]) == (PATH, "喜欢白马", 0.8)
        assert (file["category"], file["category_label"]) == ("user_persona", "用户人格")
        assert await get(site, path=PATH) == (200, file)
        assert (await get(site, character_id="other"))[1]["total"] == 0

        assert (await get(site, path="characters/neko/general.md"))[0] == 404
        status, refusal = await get(site, path="../../etc/passwd")
        assert (status, list(refusal)) == (400, ["detail"])
        for token in ("wrong", None):
            assert (await get(site, token))[0] == 401
        await bot.terminate()
        assert WEB_TOKEN not in bot.log()
        assert "ERROR" not in bot.log()


async def test_r7_07_a_made_token_is_private_unlogged_and_lasts(site: Site) -> None:
    tokens: list[str] = []
    for _ in range(2):
        async with site.process() as bot:
            await bot.wait_log(r"网页的访问令牌在 .*web_token")
            await bot.wait_log(r"网页接口在 http://")
            path = site.data / "web_token"
            tokens.append(path.read_text("utf-8").strip())
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert (await get(site, tokens[0]))[0] == 200
            await bot.terminate()
            assert tokens[0] not in bot.log()
    assert tokens[0] == tokens[1]


async def test_r7_07_a_token_that_cant_be_kept_costs_the_web_only(site: Site) -> None:
    (site.data / "web_token").mkdir(parents=True)
    async with site.process() as bot, site.client() as client:
        await bot.wait_log(r"ERROR.*网页接口没有开.*web_token")
        await client.private(101, "我喜欢摇滚")
        assert "摇滚" in (await client.next_reply()).text
        assert (await get(site))[0] == 404
        await bot.terminate()
