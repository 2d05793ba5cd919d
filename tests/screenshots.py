"""`python -m tests.screenshots`: pictures of the page, made from a real bot, into `docs/images/`."""

import argparse
import asyncio
import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .browser.chromium import chromium, show_as
from .browser.page import CODE, WebPage
from .e2e.conftest import Site

TO = Path(__file__).resolve().parents[1] / "docs" / "images"
DESK, PHONE = (1280, 820), (390, 844)
SAID = (
    "我喜欢摇滚，最近在学吉他",
    "我养了一只叫年糕的橘猫",
    "我喜欢什么音乐？",
)
FILES = {
    "characters/neko/users/web_admin/user_persona.md": (
        "[2026-11-02 21:14] [conv:web_main] [by:web_admin] 在学吉他，最近在练《加州旅馆》的前奏",
        "[2026-11-18 23:40] [conv:web_main] [by:web_admin] 周末通常晚起，不喜欢早上被叫醒",
        "[2026-11-28 20:05] [conv:qq_group_10086] [by:web_admin,20002] 和老周约好月底去看现场",
    ),
    "characters/neko/users/web_admin/recent_digest.md": (
        "[2026-11-28 22:00] [conv:web_main] [by:web_admin] 聊了吉他和猫，答应下次推荐几首适合新手的曲子",
    ),
    "characters/neko/events/qq_group_10086.md": ("[2026-11-20 19:30] 群里一起看了流星雨",),
    "characters/neko/timeline.md": ("[2026-11-20 19:30] [conv:qq_group_10086] 群里一起看了流星雨",),
    "characters/neko/users/20002/user_persona.md": (
        "[2026-11-12 10:00] [conv:qq_group_10086] [by:20002] 在唱片店工作",
    ),
}


ON_QQ = (
    (20002, "老周", "小忆，我在唱片店工作"),
    (10001, "阿澄", "小忆，我喜欢爵士"),
    (20002, "老周", "小忆，我在哪儿工作？"),
)


def _notes(now: datetime) -> list[dict[str, Any]]:
    made = {"created_at": now.isoformat()}
    return [
        {**made, "title": "过敏", "content": "不能吃花生", "target_id": "user_10001"},
        {
            **made,
            "title": "约定",
            "content": "周五晚上八点一起看球",
            "target_id": "group_10086",
            "type": "short",
            "expire_days": 1,
        },
        {
            **made,
            "content": "周末要搬家，别约活动",
            "target_id": "user_10001",
            "type": "short",
            "expire_days": 3,
        },
    ]


def _shoot(site: Site, code: str, profile: Path, to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    with chromium(profile, size=DESK, scale=2) as driver:
        page = WebPage(driver, site.port)

        def shot(name: str, size: tuple[int, int] = DESK, *, dark: bool = False) -> None:
            show_as(driver, size=size, scale=2, dark=dark)
            driver.execute_async_script("setTimeout(arguments[0], 450)")
            driver.save_screenshot(str(to / f"{name}.png"))

        page.sign_in(code)
        page.find(".example")
        shot("welcome")
        show_as(driver, size=DESK, scale=2)
        for text in SAID:
            page.say(text)
        driver.execute_script("[...document.querySelectorAll('.why-button')].at(-1).click()")
        page.find(".why .bar")
        shot("why")
        shot("why-dark", dark=True)
        shot("why-phone", PHONE)
        driver.execute_script("document.querySelector('.why-head button').click()")
        shot("chat-phone", PHONE)
        page.open("#/memory/files?path=characters/neko/users/web_admin/%23facts")
        page.find(".item", "摇滚")
        shot("facts")
        shot("facts-phone", PHONE)
        page.open("#/memory/files?path=characters/neko/users/web_admin/user_persona.md")
        page.find(".item", "吉他")
        shot("file")
        page.open("#/memory/notes")
        page.find(".item", "看球")
        shot("notes")
        shot("notes-phone-dark", PHONE, dark=True)
        show_as(driver, size=DESK, scale=2)
        page.open("#/talks")
        page.click(".talks a", "群 10086")
        page.find(".said")
        shot("talks")


async def _main(to: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        site = Site(Path(directory))
        async with site.process() as bot:
            code = (await bot.wait_log(CODE))[1]
            records = {path: {"content": "\n\n".join(entries)} for path, entries in FILES.items()}
            _write(site.data / "memory_fs.json", records)
            _write(site.data / "memories.json", _notes(datetime.now(UTC)))
            async with site.client() as client:
                for user, nickname, said in ON_QQ:
                    await client.group(10086, user, said, nickname=nickname)
                    await client.next_reply()
                await client.private(10001, "我喜欢爵士，最近在搬家", nickname="阿澄")
                await client.next_reply()
            await asyncio.to_thread(_shoot, site, code, Path(directory) / "profile", to)
            await bot.terminate()
    print(f"pictures in {to}")


def _write(path: Path, records: object) -> None:
    path.write_text(json.dumps(records, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--to", type=Path, default=TO, help="the folder for the pictures")
    asyncio.run(_main(parser.parse_args().to))
