"""R7.5: `GET /api/review/memory-fs`."""

import asyncio
import json
import threading
from typing import Any

import pytest

from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.memory import MemoryFile, MemoryFS, describe_memory_path

from .conftest import URL, Page

NEKO = "characters/neko"
PERSONA = f"{NEKO}/users/u1/user_persona.md"
EXTRA = ("category", "category_label", "injects_to_prompt", "category_order")


async def paths(page: Page, **params: str) -> list[str]:
    answer = (await page.get(**params)).json()
    return [file["path"] for file in answer["files"]]


async def fill(page: Page) -> None:
    """Files of two characters; written in an order that is not the list's."""
    for path, importance in [
        (f"{NEKO}/general.md", 1.0),
        (f"{NEKO}/users/u1/recent_digest.md", 0.5),
        (f"{NEKO}/events/c2.md", 0.5),
        (f"{NEKO}/events/c1.md", 0.5),
        (f"{NEKO}/events/c3.md", 0.9),
        (f"{NEKO}/timeline.md", 0.5),
        (f"{NEKO}/life_sim/c1.md", 0.5),
        (f"{NEKO}/users/u1/character_persona.md", 0.5),
        (PERSONA, 0.1),
        ("characters/猫娘/users/u1/user_persona.md", 0.8),
    ]:
        await page.write(path, content="内容", importance=importance)


# ---- the list


async def test_r7_05_an_empty_memory_is_an_empty_list(page: Page) -> None:
    answer = await page.get()
    assert answer.status_code == 200
    assert answer.json() == {"files": [], "total": 0}


async def test_r7_05_the_list_is_by_category_then_importance_then_path(page: Page) -> None:
    await fill(page)
    assert await paths(page) == [
        "characters/猫娘/users/u1/user_persona.md",
        PERSONA,
        f"{NEKO}/users/u1/character_persona.md",
        f"{NEKO}/events/c3.md",
        f"{NEKO}/events/c1.md",
        f"{NEKO}/events/c2.md",
        f"{NEKO}/timeline.md",
        f"{NEKO}/life_sim/c1.md",
        f"{NEKO}/users/u1/recent_digest.md",
        f"{NEKO}/general.md",
    ]


async def test_r7_05_records_are_those_of_the_file_with_four_more_fields(page: Page) -> None:
    await page.write(
        PERSONA,
        target_id="u1",
        title="用户人格记忆",
        content="喜欢动漫 <script>alert(1)</script>",
        summary="概要",
        tags=["a", "b"],
        importance=0.8,
        source_event_id="turn-1",
        memory_ids=["m1"],
    )
    [record] = (await page.get()).json()["files"]
    file = await in_thread(page.memory.read, PERSONA)
    assert file is not None
    assert record == {**file.to_record(), **describe_memory_path(PERSONA)}
    assert list(record) == [*file.to_record(), *EXTRA]
    assert {name: record[name] for name in EXTRA} == {
        "category": "user_persona",
        "category_label": "用户人格",
        "injects_to_prompt": True,
        "category_order": 10,
    }


async def test_r7_05_the_list_of_one_character(page: Page) -> None:
    await fill(page)
    assert await paths(page, character_id="猫娘") == ["characters/猫娘/users/u1/user_persona.md"]
    assert len(await paths(page, character_id="neko")) == 9
    assert len(await paths(page, character_id="")) == 10
    for other in ("nobody", "NEKO", "ne", "%", "a\x00b", "'; drop table files"):
        assert (await page.get(character_id=other)).json() == {"files": [], "total": 0}


async def test_r7_05_a_character_is_found_by_its_id_not_its_segment(page: Page) -> None:
    path = page.memory.path_general("a/b")
    await page.write(path, content="x")
    assert await paths(page, character_id="a/b") == [path]
    assert await paths(page, character_id="a%2Fb") == []


