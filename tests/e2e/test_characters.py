"""R3.11, R2.7: a second character, a PNG card bound to a group, beside the built-in one."""

from collections.abc import Callable

from nonebot_plugin_memoryfs.character import Bindings, Roster
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.storage import Store

from ..character.making import in_base64, png, text, v3
from ..sim.onebot import at
from ..sim.onebot import text as words
from .conftest import SELF_ID, Site


def _prepare(site: Site) -> None:
    """A data directory as it is after `/角色 切换`: a card, and a group bound to it."""
    folder = site.data / "characters"
    folder.mkdir(parents=True)
    card = v3(
        extensions={"memoryfs": {"identity": {"名字": "{{char}}", "角色": "旧书店的店主", "性格": "慢热"}}}
    )
    (folder / "bookshop.png").write_bytes(png(text("ccv3", in_base64(card))))
    (folder / "broken.json").write_text('{"name": 3}', "utf-8")
    with Store.open(site.data) as store:
        Bindings(store, Roster(folder, print, default="neko"), {}).bind("qq_group_301", "bookshop")


async def test_r3_11_a_group_bound_to_a_second_character(new_site: Callable[[], Site]) -> None:
    site = new_site()
    site.settings["MEMORYFS__CHARACTERS"] = '{"54321": "ghost"}'
    await in_thread(_prepare, site)
    async with site.process() as bot:
        async with site.client() as talk:
            await talk.group(301, 11, [at(SELF_ID), words(" 你是谁？")])
            assert "阿晚" in (answer := (await talk.next_reply(to=301)).text)
            assert "旧书店的店主" in answer
            await talk.group(302, 11, [at(SELF_ID), words(" 你是谁？")])
            assert "小忆" in (await talk.next_reply(to=302)).text

            await talk.group(301, 11, [at(SELF_ID), words(" 我喜欢诗集")])
            assert "诗集" in (await talk.next_reply(to=301)).text
            await talk.private(11, "我喜欢什么？")
            assert "诗集" not in (await talk.next_reply(to=11)).text
            await talk.group(301, 11, [at(SELF_ID), words(" 我喜欢什么？")])
            assert "诗集" in (await talk.next_reply(to=301)).text
        await bot.terminate()
        log = await in_thread(bot.log)
    assert "角色卡文件 broken.json 未采用：角色卡的 name 应是文字，实际是 int" in log
    assert "账号 54321：角色 'ghost' 没有可用的角色卡，先用“小忆”的卡" in log
