"""R1.1, R1.5, R1.6, R1.8, R1.9: the calls of MemoryFS."""

import threading
from datetime import datetime
from typing import Any

import pytest

from nonebot_plugin_memoryfs.errors import InvalidInput, InvalidMemoryPath
from nonebot_plugin_memoryfs.memory import Category, Entry, MemoryFile, MemoryFS, describe_memory_path
from nonebot_plugin_memoryfs.memory.paths import parse_memory_path
from nonebot_plugin_memoryfs.scope import Viewer
from nonebot_plugin_memoryfs.storage import Store

from ..conftest import Clock
from .conftest import MakeViewer, at, entry

PERSONA = "characters/neko_girl/users/user_123/user_persona.md"
DIGEST = "characters/neko_girl/users/user_123/recent_digest.md"
EVENTS = "characters/neko_girl/events/conv_abc.md"


# ---- the seed's documented calls


def test_r1_01_the_seeds_read_write_delete_and_list(fs: MemoryFS, capsys: pytest.CaptureFixture[str]) -> None:
    fs.write(
        path="characters/neko_girl/users/user_123/user_persona.md",
        character_id="neko_girl",
        target_id="user_123",
        title="用户人格记忆",
        content="用户喜欢动漫",
        importance=0.8,
    )
    fs.write(
        path="characters/neko_girl/users/user_123/recent_digest.md",
        character_id="neko_girl",
        content="今天和用户聊了关于动漫的话题",
        append=True,
    )
    mf = fs.read("characters/neko_girl/users/user_123/user_persona.md")
    assert mf is not None
    assert (mf.title, mf.content, mf.importance, mf.target_id) == (
        "用户人格记忆",
        "用户喜欢动漫",
        0.8,
        "user_123",
    )

    files = fs.list_for_character("neko_girl")
    for mf in files:
        print(f"{mf.path}: {mf.title} (importance={mf.importance})")
    assert capsys.readouterr().out.splitlines() == [
        "characters/neko_girl/users/user_123/user_persona.md: 用户人格记忆 (importance=0.8)",
        "characters/neko_girl/users/user_123/recent_digest.md: 近期对话摘要 (importance=0.5)",
    ]

    context = fs.build_prompt_context("neko_girl", "user_123", "conv_abc")
    assert context == "【用户人格记忆】\n用户喜欢动漫\n\n【近期对话压缩摘要】\n今天和用户聊了关于动漫的话题"

    assert fs.delete("characters/neko_girl/users/user_123/user_persona.md") is True
    assert fs.delete("characters/neko_girl/users/user_123/user_persona.md") is False
    assert fs.read("characters/neko_girl/users/user_123/user_persona.md") is None


def test_r1_01_the_list_is_by_importance_then_newest_then_path(fs: MemoryFS, clock: Clock) -> None:
    for name, importance in (("c", 0.5), ("b", 0.5), ("a", 0.1), ("d", 0.9)):
        fs.write(f"characters/neko/{name}.md", content="x", importance=importance)
    clock.advance(minutes=1)
    fs.write("characters/neko/z.md", content="x", importance=0.5)
    fs.write("characters/other/x.md", content="x")
    names = [file.path.removeprefix("characters/neko/") for file in fs.list_for_character("neko")]
    assert names == ["d.md", "z.md", "b.md", "c.md", "a.md"]


def test_r1_01_all_files_are_those_of_every_character_by_path(fs: MemoryFS) -> None:
    assert fs.list_all() == []
    for path in ("characters/neko/z.md", "characters/b/a.md", "characters/neko/a.md"):
        fs.write(path, content="x", importance=0.9)
    fs.delete("characters/neko/z.md")
    assert [file.path for file in fs.list_all()] == ["characters/b/a.md", "characters/neko/a.md"]
    assert fs.list_all() == fs.list_for_character("b") + fs.list_for_character("neko")


# ---- records


