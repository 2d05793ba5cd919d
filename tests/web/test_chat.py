"""R7.6 (a): the chat of the page runs the very same turns, and says why."""

import asyncio

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.turn import Incoming

from .conftest import RIGHT, Page

API = web.API


async def test_r7_06_a_chat_is_a_turn_of_a_private_conversation_of_its_own(page: Page) -> None:
    answer = await page.chat("我喜欢摇滚，最近在学吉他")
    assert "摇滚" in answer["text"]
    assert answer["speaker"]
    [turn] = (await page.ask("GET", f"{API}/turns?character_id=neko&conversation_id=web_main")).json()
    assert (turn["id"], turn["user_id"]) == (answer["turn_id"], "web_admin")
    assert (turn["said"], turn["reply"]) == ("我喜欢摇滚，最近在学吉他", answer["text"])
    scope = Scope("neko", "web_main", "web_admin", True)
    recalled = await in_thread(page.app.rooms.graph.recall_facts, scope, "我喜欢什么")
    assert {fact.object for fact in recalled.facts} >= {"摇滚"}
    assert "摇滚" in (await page.chat("我喜欢什么音乐？"))["text"]


async def test_r7_06_messages_at_once_each_get_their_own_answer(page: Page) -> None:
    answers = await asyncio.gather(*(page.chat(f"我喜欢第{n}首歌") for n in range(3)))
    assert len({answer["turn_id"] for answer in answers}) == 3
    for n, answer in enumerate(answers):
        assert f"第{n}首歌" in answer["text"]


async def test_r7_06_turns_are_paged_newest_first(page: Page) -> None:
    ids = [(await page.chat(f"今天第{n}句"))["turn_id"] for n in range(5)]
    url = f"{API}/turns?character_id=neko&conversation_id=web_main"
    newest = (await page.ask("GET", f"{url}&limit=2")).json()
    assert [turn["id"] for turn in newest] == ids[:2:-1]
    older = (await page.ask("GET", f"{url}&before={ids[3]}")).json()
    assert [turn["id"] for turn in older] == ids[2::-1]


async def test_r7_06_a_turn_tells_what_it_wrote_and_whether_it_is_over(page: Page) -> None:
    await page.chat("我喜欢摇滚")
    await page.chat("今天下雨了")
    newest, first = (await page.ask("GET", f"{API}/turns?character_id=neko&conversation_id=web_main")).json()
    assert [fact["object"] for fact in first["written"]] == ["摇滚"]
    assert (newest["written"], newest["state"]) == ([], "answered")


async def test_r7_06_conversations_are_listed_with_their_last_turn_the_latest_first(page: Page) -> None:
    async def listed(**params: str) -> list[tuple[str, str, str]]:
        answer = (await page.ask("GET", f"{API}/conversations", params=params)).json()
        found = answer["conversations"]
        assert answer["total"] >= len(found)
        return [(c["label"], c["last"]["speaker"], c["last"]["said"]) for c in found]

    async def say(conversation: str, user: str, text: str, character: str = "neko") -> None:
        async def send(reply: str, name: str) -> None: ...

        scope = Scope(character, conversation, user, private=not conversation.startswith("qq_group"))
        app = page.app
        incoming = Incoming(scope=scope, speaker=f"群友{user}", text=text, at=app.clock(), send=send)
        turn = await app.workflow.hear(incoming)
        await app.conversations.submit(turn)
        await app.conversations.settled(turn.key)

    assert await listed() == []
    await say("qq_group_7", "101", "第一句")
    await say("qq_private_101", "101", "私下说")
    await say("qq_private_9", "9", "你好", "aria")
    await page.chat("网页里说")
    await say("qq_group_7", "202", "第二句")
    group, private = ("群 7", "群友202", "第二句"), ("私聊 101", "群友101", "私下说")
    web_chat, other = ("网页", "管理员", "网页里说"), ("私聊 9", "群友9", "你好")
    assert await listed() == [group, web_chat, other, private]
    assert await listed(character_id="neko") == [group, web_chat, private]
    assert await listed(find="101") == [private]
    assert await listed(find="群") == [group]
    assert await listed(limit="1", offset="1") == [web_chat]


async def test_r4_03_why_tells_what_was_recalled_written_and_how_long_it_took(page: Page) -> None:
    first = await page.chat("我喜欢摇滚")
    told = (await page.ask("GET", f"{API}/turns/{first['turn_id']}/why")).json()
    assert [(fact["relation"], fact["object"]) for fact in told["written"]] == [("喜欢", "摇滚")]
    assert [call["label"] for call in told["calls"]] == ["记下事实"]
    assert [step["label"] for step in told["steps"]] == ["听到", "回忆", "回答", "发送", "记录"]
    assert all(check["done"] for check in told["checks"])
    second = await page.chat("我喜欢什么音乐？")
    told = (await page.ask("GET", f"{API}/turns/{second['turn_id']}/why")).json()
    assert [fact["object"] for fact in told["recalled"]["facts"]] == ["摇滚"]
    assert told["parts"]
    assert all(part["label"] for part in told["parts"])
    assert "摇滚" in told["prompt"]
    assert (await page.ask("GET", f"{API}/turns/999/why")).status_code == 404


async def test_r7_05_search_finds_what_was_said_by_its_words_alone(page: Page) -> None:
    await page.chat("我喜欢摇滚")
    await page.chat("今天下雨了")
    found = (await page.ask("GET", f"{API}/search?character_id=neko&q=摇滚")).json()["lines"]
    assert found
    assert all("摇滚" in line["text"] for line in found)
    assert (await page.ask("GET", f"{API}/search?character_id=other&q=摇滚")).json() == {"lines": []}


async def test_r7_06_what_cant_be_said_is_refused(page: Page) -> None:
    blank = ({"text": text} for text in ("", " ", "\u200b", " \n\u200b ", "\x00"))
    for body in ({}, *blank, {"text": "x" * 8001}, {"text": "好", "session": "../x"}, {"text": 1}):
        refused = await page.ask("POST", f"{API}/chat", json=body)
        assert refused.status_code == 422, body
        assert list(refused.json()) == ["detail"]


async def test_r7_06_nobody_is_made_up_by_talking_to_them(page: Page) -> None:
    for character in ("nobody", "../../etc"):
        body = {"text": "我喜欢摇滚", "character_id": character}
        refused = await page.ask("POST", f"{API}/chat", json=body)
        assert (refused.status_code, character in refused.json()["detail"]) == (404, True)
    assert (await page.ask("GET", f"{API}/status")).json()["characters"] == ["neko"]


async def test_r7_05_a_body_that_is_no_json_object_is_refused_in_words(page: Page) -> None:
    for content in (b"{", b"null", b"[]", b'"x"', b"\xff\xfe", b"[" * 60_000, b"1" * 5000, b"text=hi"):
        headers = {**RIGHT, "Content-Type": "application/json"}
        refused = await page.ask("POST", f"{API}/chat", content=content, headers=headers)
        assert refused.status_code in (400, 422), content
        assert "JSON 对象" in refused.json()["detail"], content
        assert refused.headers["cache-control"] == "no-store"
    other = await page.ask("POST", f"{API}/chat", content=b'{"text": "x"}')
    assert (other.status_code, "Content-Type" in other.json()["detail"]) == (422, True)
    long = {"level": "user", "target_id": "x" * 257, "content": "x", "expected": ""}
    assert "最多 256 字" in (await page.ask("PUT", f"{API}/layers", json=long)).json()["detail"]
