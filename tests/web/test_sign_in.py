"""R7.7: signing in by a one-time code; no cookie, no CORS; bodies and tries have limits."""

import pytest

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.web.codes import Codes, TooManyTries

from ..conftest import Clock
from .conftest import TOKEN, Page

API = web.API


@pytest.fixture
def codes(clock: Clock) -> Codes:
    return Codes(clock)


def test_r7_07_a_code_is_good_once(codes: Codes) -> None:
    code = codes.new()
    assert codes.use(code)
    assert not codes.use(code)


def test_r7_07_a_code_is_taken_however_it_is_typed(codes: Codes) -> None:
    assert codes.use(f"  {codes.new().lower().replace('-', ' ')} ")


def test_r7_07_a_code_lasts_ten_minutes(codes: Codes, clock: Clock) -> None:
    early, late = codes.new(), codes.new()
    clock.advance(minutes=9, seconds=59)
    assert codes.use(early)
    clock.advance(seconds=1)
    assert not codes.use(late)


@pytest.mark.parametrize("given", ["", "-", "ABCD-EFGH", "登录码", "😀" * 8, "\x00" * 8])
def test_r7_07_anything_else_is_no_code(codes: Codes, given: str) -> None:
    codes.new()
    assert not codes.use(given)


def test_r7_07_codes_differ_and_only_the_newest_few_are_good(codes: Codes) -> None:
    made = [codes.new() for _ in range(6)]
    assert len(set(made)) == 6
    assert not codes.use(made[0])
    assert all(codes.use(code) for code in made[1:])


def test_r7_07_guessing_is_slow_and_costs_nobody_their_code(codes: Codes, clock: Clock) -> None:
    code = codes.new()
    for _ in range(10):
        assert not codes.use("WRNG-WRNG")
    with pytest.raises(TooManyTries):
        codes.use(code)
    clock.advance(minutes=1)
    assert codes.use(code)


async def test_r7_07_a_code_gives_the_token_and_nothing_else(page: Page) -> None:
    code = web.new_code(page.server)
    answer = await page.ask("POST", f"{API}/sign-in", json={"code": code}, headers={})
    assert (answer.status_code, answer.json()) == (200, {"token": TOKEN})
    assert "set-cookie" not in answer.headers
    again = await page.ask("POST", f"{API}/sign-in", json={"code": code}, headers={})
    assert (again.status_code, list(again.json())) == (401, ["detail"])


async def test_r7_07_too_many_tries_are_429(page: Page) -> None:
    for _ in range(10):
        assert (await page.ask("POST", f"{API}/sign-in", json={"code": "x"}, headers={})).status_code == 401
    assert (await page.ask("POST", f"{API}/sign-in", json={"code": "x"}, headers={})).status_code == 429


async def test_r7_07_signing_in_is_for_this_machine_too(page: Page) -> None:
    code = web.new_code(page.server)
    far = await page.ask("POST", f"{API}/sign-in", json={"code": code}, client=("10.0.0.7", 1))
    assert far.status_code == 403


async def test_r7_07_where_nothing_is_served_there_is_no_code(page: Page) -> None:
    assert web.new_code(object()) is None
    web.withdraw(page.server)
    assert web.new_code(page.server) is None


@pytest.mark.parametrize("announced", [True, False])
async def test_r7_07_a_body_has_a_limit_whatever_it_announces(page: Page, announced: bool) -> None:
    async def body() -> object:
        for _ in range(100):
            yield b" " * 1000

    content = b" " * 100_000 if announced else body()
    answer = await page.ask("POST", f"{API}/chat", content=content)
    assert (answer.status_code, "64 KB" in answer.json()["detail"]) == (413, True)


async def test_r7_07_every_route_but_signing_in_and_the_page_needs_the_token(page: Page) -> None:
    paths = (await page.ask("GET", f"{API}/openapi.json")).json()["paths"]
    assert len(paths) > 15
    for path, operations in paths.items():
        for method in operations:
            status = (await page.ask(method.upper(), path, headers={})).status_code
            assert status == (422 if path.endswith("/sign-in") else 401), (method, path)


async def test_r4_14_the_status_says_that_the_model_is_offline(page: Page) -> None:
    status = (await page.ask("GET", f"{API}/status")).json()
    assert (status["offline"], status["character_id"]) == (True, "neko")
    assert "离线" in status["model"]