def test_r1_05_a_new_file_and_its_defaults(fs: MemoryFS) -> None:
    assert fs.write(PERSONA, content="喜欢动漫") == MemoryFile(
        path=PERSONA,
        character_id="neko_girl",
        target_id="user_123",
        title="用户人格",
        content="喜欢动漫",
        summary="",
        tags=(),
        importance=0.5,
        version=1,
        source_event_id="",
        memory_ids=(),
        created_at="2026-07-08T14:30:00+08:00",
        updated_at="2026-07-08T14:30:00+08:00",
    )


@pytest.mark.parametrize(
    ("path", "target"),
    [(PERSONA, "user_123"), (EVENTS, "conv_abc"), ("characters/neko_girl/timeline.md", "")],
)
def test_r1_05_a_file_is_titled_and_targeted_by_its_path(fs: MemoryFS, path: str, target: str) -> None:
    file = fs.write(path, content="x")
    assert (file.title, file.target_id) == (parse_memory_path(path).kind.category.label, target)
    assert fs.write(path, title="自定").title == "自定"
    assert fs.write(path, title="").title == file.title


def test_r1_05_times_are_aware_and_versions_count(fs: MemoryFS, clock: Clock) -> None:
    for version in (1, 2, 3):
        file = fs.write(PERSONA, content="x")
        clock.advance(hours=1)
        assert file.version == version
    assert file.created_at == "2026-07-08T14:30:00+08:00"
    assert datetime.fromisoformat(file.updated_at).isoformat() == "2026-07-08T16:30:00+08:00"


@pytest.mark.parametrize("importance", [-0.1, 1.1, float("nan"), True, "0.5"])
def test_r1_05_importance_is_from_0_to_1(fs: MemoryFS, importance: float) -> None:
    with pytest.raises(InvalidInput, match="0 到 1"):
        fs.write(PERSONA, content="x", importance=importance)
    assert fs.read(PERSONA) is None


def test_r1_06_none_leaves_a_field_and_any_other_value_replaces_it(fs: MemoryFS) -> None:
    full = fs.write(
        PERSONA,
        target_id="t",
        title="题",
        content="文",
        summary="要",
        tags=["a", "b"],
        importance=0.9,
        source_event_id="7",
        memory_ids=["m1", "m2"],
    )
    same = fs.write(PERSONA)
    assert (same.version, same.title, same.content, same.tags) == (2, "题", "文", ("a", "b"))
    blank = fs.write(
        PERSONA,
        target_id="",
        content="",
        summary="",
        tags=[],
        importance=0.0,
        source_event_id="",
        memory_ids=[],
    )
    assert (
        full.to_record()
        | {
            "target_id": "",
            "content": "",
            "summary": "",
            "tags": [],
            "importance": 0.0,
            "source_event_id": "",
            "memory_ids": [],
            "version": 3,
        }
        == blank.to_record()
    )


def test_r1_06_appending_takes_the_larger_importance_and_adds_ids(fs: MemoryFS) -> None:
    fs.write(EVENTS, content="一", importance=0.8, memory_ids=["b", "a"])
    file = fs.write(EVENTS, content="二", importance=0.3, memory_ids=["c", "a"], append=True)
    assert (file.content, file.importance, file.memory_ids) == ("一\n\n二", 0.8, ("b", "a", "c"))
    assert fs.write(EVENTS, content="三", importance=0.9, append=True).importance == 0.9
    assert fs.write(EVENTS, content="四", append=True).importance == 0.9


def test_r1_06_the_character_must_be_the_paths(fs: MemoryFS) -> None:
    with pytest.raises(InvalidInput, match="不一致"):
        fs.write(PERSONA, character_id="另一个", content="x")


def test_r1_06_an_unknown_field_is_an_error(fs: MemoryFS) -> None:
    with pytest.raises(TypeError, match="titel"):
        fs.append(EVENTS, entry("x"), titel="x")  # type: ignore[call-arg]  # pyright: ignore


# ---- entries


def test_r1_07_content_is_parsed_and_an_appended_text_is_one_note(fs: MemoryFS) -> None:
    fs.write(EVENTS, content="[2026-07-08 12:00] [conv:g] [by:1] 约好了\n\n\n第二条")
    fs.write(EVENTS, content="[conv:h] 假标签\n\n第二段", append=True)
    assert fs.entries(EVENTS) == (
        entry("约好了", 0, "g", "1"),
        entry("第二条", None),
        entry("〔conv:h] 假标签\n第二段", None),
    )


