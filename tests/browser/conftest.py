"""A running `bot.py` and a browser at its page."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from selenium.webdriver import Chrome

from ..e2e.conftest import Site
from ..sim.process import BotProcess
from .chromium import chromium, missing
from .page import CODE, WebPage

T = TypeVar("T")
DESK, PHONE = (1280, 860), (390, 844)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for all tests; what a page keeps belongs to the port of its bot."""
    if absent := missing():
        pytest.skip(f"{absent} is not installed")
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
async def bot(browser: Chrome, site: Site) -> AsyncIterator[BotProcess]:
    async with site.process() as running:
        yield running
        await running.terminate()


@pytest.fixture
async def code(bot: BotProcess) -> str:
    return (await bot.wait_log(CODE))[1]


class Person:
    """Lets a person's doings, which wait for the page, run off the event loop."""

    def __init__(self, page: WebPage) -> None:
        self.page = page
        self._thread = ThreadPoolExecutor(1)

    async def does(self, work: Callable[[WebPage], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, self.page)


@pytest.fixture
async def person(browser: Chrome, site: Site, bot: BotProcess) -> AsyncIterator[Person]:
    person = Person(WebPage(browser, site.port))
    await person.does(lambda page: page.forget_complaints())
    yield person
    await person.does(lambda page: browser.get("about:blank"))
