"""R7.6 (b): the tree, its entries and facts, corrected and brought back; nothing overwritten unseen."""

from typing import Any
from urllib.parse import quote

import pytest

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.scope import Scope

from .conftest import Page

API = web.API
PATH = "characters/neko/users/101/user_persona.md"


async def nodes(page: Page, under: str = "characters/", **params: Any) -> list[dict[str, Any]]:
    answer = await page.ask("GET", f"{API}/tree", params={"under": under, **params})
    assert answer.status_code == 200, answer.text
    return answer.json()["nodes"]


async def read(page: Page, path: str = PATH) -> dict[str, Any]:
    return (await page.ask("GET", f"{API}/entries", params={"path": path})).json()


async def add(page: Page, *texts: str) -> None:
    for text in texts:
        entry = Entry(text, at=page.app.clock(), conversation_id="qq_private_101", people=("101",))
        await in_thread(page.memory.append, PATH, entry)


async def facts(page: Page, user_id: str = "web_admin") -> list[dict[str, Any]]:
    params = {"character_id": "neko", "user_id": user_id}
    return (await page.ask("GET", f"{API}/facts", params=params)).json()["facts"]


# ---- the tree


async def test_r7_06_a_tree_of_real_paths_one_directory_at_a_time(page: Page) -> None:
    assert [node["path"] for node in await nodes(page)] == ["characters/neko/"]
    await add(page, "喜欢白马")
    await page.write("characters/neko/events/qq_group_7.md", content="下雪了")
    await page.write("characters/aria/general.md", content="x")
    assert [node["path"] for node in await nodes(page)] == ["characters/aria/", "characters/neko/"]
    top = {node["name"]: node for node in await nodes(page, "characters/neko/")}
    assert list(top) == ["事实", "events", "users"]
    assert (top["users"]["files"], top["events"]["label"]) == (1, "重要事件")
    [event] = await nodes(page, "characters/neko/events/")
    assert (event["path"], event["label"]) == ("characters/neko/events/qq_group_7.md", "群 7")
    assert [n["name"] for n in await nodes(page, "characters/neko/users/101/")] == ["事实", "user_persona.md"]


async def test_r7_06_whoever_spoke_is_in_the_tree_before_anything_was_learnt(page: Page) -> None:
    await page.chat("我喜欢摇滚")
    [person] = await nodes(page, "characters/neko/users/")
    assert (person["name"], person["label"]) == ("web_admin", "管理员")
    assert [fact["object"] for fact in await facts(page)] == ["摇滚"]


async def test_r7_06_long_directories_come_in_pages(page: Page) -> None:
    for n in range(30):
        await page.write(f"characters/neko/users/{n:03}/user_persona.md", content="x")
    found = await nodes(page, "characters/neko/users/", limit=10, offset=25)
    assert [node["name"] for node in found] == ["025", "026", "027", "028", "029"]


async def test_r7_06_people_of_any_character_and_files_are_found(page: Page) -> None:
    async def find(q: str, **params: Any) -> list[tuple[str, str]]:
        answer = await page.ask("GET", f"{API}/find", params={"q": q, **params})
        assert answer.status_code == 200, answer.text
        return [(node["kind"], node["path"]) for node in answer.json()["nodes"]]

    graph = page.app.rooms.graph
    for character, user, name in (("neko", "202101", "阿明"), ("aria", "101", "阿明"), ("aria", "7", "Bob")):
        scope = Scope(character, f"qq_private_{user}", user, private=True)
        await in_thread(graph.memory_commit, scope, [("用户", "喜欢", "白马")], speaker_name=name)
    await page.write("characters/aria/users/小 王/user_persona.md", content="x")
    await page.write("characters/neko/events/qq_group_101.md", content="x")
    aria, neko = "characters/aria/users/101/#facts", "characters/neko/users/202101/#facts"
    assert set(await find("阿明")) == {("facts", aria), ("facts", neko)}
    assert await find("bOB") == [("facts", "characters/aria/users/7/#facts")]
    event = ("file", "characters/neko/events/qq_group_101.md")
    assert await find("101") == [("facts", aria), ("facts", neko), event]
    assert await find("101", limit=1) == [("facts", aria)]
    assert [kind for kind, _ in await find("小 王")] == ["file"]
    assert await find("没有的") == []
    assert (await page.ask("GET", f"{API}/find?q=")).status_code == 422


