"""R7.6, R7.7: the page is files of the package, with a CSP that lets nothing inline or foreign in."""

import re
from importlib.resources import files

import pytest

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.web.page import load

from .conftest import Page

MARKUP = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|\son\w+=\""


async def test_r7_06_the_page_and_each_of_its_files_is_served(page: Page) -> None:
    for name, (content, media_type, tag) in load().items():
        answer = await page.ask("GET", web.PAGE + name, headers={})
        assert (answer.status_code, answer.content) == (200, content), name
        assert (answer.headers["content-type"], answer.headers["etag"]) == (media_type, tag)
        again = await page.ask("GET", web.PAGE + name, headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
    assert (await page.ask("GET", web.PAGE, headers={})).content == load()["index.html"][0]
    moved = await page.ask("GET", web.PAGE.rstrip("/"), headers={})
    assert (moved.status_code, moved.headers["location"]) == (307, web.PAGE)


@pytest.mark.parametrize("name", ["nothing.js", "../page.py", "%2e%2e/page.py", "js", "js/", "__init__.py"])
async def test_r7_07_nothing_but_the_page_is_served(page: Page, name: str) -> None:
    assert (await page.ask("GET", web.PAGE + name, headers={})).status_code == 404


async def test_r7_07_the_csp_lets_nothing_inline_or_foreign_in(page: Page) -> None:
    headers = (await page.ask("GET", web.PAGE, headers={})).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert not any(word in headers["content-security-policy"] for word in ("unsafe", "http", "*", "data:"))
    assert headers["x-content-type-options"] == "nosniff"
    assert not [name for name in headers if name.startswith("access-control-") or name == "set-cookie"]


async def test_r7_07_the_page_is_for_this_machine_alone(page: Page) -> None:
    for name in ("", "js/main.js"):
        assert (await page.ask("GET", web.PAGE + name, client=("10.0.0.7", 1))).status_code == 403


def test_r7_07_no_script_takes_markup_and_nothing_comes_from_elsewhere() -> None:
    for name, (content, _, _) in load().items():
        text = content.decode()
        if name != "icon.svg":
            assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), name
        if name.endswith((".js", ".html")):
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|\son\w+=\"", text
            ), name


def test_r7_06_every_module_of_the_page_is_used() -> None:
    scripts = {
        name.removeprefix("js/"): content.decode()
        for name, (content, _, _) in load().items()
        if name.endswith(".js")
    }
    imported = {match for text in scripts.values() for match in re.findall(r'from "\./(\w+\.js)"', text)}
    assert imported | {"main.js"} == set(scripts)
    sheets = {name for name in load() if name.endswith(".css")}
    assert sheets == set(re.findall(r'href="(css/\w+\.css)"', load()["index.html"][0].decode()))


def test_r7_06_the_page_lies_in_the_package() -> None:
    assert (files("nonebot_plugin_memoryfs.web") / "page" / "index.html").is_file()
