"""R7.7: who is let in, and how the token is kept."""

import logging
import os
import stat
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.errors import DirectoryNotWritable
from nonebot_plugin_memoryfs.web.access import (
    TOKEN_FILE,
    Access,
    is_loopback,
    names_this_machine,
    provide_token,
)

from ..conftest import Clock
from .conftest import RIGHT, TOKEN, URL, Page, open_app

# ---- the client


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("0:0:0:0:0:0:0:1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:7f00:1", True),
        ("::ffff:10.0.0.1", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("fe80::1", False),
        ("2001:db8::1", False),
        ("localhost", False),
        ("127.0.0.1.example.com", False),
        ("127.1", False),
        ("", False),
        (None, False),
    ],
)
def test_r7_07_loopback(host: str | None, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize("client", [("10.0.0.7", 1), ("::ffff:10.0.0.7", 1), ("testclient", 1), None])
async def test_r7_07_only_loopback_is_served(page: Page, client: tuple[str, int] | None) -> None:
    for headers in (RIGHT, {}):
        refused = await page.get(client=client, headers=headers)
        assert refused.status_code == 403
        assert "MEMORYFS__WEB_PUBLIC" in refused.json()["detail"]
        assert "www-authenticate" not in refused.headers


@pytest.mark.parametrize("client", [("127.0.0.1", 1), ("::1", 1), ("::ffff:127.0.0.1", 1)])
async def test_r7_07_loopback_is_served(page: Page, client: tuple[str, int]) -> None:
    assert (await page.get(client=client)).status_code == 200


async def test_r7_07_a_forwarding_header_makes_nobody_local(page: Page) -> None:
    headers = {**RIGHT, "X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1", "Host": "127.0.0.1"}
    assert (await page.get(client=("10.0.0.7", 1), headers=headers)).status_code == 403


def test_r7_07_web_public_serves_others_who_know_the_token() -> None:
    access = Access(TOKEN, public=True)
    assert access.serves("10.0.0.7")
    assert access.serves(None)
    assert not access.accepts(b"Bearer wrong")


async def test_r7_07_web_public_is_read_from_the_settings(page: Page, tmp_path: Path, clock: Clock) -> None:
    app = await open_app(tmp_path / "public", clock, web_token=TOKEN, web_public=True)
    await web.serve(page.server, app)
    assert (await page.get(client=("10.0.0.7", 1))).status_code == 200
    assert (await page.get(client=("10.0.0.7", 1), headers={})).status_code == 401
    await app.close()


# ---- the host it asks for


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:8080", True),
        ("[::1]:8080", True),
        ("localhost", True),
        ("LOCALHOST:8080", True),
        ("bot.localhost:8080", True),
        ("evil.example", False),
        ("evil.example:8080", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("notlocalhost", False),
        ("127.0.0.1@evil.example", False),
        ("evil.example#127.0.0.1", False),
        ("10.0.0.7:8080", False),
        ("[::1", False),
        ("[evil]:1", False),
        ("", False),
    ],
)
def test_r7_07_hosts_only_this_machine_has(host: str, expected: bool) -> None:
    assert names_this_machine(host) is expected


async def test_r7_07_a_page_of_elsewhere_bent_to_this_machine_is_refused(page: Page) -> None:
    """DNS rebinding: the client is local, the name it asks for is not."""
    for url in (URL, f"{web.API}/status", web.PAGE, f"{web.PAGE}js/main.js"):
        for host in ("evil.example:8080", "127.0.0.1.evil.example"):
            refused = await page.get(url, headers={**RIGHT, "Host": host})
            assert (refused.status_code, "localhost" in refused.json()["detail"]) == (403, True), url
    code = web.new_code(page.server)
    signing_in = {"json": {"code": code}, "headers": {"Host": "evil.example"}}
    assert (await page.ask("POST", f"{web.API}/sign-in", **signing_in)).status_code == 403
    assert (await page.ask("POST", f"{web.API}/sign-in", json={"code": code})).status_code == 200


def test_r7_07_of_two_hosts_both_must_be_this_machine() -> None:
    assert not Access(TOKEN).serves("127.0.0.1", ["127.0.0.1", "evil.example"])
    assert Access(TOKEN).serves("127.0.0.1", ["127.0.0.1"])
    assert Access(TOKEN, public=True).serves("10.0.0.7", ["evil.example"])


