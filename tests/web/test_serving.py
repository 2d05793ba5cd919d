"""R7.5: served on NoneBot's FastAPI driver; with any other the bot runs without it and says so."""

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import nonebot
import pytest
from fastapi import FastAPI

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.bot.plugin import running

from ..conftest import Clock
from .conftest import TOKEN, URL, Page, open_app

FAKE_DRIVER = """
from nonebot.drivers import ASGIMixin
from nonebot.drivers.none import Driver as NoneDriver

class Driver(NoneDriver, ASGIMixin):
    type = "fake"
    server_app = None

    @property
    def asgi(self):
        raise RuntimeError("this driver serves nothing")

    def setup_http_server(self, setup):
        raise RuntimeError("this driver serves nothing")

    setup_websocket_server = setup_http_server
"""

START_AND_STOP = """
import asyncio, sys
import nonebot
nonebot.init(driver=sys.argv[1], localstore_use_cwd=True)
assert nonebot.load_plugin("nonebot_plugin_memoryfs") is not None
from nonebot_plugin_memoryfs.bot.plugin import running

async def main():
    await running.start()
    assert running.chat is not None
    await running.stop()

asyncio.run(main())
assert "fastapi" not in sys.modules
"""


@pytest.fixture
async def started() -> AsyncIterator[FastAPI]:
    """NoneBot's own server, with the plugin started on it."""
    await running.start()
    yield nonebot.get_app()
    await running.stop()


def routes_of(server: FastAPI) -> list[str]:
    return [path for path in server.openapi()["paths"] if path.startswith("/api/")]


async def test_r7_05_the_routes_are_on_nonebots_own_server(started: FastAPI) -> None:
    assert running.app is not None
    page = Page(started, running.app)
    assert (await page.get(headers={})).status_code == 401
    token = (page.memory.directory / "web_token").read_text("utf-8").strip()  # type: ignore[operator]
    headers = {"Authorization": f"Bearer {token}"}
    assert (await page.get(headers=headers)).status_code == 200


async def test_r7_05_starting_again_adds_no_routes(page: Page, tmp_path: Path, clock: Clock) -> None:
    assert URL in routes_of(page.server)
    before = len(page.server.routes)
    await page.write("characters/neko/general.md", content="x")
    for round in range(2):
        web.withdraw(page.server)
        other = await open_app(tmp_path / f"other{round}", clock, web_token=TOKEN)
        assert await web.serve(page.server, other)
        assert (await page.get()).json()["total"] == 0
        await other.close()
    assert len(page.server.routes) == before
    await web.serve(page.server, page.app)
    assert (await page.get()).json()["total"] == 1


async def test_r7_05_a_closed_app_is_503(page: Page) -> None:
    web.withdraw(page.server)
    answer = await page.get()
    assert answer.status_code == 503
    assert answer.json() == {"detail": "记忆插件没有在运行"}
    assert answer.headers["cache-control"] == "no-store"


async def test_r7_05_what_is_no_fastapi_server_is_left_alone(page: Page) -> None:
    for server in (None, object(), print):
        assert await web.serve(server, page.app) is False
        web.withdraw(server)


@pytest.mark.parametrize("driver", ["~none", "fake_driver"])
def test_r7_05_with_another_driver_the_bot_runs_without_it_and_says_so(tmp_path: Path, driver: str) -> None:
    (tmp_path / "fake_driver.py").write_text(FAKE_DRIVER, "utf-8")
    (tmp_path / "main.py").write_text(START_AND_STOP, "utf-8")
    ended = subprocess.run(
        [sys.executable, "main.py", driver], cwd=tmp_path, capture_output=True, text=True, timeout=90
    )
    log = ended.stdout + ended.stderr
    assert ended.returncode == 0, log
    [line] = [line for line in log.splitlines() if "网页接口" in line]
    assert "INFO" in line
    assert "FastAPI" in line
    assert "ERROR" not in log


def test_r7_05_importing_the_edge_imports_no_fastapi(tmp_path: Path) -> None:
    code = "import sys, nonebot_plugin_memoryfs.web; assert not {'fastapi', 'nonebot'} & set(sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=90
    )
    assert ended.returncode == 0, ended.stderr