async def test_r7_05_parts_of_the_list(page: Page) -> None:
    await fill(page)
    everything = await paths(page)
    for limit in range(1, 12):
        for offset in range(12):
            part = (await page.get(limit=str(limit), offset=str(offset))).json()
            assert [file["path"] for file in part["files"]] == everything[offset : offset + limit]
            assert part["total"] == 10
    assert await paths(page, offset="3") == everything[3:]
    assert await paths(page, offset=str(10**30)) == []
    assert await paths(page, limit=str(10**30)) == everything


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"limit": "abc"}, ["limit", "'abc'", "整数"]),
        ({"limit": "1.5"}, ["limit", "整数"]),
        ({"limit": ""}, ["limit", "整数"]),
        ({"limit": "0"}, ["limit", "不能小于 1"]),
        ({"offset": "-1"}, ["offset", "'-1'", "不能小于 0"]),
        ({"limit": "9" * 5000}, ["limit", "数字太大"]),
        ({"limit": "x", "offset": "y"}, ["limit", "offset"]),
    ],
)
async def test_r7_05_a_wrong_parameter_is_named(page: Page, params: dict[str, str], words: list[str]) -> None:
    refused = await page.get(**params)
    assert refused.status_code == 422
    for word in words:
        assert word in refused.json()["detail"]
    assert len(refused.json()["detail"]) < 300


async def test_r7_05_a_hand_edit_is_listed(page: Page) -> None:
    directory = page.memory.directory
    assert directory is not None
    edited = {f"{NEKO}/general.md": {"content": "手写的"}}
    await in_thread((directory / "memory_fs.json").write_text, json.dumps(edited), "utf-8")
    assert await paths(page) == [f"{NEKO}/general.md"]


# ---- one file


async def test_r7_05_one_file(page: Page) -> None:
    await fill(page)
    answer = await page.get(path=PERSONA)
    assert answer.status_code == 200
    [listed] = [file for file in (await page.get()).json()["files"] if file["path"] == PERSONA]
    assert answer.json() == listed
    assert (await page.get(path=PERSONA, character_id="other", limit="1")).json() == listed


async def test_r7_05_a_missing_file_is_404(page: Page) -> None:
    missing = await page.get(path=PERSONA)
    assert missing.status_code == 404
    assert missing.json() == {"detail": f"没有记忆文件 '{PERSONA}'"}


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nonsense",
        "characters/neko",
        "characters/neko/users/u1",
        "characters/neko/../../etc/passwd.md",
        "characters//general.md",
        "characters/neko/a\\b.md",
        "characters/neko/a\x00.md",
        "/characters/neko/general.md",
        f"characters/neko/{'x' * 600}.md",
    ],
)
async def test_r7_05_a_malformed_path_is_400(page: Page, path: str) -> None:
    refused = await page.get(path=path)
    assert refused.status_code == 400
    assert list(refused.json()) == ["detail"]
    assert "记忆路径" in refused.json()["detail"]
    assert "应形如" in refused.json()["detail"]


async def test_r7_05_bytes_that_are_no_text_are_answered(page: Page) -> None:
    assert (await page.get(f"{URL}?path=%ff%fe")).status_code == 400
    assert (await page.get(f"{URL}?character_id=%ff%00")).json() == {"files": [], "total": 0}


# ---- how


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_r7_05_nothing_is_written_through_it(page: Page, method: str) -> None:
    await fill(page)
    assert (await page.get(method=method, path=PERSONA)).status_code == 405
    assert len(await paths(page)) == 10


async def test_r7_05_work_runs_off_the_event_loop(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    listing = MemoryFS.list_all

    def noted(fs: MemoryFS) -> list[MemoryFile]:
        threads.append(threading.current_thread())
        return listing(fs)

    monkeypatch.setattr(MemoryFS, "list_all", noted)
    await asyncio.gather(*(page.get() for _ in range(20)))
    assert len(threads) == 20
    assert threading.current_thread() not in threads


async def test_r7_05_openapi_is_built_from_the_router(page: Page) -> None:
    document: dict[str, Any] = (await page.get("/openapi.json", headers={})).json()
    operation = document["paths"][URL]["get"]
    assert {parameter["name"] for parameter in operation["parameters"]} == {
        "path",
        "character_id",
        "limit",
        "offset",
    }
    assert set(operation["responses"]) == {"200", "400", "401", "403", "404", "422", "503"}
    assert operation["security"] == [{"HTTPBearer": []}]
    schemas = document["components"]["schemas"]
    assert list(schemas["FileList"]["properties"]) == ["files", "total"]
    file = MemoryFile(path="p", character_id="c", title="t", created_at="", updated_at="")
    assert list(schemas["FileRecord"]["properties"]) == [*file.to_record(), *EXTRA]
    answers = operation["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"]
    assert [answer["$ref"].rsplit("/", 1)[1] for answer in answers] == ["FileList", "FileRecord"]