# ---- the token


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": TOKEN},
        {"Authorization": f"Token {TOKEN}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Bearer {TOKEN.upper()}"},
        {b"Authorization": "Bearer 令牌".encode()},
        {b"Authorization": b"Bearer \xff\xfe"},
        {"Cookie": f"token={TOKEN}; Authorization=Bearer {TOKEN}"},
        {"X-Token": TOKEN},
    ],
)
async def test_r7_07_without_the_token_401(page: Page, headers: dict[str, str]) -> None:
    refused = await page.get(headers=headers)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert "Bearer" in refused.json()["detail"]
    assert TOKEN not in refused.text


async def test_r7_07_the_token_is_not_taken_from_the_address(page: Page) -> None:
    assert (await page.get(headers={}, token=TOKEN, access_token=TOKEN)).status_code == 401


async def test_r7_07_who_is_not_let_in_learns_nothing_of_files_or_parameters(page: Page) -> None:
    for params in ({"path": "nonsense"}, {"limit": "abc"}, {"path": "characters/neko/general.md"}):
        assert (await page.get(headers={}, **params)).status_code == 401


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_r7_07_the_scheme_may_be_in_any_case(scheme: str) -> None:
    assert Access("令牌").accepts(f"{scheme} 令牌".encode())


def test_r7_07_the_token_is_in_no_text_about_it() -> None:
    assert TOKEN not in repr(Access(TOKEN))


async def test_r7_07_no_cookie_no_cors(page: Page) -> None:
    origin = {"Origin": "http://evil.example", "Access-Control-Request-Method": "GET"}
    for method in ("GET", "OPTIONS"):
        answer = await page.get(method=method, headers={**RIGHT, **origin})
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "set-cookie" not in answer.headers


async def test_r7_07_every_answer_carries_the_safe_headers(page: Page) -> None:
    answers = [
        await page.get(),
        await page.get(path="characters/neko/general.md"),
        await page.get(path="nonsense"),
        await page.get(limit="abc"),
        await page.get(headers={}),
        await page.get(client=None),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 400, 422, 401, 403]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-type"] == "application/json"


# ---- keeping it


def test_r7_07_a_token_is_made_kept_private_and_used_again(tmp_path: Path) -> None:
    token = provide_token("", tmp_path)
    assert len(token) >= 40
    assert token.isascii()
    assert (tmp_path / TOKEN_FILE).read_text("utf-8").strip() == token
    assert provide_token(" ", tmp_path) == token
    assert [path.name for path in tmp_path.iterdir()] == [TOKEN_FILE]
    (tmp_path / TOKEN_FILE).unlink()
    assert provide_token("", tmp_path) != token


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_r6_07_the_token_file_is_private_even_if_it_was_not(tmp_path: Path) -> None:
    path = tmp_path / TOKEN_FILE
    provide_token("", tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    provide_token("", tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_r7_07_an_empty_token_file_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / TOKEN_FILE).write_text(" \n", "utf-8")
    assert len(provide_token("", tmp_path)) >= 40


def test_r7_07_a_chosen_token_is_not_written_down(tmp_path: Path) -> None:
    assert provide_token(" mine ", tmp_path) == "mine"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("unreadable", [b"\xff\xfe", None])
def test_r7_07_an_unreadable_token_file_is_named(tmp_path: Path, unreadable: bytes | None) -> None:
    path = tmp_path / TOKEN_FILE
    if unreadable is None:
        path.mkdir()
    else:
        path.write_bytes(unreadable)
    with pytest.raises(DirectoryNotWritable, match=TOKEN_FILE):
        provide_token("", tmp_path)


def test_r7_07_the_token_is_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("nonebot_plugin_memoryfs").propagate = True
    try:
        with caplog.at_level(logging.DEBUG):
            token = provide_token("", tmp_path)
    finally:
        logging.getLogger("nonebot_plugin_memoryfs").propagate = False
    assert TOKEN_FILE in caplog.text
    assert token not in caplog.text


async def test_r7_07_a_made_token_opens_the_page_after_a_restart(
    page: Page, tmp_path: Path, clock: Clock
) -> None:
    tokens: list[str] = []
    for _ in range(2):
        app = await open_app(tmp_path / "made", clock)
        await web.serve(page.server, app)
        tokens.append((tmp_path / "made" / TOKEN_FILE).read_text("utf-8").strip())
        assert (await page.get(URL, headers={"Authorization": f"Bearer {tokens[0]}"})).status_code == 200
        assert (await page.get(URL)).status_code == 401
        await app.close()
    assert tokens[0] == tokens[1]