@pytest.mark.parametrize("content", [None, "", " \n\n "])
def test_r1_07_appending_nothing_adds_no_entry(fs: MemoryFS, content: str | None) -> None:
    fs.write(EVENTS, content="一")
    assert fs.write(EVENTS, content=content, append=True).content == "一"


def test_r1_08_entries_are_numbered_edited_and_removed(fs: MemoryFS) -> None:
    for n, text in enumerate(("一", "二", "三")):
        fs.append(EVENTS, entry(text, n, "conv_abc", "1"), title="事件")
    file = fs.edit_entry(EVENTS, 2, "二改\n\n两段")
    assert file.version == 4
    assert fs.entries(EVENTS)[1] == entry("二改\n两段", 1, "conv_abc", "1")
    assert fs.remove_entry(EVENTS, 1).title == "事件"
    assert [e.text for e in fs.entries(EVENTS)] == ["二改\n两段", "三"]
    fs.remove_entry(EVENTS, 1)
    assert fs.remove_entry(EVENTS, 1).content == ""


@pytest.mark.parametrize("number", [0, -1, 3])
def test_r1_08_a_number_that_is_none_is_refused(fs: MemoryFS, number: int) -> None:
    fs.write(EVENTS, content="一\n\n二")
    for call in (lambda: fs.edit_entry(EVENTS, number, "x"), lambda: fs.remove_entry(EVENTS, number)):
        with pytest.raises(InvalidInput, match="可用 1 到 2"):
            call()
    with pytest.raises(InvalidInput, match="没有条目"):
        fs.remove_entry(PERSONA, 1)
    assert fs.read(PERSONA) is None


def test_r1_08_a_number_of_an_older_list_touches_nothing(fs: MemoryFS) -> None:
    fs.write(EVENTS, content="一\n\n二\n\n三")
    shown = fs.entries(EVENTS)[1]
    fs.remove_entry(EVENTS, 1)
    for call in (
        lambda: fs.edit_entry(EVENTS, 2, "x", expected=shown),
        lambda: fs.remove_entry(EVENTS, 2, expected=shown),
    ):
        with pytest.raises(InvalidInput, match="重新查看"):
            call()
    assert fs.remove_entry(EVENTS, 1, expected=shown).content == "三"


def test_r1_09_saying_it_again_only_refreshes_the_time(fs: MemoryFS) -> None:
    fs.append(EVENTS, entry("我喜欢猫", 0, "g", "1"))
    fs.append(EVENTS, entry("下雨了", 1, "g", "1"))
    fs.append(EVENTS, entry("我喜欢猫！", 2, "g", "1"))
    assert fs.entries(EVENTS) == (entry("下雨了", 1, "g", "1"), entry("我喜欢猫", 2, "g", "1"))
    fs.append(EVENTS, entry("下雨了", -5, "g", "1"))
    assert fs.entries(EVENTS)[1] == entry("下雨了", 1, "g", "1")


def test_r1_09_what_another_person_or_place_says_is_kept_apart(fs: MemoryFS) -> None:
    for where, who in (("g", "1"), ("g", "2"), ("h", "1")):
        fs.append(EVENTS, entry("我喜欢猫", 0, where, who))
    assert len(fs.entries(EVENTS)) == 3


def test_r1_09_a_digest_holds_one_entry_per_conversation(fs: MemoryFS) -> None:
    fs.append(DIGEST, entry("聊了动漫", 0, "g", "1"))
    fs.append(DIGEST, entry("聊了天气", 1, "h", "1"))
    fs.append(DIGEST, entry("聊了动漫和游戏", 2, "g", "1"))
    assert fs.entries(DIGEST) == (entry("聊了天气", 1, "h", "1"), entry("聊了动漫和游戏", 2, "g", "1"))


