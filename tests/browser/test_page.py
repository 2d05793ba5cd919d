"""R7.6–R7.8: the page in a real browser, against a running `bot.py`."""

import json

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from ..e2e.conftest import Site
from ..sim.payloads import text
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
    files = {
        "memory_fs.json": {
            PERSONA: {"title": script, "content": f"[2026-07-01 10:00] [by:{script}] {script}"}
        },
        "memories.json": [
            {"title": script, "content": script, "target_id": script, "character_name": script}
        ],
        "prompts.json": {"user": {script: script}, "group": {}, "default": script},
    }
    for name, content in files.items():
        (site.data / name).write_text(json.dumps(content), "utf-8")

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
            ("#/memory/notes", ".item"),
            ("#/memory/notes", ".item .pill"),
            ("#/memory/layers", ".item"),
            ("#/memory/layers", ".item .pill"),
            ("#/talks?character=neko&conversation=web_main", ".said"),
            ("#/talks", ".talks .last"),
            ("#/talks?character=neko&conversation=qq_private_10001", ".who"),
            ("#/memory/files?path=characters/neko/users/10001/%23facts", "h2"),
            ("#/memory/files?path=characters/neko/users/10001/%23facts", ".tree .label"),
        ):
            page.open(place)
            page.find(selector, "<script>")
        assert "坏了" not in page.driver.title
        refused = page.driver.execute_script(
            "try { document.body.innerHTML = '<b>x</b>' } catch (error) { return error.name }"
        )
        assert refused == "TypeError"  # trusted types: not even the page's own scripts may

    async with site.client() as client:
        await client.private(10001, [text(f"我喜欢{script}")], nickname="<script>alert(1)</script>")
        await client.next_reply()
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


async def test_r3_04_a_note_is_written_changed_used_and_of_two_tabs_the_second_is_told(
    person: Person, code: str
) -> None:
    edit = '[aria-label="更正：属相"]'

    def writes(page: WebPage) -> None:
        page.sign_in(code)
        page.open("#/memory/notes")
        page.find(".state", "还没有便签")
        page.click(".actions button", "写一张")
        page.find('.form [aria-label="号码"]').send_keys("web_admin")
        page.find('.form [aria-label="标题"]').send_keys("属相")
        page.find(".form textarea").send_keys("他的生肖属相是一匹白马")
        page.click(".form .primary")
        page.find(".item", "白马")
        page.find(".item", "一直留着")
        page.gone(".form")

    def gives_it_an_end(page: WebPage) -> None:
        page.click(edit)
        Select(page.find('.editor [aria-label="留多久"]')).select_by_value("short")
        days = page.find(".editor .days")
        days.clear()
        days.send_keys("3")
        page.click(".editor .primary")
        page.find(".item .pill", "还有 3 天到期")
        Select(page.find('[aria-label="哪些便签"]')).select_by_value("long")
        page.find(".state", "没有这样的便签")
        Select(page.find('[aria-label="哪些便签"]')).select_by_value("short")
        page.find(".item", "白马")

    def in_two_tabs(page: WebPage) -> None:
        first = page.driver.current_window_handle
        page.click(edit)
        page.driver.switch_to.new_window("tab")
        page.open("#/memory/notes")
        page.click(edit)
        field = page.find(".editor textarea")
        field.clear()
        field.send_keys("他的生肖属相是一匹黑马", Keys.ENTER)
        page.find(".item", "黑马")
        page.driver.close()
        page.driver.switch_to.window(first)
        field = page.find(".editor textarea")
        field.clear()
        field.send_keys("他的生肖属相是一匹灰马", Keys.ENTER)
        page.find(".conflict", "黑马")
        page.click(".editor .primary")  # what is there now has been seen
        page.find(".item", "灰马")

    def takes_it_out(page: WebPage) -> None:
        page.click('[aria-label="删除：属相"]')
        page.gone(".item")
        page.click(".toast button", "撤销")
        page.find(".item", "灰马")
        page.find(".item .pill", "还有 3 天到期")

    for work in (writes, gives_it_an_end, in_two_tabs, takes_it_out):
        await person.does(work)
    assert [c for c in await person.does(WebPage.complaints) if "409" not in c] == []