async def test_r7_06_characters_are_called_by_their_names(page: Page) -> None:
    await page.write("characters/aria/general.md", content="x")
    assert [(n["name"], n["label"]) for n in await nodes(page)] == [("aria", ""), ("neko", "小忆")]


@pytest.mark.parametrize(
    "under", ["", "characters", "characters/neko", "/etc/", "../", "characters/../", "characters//"]
)
async def test_r7_05_what_is_no_directory_is_400(page: Page, under: str) -> None:
    assert (await page.ask("GET", f"{API}/tree", params={"under": under})).status_code == 400


# ---- entries


async def test_r7_06_an_entry_tells_when_where_and_from_whom(page: Page) -> None:
    await add(page, "喜欢白马")
    file = await read(page)
    assert (file["version"], file["category_label"]) == (1, "用户人格")
    [entry] = file["entries"]
    assert (entry["number"], entry["text"], entry["people"]) == (1, "喜欢白马", ["101"])
    assert (entry["conversation_id"], entry["place"]) == ("qq_private_101", "私聊 101")
    assert entry["at"].startswith("2026-07-08T")
    assert (await page.ask("GET", f"{API}/entries?path=characters/neko/general.md")).status_code == 404


async def test_r7_06_an_entry_is_corrected_removed_and_brought_back(page: Page) -> None:
    await add(page, "喜欢白马", "住在江城")
    first, second = (await read(page))["entries"]
    change = {"path": PATH, "number": 1, "tag": first["tag"], "text": "喜欢黑马"}
    file = (await page.ask("PUT", f"{API}/entries", json=change)).json()
    assert [entry["text"] for entry in file["entries"]] == ["喜欢黑马", "住在江城"]
    params = {"path": PATH, "number": 2, "tag": second["tag"]}
    file = (await page.ask("DELETE", f"{API}/entries", params=params)).json()
    assert [entry["text"] for entry in file["entries"]] == ["喜欢黑马"]
    undo = {"path": PATH, "expected": file["version"]}
    file = (await page.ask("POST", f"{API}/restore", json=undo)).json()
    assert [entry["text"] for entry in file["entries"]] == ["喜欢黑马", "住在江城"]
    kept = (await page.ask("GET", f"{API}/versions", params={"path": PATH})).json()["versions"]
    assert kept[-1]["entries"] == ["喜欢白马"]
    back = {"path": PATH, "version": 2, "expected": file["version"]}
    file = (await page.ask("POST", f"{API}/restore", json=back)).json()
    assert [entry["text"] for entry in file["entries"]] == ["喜欢白马", "住在江城"]


async def test_r7_06_of_two_tabs_the_second_is_told_and_overwrites_nothing(page: Page) -> None:
    await add(page, "喜欢白马", "住在江城")
    entry = (await read(page))["entries"][0]
    change = {"path": PATH, "number": 1, "tag": entry["tag"], "text": "喜欢黑马"}
    assert (await page.ask("PUT", f"{API}/entries", json=change)).status_code == 200
    late = await page.ask("PUT", f"{API}/entries", json={**change, "text": "喜欢灰马"})
    assert late.status_code == 409
    assert "已经变了" in late.json()["detail"]
    gone = await page.ask(
        "DELETE", f"{API}/entries", params={k: change[k] for k in ("path", "number", "tag")}
    )
    assert gone.status_code == 409
    for expected in (0, 2, 7):
        undo = await page.ask("POST", f"{API}/restore", json={"path": PATH, "expected": expected})
        assert undo.status_code == 409
    assert (await page.ask("DELETE", f"{API}/file?path={PATH}&version=1")).status_code == 409
    assert [e["text"] for e in (await read(page))["entries"]] == ["喜欢黑马", "住在江城"]


async def test_r7_06_another_entry_that_came_meanwhile_is_no_conflict(page: Page) -> None:
    await add(page, "喜欢白马")
    entry = (await read(page))["entries"][0]
    await add(page, "住在江城")
    change = {"path": PATH, "number": 1, "tag": entry["tag"], "text": "喜欢黑马"}
    assert (await page.ask("PUT", f"{API}/entries", json=change)).status_code == 200