def test_r1_17_only_speaking_makes_a_place_one_was_seen_in(
    fs: MemoryFS, store: Store, viewer: MakeViewer
) -> None:
    fs.append(EVENTS, entry("说的", 3, "qq_group_1", "1"), spoken=True)
    fs.append(EVENTS, entry("说到的", 0, "qq_group_2", "1"))
    assert viewer("1", "qq_private_1").seen_in == {"qq_group_1": at(3)}


# ---- the past


def test_r1_11_former_versions_are_kept_and_come_back(fs: MemoryFS, clock: Clock) -> None:
    for text in ("一", "二", "三"):
        fs.write(PERSONA, content=text, title=text)
        clock.advance(hours=1)
    assert [(v.version, v.content) for v in fs.versions(PERSONA)] == [(2, "二"), (1, "一")]
    restored = fs.restore(PERSONA, 1)
    assert (restored.version, restored.content, restored.title) == (4, "一", "一")
    assert restored.updated_at == "2026-07-08T17:30:00+08:00"
    undone = fs.restore(PERSONA)
    assert (undone.version, undone.content) == (5, "三")
    with pytest.raises(InvalidInput, match="没有可恢复的第 9 版"):
        fs.restore(PERSONA, 9)


def test_r1_11_a_deleted_file_comes_back(fs: MemoryFS) -> None:
    fs.write(PERSONA, content="一")
    fs.delete(PERSONA)
    assert fs.restore(PERSONA).content == "一"
    with pytest.raises(InvalidInput, match="没有旧版"):
        fs.restore(EVENTS)


def test_r7_03_what_is_forgotten_is_gone_from_the_past_too(fs: MemoryFS) -> None:
    fs.append(EVENTS, entry("秘密", 0, "g", "1"))
    fs.append(EVENTS, entry("别的", 1, "g", "1"))
    fs.remove_entry(EVENTS, 1, forget=True)
    assert "秘密" not in repr(fs.versions(EVENTS))
    assert "别的" in repr(fs.versions(EVENTS))


# ---- together


def test_r6_02_writers_on_many_threads_lose_nothing(fs: MemoryFS) -> None:
    def work(thread: int) -> None:
        for n in range(10):
            fs.append(EVENTS, Entry(f"{thread}-{n}"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {e.text for e in fs.entries(EVENTS)} == {f"{t}-{n}" for t in range(6) for n in range(10)}
    file = fs.read(EVENTS)
    assert file is not None
    assert file.version == 60


def test_r6_01_a_write_joins_the_callers_transaction(fs: MemoryFS, store: Store) -> None:
    def work() -> None:
        with store.database.write():
            fs.append(EVENTS, entry("x"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert fs.read(EVENTS) is None


def test_r1_02_category_is_exported_beside_it() -> None:
    assert Category.USER_PERSONA.label == "用户人格"


@pytest.mark.parametrize("path", [None, 5, b"x"])
def test_r1_04_a_path_that_is_no_text_is_refused(fs: MemoryFS, path: Any) -> None:
    for call in (fs.read, fs.delete, describe_memory_path):
        with pytest.raises(InvalidMemoryPath, match="应是文字"):
            call(path)


def test_r1_04_ids_may_be_numbers(fs: MemoryFS) -> None:
    fs.write(fs.path_user_persona("neko", 5), content="喜欢猫")  # pyright: ignore[reportArgumentType]
    assert fs.read("characters/neko/users/5/user_persona.md") is not None


def test_r1_05_a_text_in_the_place_of_a_list_is_refused(fs: MemoryFS) -> None:
    with pytest.raises(InvalidInput, match="列表"):
        fs.write(fs.path_general("neko"), content="x", tags="abc")


def test_r1_04_a_segment_that_is_no_encoding_is_itself_the_id(fs: MemoryFS) -> None:
    path = "characters/a/users/100%FF/user_persona.md"
    fs.write(path, content="喜欢猫")
    assert fs.read(path) is not None


def test_r1_17_another_characters_file_shows_nothing(fs: MemoryFS) -> None:
    path = fs.path_user_persona("c", "1")
    fs.write(path, content="喜欢猫")
    assert fs.visible_entries(Viewer("other", "1", "qq_private_1"), path) == []
    assert len(fs.visible_entries(Viewer("c", "1", "qq_private_1"), path)) == 1
