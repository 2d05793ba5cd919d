"""R7.6–R7.8: the page in a real browser, against a running `bot.py`."""

import json

from selenium.webdriver.common.keys import Keys

from ..e2e.conftest import Site
from ..sim.process import BotProcess
from .chromium import show_as
from .conftest import DESK, PHONE, Person
from .page import WebPage

ME = "characters/neko/users/web_admin/"
FACTS = f"#/memory/files?path={ME}%23facts"
PERSONA = f"{ME}user_persona.md"


async def test_r7_08_from_signing_in_to_a_corrected_and_an_erased_memory(person: Person, code: str) -> None:
    def wrong_then_right(page: WebPage) -> None:
        page.open()
        page.find("#code").send_keys("ABCD-2345", Keys.ENTER)
        page.find(".problem", "登录码不对")
        page.find("#code").send_keys(code, Keys.ENTER)
        page.click(".example", "我喜欢摇滚，最近在学吉他")
        page.find(".reply .words", "摇滚")

    def chats(page: WebPage) -> None:
        assert "摇滚" in page.say("我喜欢什么音乐？")
        page.click(".kept", "喜欢 摇滚")

    def corrects(page: WebPage) -> None:
        page.find('.tree [aria-selected="true"]', "事实")
        page.find(".item", "吉他")
        page.click('[aria-label="更正：管理员 喜欢 摇滚"]')
        field = page.find(".editor textarea")
        field.clear()
        field.send_keys("爵士", Keys.ENTER)
        page.find(".item", "爵士")
        page.gone(".item", "摇滚")
        page.click(".places a", "聊天")
        answer = page.say("我喜欢什么音乐？")
        assert "爵士" in answer
        assert "摇滚" not in answer

    def erases(page: WebPage) -> None:
        page.open(FACTS)
        page.click('[aria-label="删除：管理员 喜欢 爵士"]')
        page.gone(".item", "爵士")
        page.click(".toast button", "撤销")
        page.find(".item", "爵士")
        page.click('[aria-label="删除：管理员 喜欢 爵士"]')
        page.gone(".item", "爵士")
        page.click(".places a", "聊天")
        answer = page.say("我喜欢什么音乐？")
        assert "爵士" not in answer
        assert "摇滚" not in answer

    for work in (wrong_then_right, chats, corrects, erases):
        await person.does(work)
    assert [c for c in await person.does(WebPage.complaints) if "401" not in c] == []


async def test_r4_03_why_tells_a_story_beside_the_reply(person: Person, code: str) -> None:
    def asks(page: WebPage) -> None:
        page.sign_in(code)
        page.say("我喜欢摇滚")
        page.say("我喜欢什么音乐？")
        page.driver.execute_script("[...document.querySelectorAll('.why-button')].at(-1).click()")
        page.find(".why section", "你 喜欢 摇滚")
        story = page.find(".why").text
        for words in ("1 件事", "给模型看了什么", "没有用工具", "用了多久", "6 步都做到了"):
            assert words in story
        page.press(Keys.ESCAPE)
        page.gone(".why")
        assert page.focused.text == "为什么这么回答"

    await person.does(asks)
    assert await person.does(WebPage.complaints) == []


async def test_r7_07_a_stored_script_stays_text(person: Person, site: Site, code: str) -> None:
    script = "<script>document.title='坏了'</script><img src=x onerror=\"document.title='坏了'\">"
    records = {PERSONA: {"title": script, "content": f"[2026-07-01 10:00] [by:web_admin] {script}"}}
    (site.data / "memory_fs.json").write_text(json.dumps(records), "utf-8")

    def looks(page: WebPage) -> None:
        page.sign_in(code)
        page.say(f"你看：{script}")
        page.find(".mine", script)
        page.click(".why-button")
        page.find(".why", script)
        page.say("我喜欢摇滚")
        page.open(FACTS)
        page.click('[aria-label^="更正"]')
        page.find(".editor textarea").send_keys(script, Keys.ENTER)
        page.gone(".editor")
        for place, selector in (
            (f"#/memory/files?path={PERSONA}", ".item"),
            (f"#/memory/files?path={PERSONA}", "h2"),
            (FACTS, ".item"),
            ("#/memory/search?q=script", ".item"),
        ):
            page.open(place)
            page.find(selector, "<script>")
        assert "坏了" not in page.driver.title
        refused = page.driver.execute_script(
            "try { document.body.innerHTML = '<b>x</b>' } catch (error) { return error.name }"
        )
        assert refused == "TypeError"  # trusted types: not even the page's own scripts may

    await person.does(looks)