async def test_r7_06_a_deleted_file_can_be_brought_back(page: Page) -> None:
    await add(page, "喜欢白马")
    gone = (await page.ask("DELETE", f"{API}/file?path={PATH}&version=1")).json()
    assert (gone["version"], gone["entries"], gone["former_versions"]) == (0, [], 1)
    assert (await read(page)) == gone
    file = (await page.ask("POST", f"{API}/restore", json={"path": PATH, "expected": 0})).json()
    assert [entry["text"] for entry in file["entries"]] == ["喜欢白马"]


async def test_r7_08_an_edited_entry_is_used_in_the_next_answer(page: Page) -> None:
    path = page.memory.path_user_persona("neko", "web_admin")
    entry = Entry("他的生肖属相是一匹白马", conversation_id="web_main", people=("web_admin",))
    await in_thread(page.memory.append, path, entry)
    assert "白马" in (await page.chat("我的生肖属相是啥？"))["text"]
    [seen] = (await read(page, path))["entries"]
    change = {"path": path, "number": 1, "tag": seen["tag"], "text": "他的生肖属相是一匹黑马"}
    await page.ask("PUT", f"{API}/entries", json=change)
    assert "黑马" in (await page.chat("我的生肖属相是啥？"))["text"]


# ---- facts


async def test_r7_08_a_corrected_fact_is_used_in_the_next_answer(page: Page) -> None:
    await page.chat("我喜欢摇滚")
    [fact] = await facts(page)
    assert (fact["subject"], fact["place"], fact["speaker"], fact["live"]) == (
        "管理员",
        "网页",
        "管理员",
        True,
    )
    body = {"object": "爵士", "expected": "摇滚"}
    new = (await page.ask("PUT", f"{API}/facts/{fact['id']}", json=body)).json()
    assert (new["object"], new["live"]) == ("爵士", True)
    answer = (await page.chat("我喜欢什么音乐？"))["text"]
    assert "爵士" in answer
    assert "摇滚" not in answer
    assert (await page.ask("PUT", f"{API}/facts/{fact['id']}", json=body)).status_code == 409
    back = (await page.ask("POST", f"{API}/facts/bring-back", json={"id": fact["id"]})).json()
    assert (back["object"], back["live"]) == ("摇滚", True)
    assert [f["object"] for f in await facts(page)] == ["摇滚"]


async def test_r2_10_a_deleted_fact_is_told_no_more_and_can_be_brought_back(page: Page) -> None:
    await page.chat("我喜欢摇滚")
    [fact] = await facts(page)
    gone = (await page.ask("DELETE", f"{API}/facts/{fact['id']}?expected={quote('摇滚')}")).json()
    assert (gone["live"], gone["undoable"]) == (False, True)
    assert await facts(page) == []
    assert "摇滚" not in (await page.chat("我喜欢什么音乐？"))["text"]
    page.app.clock.advance(days=29)  # type: ignore[attr-defined]
    await page.ask("POST", f"{API}/facts/bring-back", json={"id": fact["id"]})
    assert "摇滚" in (await page.chat("我喜欢什么音乐？"))["text"]
    assert (await page.ask("POST", f"{API}/facts/bring-back", json={"id": fact["id"]})).status_code == 409


async def test_r2_10_what_was_taken_back_is_listed_while_it_can_be_brought_back(page: Page) -> None:
    async def listed(**params: Any) -> list[str]:
        params = {"character_id": "neko", "user_id": "web_admin", **params}
        found = (await page.ask("GET", f"{API}/facts/taken-back", params=params)).json()
        assert all(fact["undoable"] and not fact["live"] for fact in found)
        return [fact["object"] for fact in found]

    await page.chat("我喜欢摇滚，最近在学吉他")
    assert await listed() == []
    for fact in await facts(page):
        if fact["object"] == "吉他":
            await page.ask("DELETE", f"{API}/facts/{fact['id']}?expected={quote('吉他')}")
        else:
            body = {"object": "爵士", "expected": "摇滚"}
            await page.ask("PUT", f"{API}/facts/{fact['id']}", json=body)
    assert set(await listed()) == {"吉他", "摇滚"}
    assert len(await listed(limit=1)) == 1
    assert await listed(user_id="101") == await listed(character_id="aria") == []
    page.app.clock.advance(days=31)  # type: ignore[attr-defined]
    assert await listed() == []


