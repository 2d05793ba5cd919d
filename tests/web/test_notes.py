"""R3.4, R3.5, R7.6 (b): notes are seen, added, changed and deleted; nothing overwritten unseen."""

import json
from typing import Any

import pytest

from nonebot_plugin_memoryfs import web

from ..conftest import Clock
from .conftest import Page

API = f"{web.API}/notes"


async def listed(page: Page, **params: Any) -> list[dict[str, Any]]:
    answer = await page.ask("GET", API, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()["notes"]


async def add(page: Page, content: str, **fields: Any) -> dict[str, Any]:
    answer = await page.ask("POST", API, json={"target_id": "user_101", "content": content, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_r3_04_a_note_is_added_and_stands_in_the_file(page: Page) -> None:
    note = await add(page, "喜欢美式", title="喜好", target_id="101")
    assert (note["target_id"], note["place"], note["ends_at"]) == ("user_101", "私聊 101", None)
    assert await listed(page) == [note]
    assert page.memory.directory is not None
    [record] = json.loads((page.memory.directory / "memories.json").read_text("utf-8"))
    assert (record["id"], record["content"]) == (note["id"], "喜欢美式")


async def test_r3_04_a_note_tells_when_it_ends_and_then_it_has(page: Page, clock: Clock) -> None:
    note = await add(page, "周五看球", type="short", expire_days=3, target_id="group_9")
    assert (note["created_at"][:10], note["ends_at"][:10]) == ("2026-07-08", "2026-07-11")
    clock.advance(days=3)
    assert await listed(page) == []
    stale = {"id": note["id"], "tag": note["tag"], "content": "x"}
    assert (await page.ask("PUT", API, json=stale)).status_code == 409


async def test_r3_05_notes_are_filtered_and_paged_newest_first(page: Page) -> None:
    for n in range(5):
        await add(page, f"第{n}张", target_id="group_9" if n % 2 else "101")
    await add(page, "会到期", type="short", character_name="小忆")
    contents = [note["content"] for note in await listed(page)]
    assert contents == ["会到期", "第4张", "第3张", "第2张", "第1张", "第0张"]
    assert [n["content"] for n in await listed(page, target_id="group_9")] == ["第3张", "第1张"]
    assert [n["content"] for n in await listed(page, target_id="101", find="第2")] == ["第2张"]
    assert [n["content"] for n in await listed(page, find="GROUP_9")] == ["第3张", "第1张"]
    assert await listed(page, find="%") == await listed(page, find="_张") == []
    assert [n["content"] for n in await listed(page, type="short")] == ["会到期"]
    assert [n["content"] for n in await listed(page, character_name="小忆")] == ["会到期"]
    assert len(await listed(page, character_name="")) == 5
    part = (await page.ask("GET", API, params={"limit": 2, "offset": 1})).json()
    assert ([n["content"] for n in part["notes"]], part["total"]) == (["第4张", "第3张"], 6)


async def test_r3_05_a_note_is_changed_and_what_is_not_given_stays(page: Page) -> None:
    note = await add(page, "喜欢美式", title="喜好", type="short", expire_days=3)
    change = {"id": note["id"], "tag": note["tag"], "content": "喜欢拿铁", "type": "long"}
    new = (await page.ask("PUT", API, json=change)).json()
    assert (new["content"], new["title"], new["ends_at"]) == ("喜欢拿铁", "喜好", None)
    assert new["created_at"] == note["created_at"]
    assert new["tag"] != note["tag"]
    assert await listed(page) == [new]


async def test_r7_06_of_two_tabs_the_second_is_told_and_overwrites_no_note(page: Page) -> None:
    note = await add(page, "喜欢美式")
    change = {"id": note["id"], "tag": note["tag"], "content": "喜欢拿铁"}
    new = (await page.ask("PUT", API, json=change)).json()
    late = await page.ask("PUT", API, json={**change, "content": "喜欢清茶"})
    assert (late.status_code, "已经变了" in late.json()["detail"]) == (409, True)
    stale = {"id": note["id"], "tag": note["tag"]}
    assert (await page.ask("DELETE", API, params=stale)).status_code == 409
    assert await listed(page) == [new]
    fresh = {"id": new["id"], "tag": new["tag"]}
    assert (await page.ask("DELETE", API, params=fresh)).json() == {"ok": True}
    assert await listed(page) == []
    gone = await page.ask("DELETE", API, params=fresh)
    assert (gone.status_code, "不在" in gone.json()["detail"]) == (409, True)


async def test_r7_06_a_deleted_note_can_be_added_again_as_it_was(page: Page, clock: Clock) -> None:
    note = await add(page, "周五看球", type="short", expire_days=3, conversation_id="qq_group_9")
    await page.ask("DELETE", API, params={"id": note["id"], "tag": note["tag"]})
    clock.advance(days=1)
    again = await add(
        page, **{name: note[name] for name in note if name not in ("id", "tag", "place", "ends_at")}
    )
    differ = {name for name in note if note[name] != again[name]}
    assert differ == {"id", "tag"}


@pytest.mark.parametrize(
    ("fields", "status", "named"),
    [
        ({"target_id": ""}, 400, "target_id"),
        ({"target_id": "user_"}, 400, "target_id"),
        ({"target_id": "x" * 201}, 422, "target_id"),
        ({"content": ""}, 400, "content"),
        ({"content": "x" * 8001}, 422, "content"),
        ({"type": "forever"}, 422, "type"),
        ({"expire_days": -1}, 422, "expire_days"),
        ({"expire_days": 36_501}, 422, "expire_days"),
        ({"created_at": "gestern"}, 422, "created_at"),
        ({"created_at": "9999-12-31T23:00:00Z", "type": "short"}, 400, "created_at"),
    ],
)
async def test_r3_05_a_note_that_cant_be_kept_is_refused_by_field(
    page: Page, fields: dict[str, Any], status: int, named: str
) -> None:
    body = {"target_id": "101", "content": "x", **fields}
    refused = await page.ask("POST", API, json=body)
    assert (refused.status_code, named in refused.json()["detail"]) == (status, True), refused.text
    assert await listed(page) == []


async def test_r3_10_a_note_of_the_page_is_in_the_next_prompt(page: Page) -> None:
    await add(page, "他的生肖属相是一匹白马", target_id="web_admin", conversation_id="web_main")
    turn = await page.chat("我的生肖属相是啥？")
    told = (await page.ask("GET", f"{web.API}/turns/{turn['turn_id']}/why")).json()
    assert "白马" in told["prompt"]