async def test_r7_06_an_edited_entry_is_used_and_of_two_tabs_the_second_is_told(
    person: Person, site: Site, code: str
) -> None:
    entry = "[2026-07-01 10:00] [conv:web_main] [by:web_admin] 他的生肖属相是一匹白马"
    (site.data / "memory_fs.json").write_text(json.dumps({PERSONA: {"content": entry}}), "utf-8")
    edit = '[aria-label^="更正：他的生肖"]'

    def two_tabs(page: WebPage) -> None:
        page.sign_in(code)
        assert "白马" in page.say("我的生肖属相是啥？")
        page.open(f"#/memory/files?path={PERSONA}")
        page.click(edit)
        page.find(".editor textarea")
        first = page.driver.current_window_handle
        page.driver.switch_to.new_window("tab")
        page.open(f"#/memory/files?path={PERSONA}")
        page.click(edit)
        field = page.find(".editor textarea")
        field.clear()
        field.send_keys("他的生肖属相是一匹黑马", Keys.ENTER)
        page.find(".item", "黑马")
        page.driver.close()
        page.driver.switch_to.window(first)

    def second_is_told(page: WebPage) -> None:
        field = page.find(".editor textarea")
        field.clear()
        field.send_keys("他的生肖属相是一匹灰马", Keys.ENTER)
        page.find(".conflict", "黑马")
        page.click(".editor .button", "取消")
        page.find(".item", "黑马")
        page.click(".past summary", "旧版（1）")
        page.find(".version", "白马")
        page.click(".places a", "聊天")
        assert "黑马" in page.say("我的生肖属相是啥？")

    await person.does(two_tabs)
    await person.does(second_is_told)


async def test_r7_06_everything_by_keyboard_alone(person: Person, code: str) -> None:
    def tab_to(page: WebPage, name: str) -> None:
        for _ in range(40):
            page.press(Keys.TAB)
            if page.focused.tag_name != "body" and page.focused.accessible_name.startswith(name):
                return
        raise AssertionError(f"Tab never reaches {name!r}")

    def types(page: WebPage) -> None:
        page.open()
        page.find("#code")
        assert page.focused.get_attribute("id") == "code"
        page.press(code, Keys.ENTER)
        page.find(".composer textarea")
        assert page.focused.accessible_name == "说点什么"
        page.press("我喜欢摇滚", Keys.ENTER)
        page.find(".reply .words", "摇滚")
        tab_to(page, "记忆")
        page.press(Keys.ENTER)
        page.find(".tree .row", "web_admin")
        tab_to(page, "neko")
        for _ in range(10):
            if page.focused.get_attribute("data-path") == ME:
                break
            page.press(Keys.ARROW_DOWN)
        page.press(Keys.ARROW_RIGHT)
        page.find(f'[data-path="{ME}#facts"]')
        page.press(Keys.ARROW_RIGHT, Keys.ENTER)
        page.find(".item", "摇滚")
        tab_to(page, "更正：管理员 喜欢 摇滚")
        page.press(Keys.ENTER)
        page.find(".editor textarea")
        page.press(Keys.ESCAPE)
        page.find(".item", "摇滚")
        assert page.focused.accessible_name == "更正：管理员 喜欢 摇滚"
        page.press(Keys.ENTER)
        page.find(".editor textarea")
        page.press("乐", Keys.ENTER)
        page.find(".item", "摇滚乐")

    await person.does(types)


async def test_r7_06_a_bot_that_is_gone_is_said_and_found_again(
    person: Person, site: Site, bot: BotProcess, code: str
) -> None:
    def before(page: WebPage) -> None:
        page.sign_in(code)
        page.say("我喜欢摇滚")

    def gone(page: WebPage) -> None:
        page.find(".composer textarea").send_keys("你还在吗", Keys.ENTER)
        page.find("#offline", "连不上机器人")
        page.find(".unsent", "没有得到回答")
        page.find(".mine", "你还在吗")

    def back(page: WebPage) -> None:
        page.gone("#offline")
        page.click(".unsent .button", "重试")
        page.until(lambda: page.now(".unsent") is None, "still unsent")
        page.until(
            lambda: len(page.driver.find_elements("css selector", ".turn[data-turn]")) == 2, "no reply"
        )

    await person.does(before)
    await bot.terminate()
    await person.does(gone)
    await bot.start()
    await person.does(back)


async def test_r7_06_fits_a_phone_light_and_dark(person: Person, code: str) -> None:
    def looks(page: WebPage) -> None:
        page.sign_in(code)
        page.say("我喜欢" + "摇滚" * 60 + "a" * 200)
        for dark in (False, True):
            show_as(page.driver, size=PHONE, dark=dark)
            for place in ("#/chat", "#/memory/files", FACTS, "#/memory/layers", "#/memory/search"):
                page.open(place)
                page.find("#stage")
                wide = page.driver.execute_script("return document.documentElement.scrollWidth")
                assert wide == PHONE[0], place
            paper = page.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
            assert paper == ("rgb(21, 24, 26)" if dark else "rgb(247, 245, 241)")

    try:
        await person.does(looks)
    finally:
        await person.does(lambda page: show_as(page.driver, size=DESK))