async def test_r2_10_after_30_days_a_deleted_fact_stays_deleted(page: Page) -> None:
    await page.chat("我喜欢摇滚")
    [fact] = await facts(page)
    await page.ask("DELETE", f"{API}/facts/{fact['id']}?expected={quote('摇滚')}")
    page.app.clock.advance(days=31)  # type: ignore[attr-defined]
    refused = await page.ask("POST", f"{API}/facts/bring-back", json={"id": fact["id"]})
    assert (refused.status_code, "30 天" in refused.json()["detail"]) == (400, True)


async def test_r7_06_facts_about_a_person_and_said_by_them_newest_first(page: Page) -> None:
    graph = page.app.rooms.graph
    group = Scope("neko", "qq_group_7", "101", False)
    other = Scope("neko", "qq_group_7", "202", False)
    await in_thread(
        graph.memory_commit, group, [("用户", "喜欢", "白马"), ("小黑", "是", "猫")], speaker_name="阿明"
    )
    await in_thread(graph.memory_commit, other, [("阿明", "住在", "江城"), ("小白", "是", "狗")])
    found = [(fact["subject"], fact["object"]) for fact in await facts(page, "101")]
    assert found == [("阿明", "江城"), ("小黑", "猫"), ("阿明", "白马")]
    assert [fact["object"] for fact in await facts(page, "202")] == ["狗", "江城"]
    [about_another] = [fact for fact in await facts(page, "202") if fact["object"] == "江城"]
    body = {"object": "海城", "expected": "江城"}
    new = (await page.ask("PUT", f"{API}/facts/{about_another['id']}", json=body)).json()
    assert (new["subject"], new["object"]) == ("阿明", "海城")


async def test_r2_07_the_persona_of_the_character_is_corrected(page: Page) -> None:
    await in_thread(page.app.rooms.graph.set_persona, "neko", {"口癖": "喵"}, "web_main")
    traits = (await page.ask("GET", f"{API}/facts?character_id=neko")).json()["facts"]
    [fact] = [trait for trait in traits if trait["object"] == "喵"]
    body = {"object": "汪", "expected": "喵"}
    assert (await page.ask("PUT", f"{API}/facts/{fact['id']}", json=body)).json()["object"] == "汪"
    persona = await in_thread(page.app.rooms.graph.persona, Scope("neko", "web_main", "web_admin", True))
    assert "汪" in [trait.object for trait in persona.facts]
    assert "喵" not in [trait.object for trait in persona.facts]
    for trait in traits:
        if trait is not fact:
            body = {"object": "改了的", "expected": trait["object"]}
            changed = await page.ask("PUT", f"{API}/facts/{trait['id']}", json=body)
            assert (changed.status_code, changed.json()["object"]) == (200, "改了的"), trait


@pytest.mark.parametrize("object", ["", " ", "摇滚", "x" * 501])
async def test_r7_06_a_correction_that_says_nothing_new_is_refused(page: Page, object: str) -> None:
    await page.chat("我喜欢摇滚")
    [fact] = await facts(page)
    refused = await page.ask("PUT", f"{API}/facts/{fact['id']}", json={"object": object, "expected": "摇滚"})
    assert refused.status_code == 400
    assert [f["object"] for f in await facts(page)] == ["摇滚"]


# ---- layers


async def test_r3_02_layers_are_set_seen_and_cleared(page: Page) -> None:
    new = {"level": "user", "target_id": "101", "content": "叫他老王", "expected": ""}
    [layer] = (await page.ask("PUT", f"{API}/layers", json=new)).json()["layers"]
    assert (layer["level"], layer["target_id"], layer["content"]) == ("user", "101", "叫他老王")
    stale = await page.ask("PUT", f"{API}/layers", json={**new, "content": "叫他小王"})
    assert stale.status_code == 409
    assert (await page.ask("GET", f"{API}/layers")).json()["layers"] == [layer]
    cleared = await page.ask("DELETE", f"{API}/layers?level=user&target_id=101")
    assert cleared.json()["layers"] == []
    assert (await page.ask("DELETE", f"{API}/layers?level=user&target_id=101")).status_code == 404
    nobody = {"level": "group", "content": "x", "expected": ""}
    assert (await page.ask("PUT", f"{API}/layers", json=nobody)).status_code == 400