async def test_r7_06_what_was_said_on_qq_is_looked_up_with_its_why(
    person: Person, site: Site, code: str
) -> None:
    async with site.client() as client:
        await client.private(10001, "我喜欢爵士")
        await client.next_reply()

        def looks(page: WebPage) -> None:
            page.sign_in(code)
            page.click(".places a", "会话")
            page.click(".talks a", "私聊 10001")
            page.find(".said", "我喜欢爵士")
            page.find(".kept", "喜欢 爵士")
            page.click(".why-button")
            page.find(".why section", "用了 1 次工具")
            page.press(Keys.ESCAPE)
            page.gone(".why")

        await person.does(looks)
        await client.private(10001, "我喜欢什么音乐？")
        await client.next_reply()

    def goes_on(page: WebPage) -> None:
        page.find(".said", "我喜欢什么音乐？")  # it came by itself
        page.find(".talks a", "我喜欢什么音乐？")
        page.open("#/memory/search?q=爵士")
        page.click(".item a", "看那时的对话")
        page.find(".said", "我喜欢爵士")
        page.find(".talks [aria-current]", "私聊 10001")

    await person.does(goes_on)
    assert await person.does(WebPage.complaints) == []


async def test_r7_06_people_and_files_are_found_wherever_they_are(
    person: Person, site: Site, code: str
) -> None:
    other = "characters/aria/users/30003/user_persona.md"
    records = {other: {"content": "喜欢白马"}, PERSONA: {"content": "喜欢黑马"}}
    (site.data / "memory_fs.json").write_text(json.dumps(records), "utf-8")

    def finds(page: WebPage) -> None:
        page.sign_in(code)
        page.say("我喜欢摇滚")
        page.open("#/memory/files")
        field = page.find(".index .field")
        field.send_keys("管理员")
        page.click(".tree .anywhere", "web_admin")
        page.find(".item", "摇滚")
        field.clear()
        field.send_keys("30003", Keys.TAB, Keys.ARROW_DOWN)
        page.find(".tree .anywhere", "aria/users/30003")
        page.click(".tree .anywhere", "user_persona.md")
        page.find(".item", "白马")
        field.clear()
        field.send_keys("没有的")
        page.find(".tree .note", "没有这样的人或文件")
        for _ in range(3):
            field.send_keys(Keys.BACKSPACE)
        page.find(".tree .row", "neko")
        page.open("#/memory/files?path=characters/neko/users/%25zz/%23facts")
        page.find("h2", "关于 %zz")

    await person.does(finds)
    assert await person.does(WebPage.complaints) == []


async def test_r2_10_what_was_deleted_can_be_brought_back_later(person: Person, code: str) -> None:
    def looks(page: WebPage) -> None:
        page.sign_in(code)
        page.say("我喜欢摇滚")
        page.open(FACTS)
        page.click('[aria-label^="删除"]')
        page.find(".toast", "已删除")
        page.click(".places a", "聊天")
        page.gone(".toast")
        page.open(FACTS)
        page.click(".past summary", "删掉和更正过的")
        page.click('[aria-label^="恢复"]')
        page.find(".item", "摇滚")

    await person.does(looks)


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
            for place in (
                "#/chat",
                "#/talks",
                "#/talks?character=neko&conversation=web_main",
                "#/memory/files",
                FACTS,
                "#/memory/layers",
                "#/memory/notes",
                "#/memory/search",
            ):
                page.open(place)
                page.find("#stage")
                wide = page.driver.execute_script("return document.documentElement.scrollWidth")
                assert wide == PHONE[0], place
            page.find(".about button", "退出登录")
            paper = page.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
            assert paper == ("rgb(21, 24, 26)" if dark else "rgb(247, 245, 241)")

    try:
        await person.does(looks)
    finally:
        await person.does(lambda page: show_as(page.driver, size=DESK))
