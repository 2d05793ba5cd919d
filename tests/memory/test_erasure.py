"""R7.4: a person's memory is erased everywhere, at once, and nobody else's."""

import pytest
from sqlalchemy import text

from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.storage import Store

from .conftest import entry


def everything(store: Store) -> str:
    with store.database.read() as connection:
        rows = [
            *connection.execute(
                text("select path || target_id || title || summary || content from files")
            ).scalars(),
            *connection.execute(text("select path || body from file_history")).scalars(),
        ]
    return "\n".join(rows).encode().decode("unicode_escape", "replace") + "\n".join(rows)


@pytest.mark.parametrize("user", ["10001", "小明", "a/b%c"])
def test_r7_04_files_entries_and_history_of_a_person_go(fs: MemoryFS, store: Store, user: str) -> None:
    group = "qq_group_9"
    for n in range(12):
        fs.append(fs.path_user_persona("neko", user), entry(f"画像{n}", n, group, user))
        fs.append(fs.path_recent_digest("other", user), entry(f"摘要{n}", n, group, user))
        fs.append(fs.path_important_events("neko", f"qq_private_{user}"), entry(f"私事{n}", n))
        fs.append(fs.path_life_sim("neko", f"qq_private_{user}"), entry(f"片段{n}", n))
        fs.append(fs.path_important_events("neko", group), entry(f"说的{n}", n, group, user))
        fs.append(fs.path_timeline("neko"), entry(f"经历{n}", n, f"qq_private_{user}", user))
        fs.append(fs.path_timeline("neko"), entry(f"别人的{n}", n, group, "20002"))
    for n in range(90):
        fs.append(fs.path_timeline("neko"), entry(f"后来{n}", n, group, "20002"))
    fs.write(fs.path_user("neko", user), content="旧版摘要")
    fs.write(fs.path_user("neko", user), content="旧版摘要二")
    fs.write(fs.path_user_persona("neko", "20002"), content="别人")

    erased = fs.erase_person(user)

    assert (erased.files, erased.entries) == (5, 12)
    left = everything(store)
    for word in ("画像", "摘要", "私事", "片段", "说的", "经历", user):
        assert word not in left
    for word in ("别人的0", "后来89", "别人"):
        assert word in left


def test_r7_04_a_similar_id_is_somebody_else(fs: MemoryFS) -> None:
    for user in ("1", "10", "1/0"):
        fs.write(fs.path_user_persona("neko", user), content=f"用户{user}")
        fs.append(fs.path_timeline("neko"), entry(f"经历{user}", 0, "qq_group_1", user))
    erased = fs.erase_person("1")
    assert (erased.files, erased.entries) == (1, 1)
    assert [e.text for e in fs.entries(fs.path_timeline("neko"))] == ["经历10", "经历1/0"]
    assert fs.read(fs.path_user_persona("neko", "1/0")) is not None


def test_r7_04_what_is_said_about_them_beside_the_entries_goes_too(fs: MemoryFS, store: Store) -> None:
    path = fs.path_important_events("neko", "qq_group_9")
    said = entry("要搬家", 0, "qq_group_9", "10001")
    fs.append(path, said, title="小明要搬家", summary="小明要搬家", target_id="10001")
    fs.append(path, entry("下雨了", 1, "qq_group_9", "20002"))
    fs.erase_person("10001")
    assert "搬家" not in everything(store)
    file = fs.read(path)
    assert file is not None
    assert (file.title, file.target_id, len(fs.entries(path))) == ("重要事件", "", 1)


def test_r7_04_erasing_nobody_changes_nothing(fs: MemoryFS) -> None:
    file = fs.write(fs.path_user_persona("neko", "1"), content="x")
    erased = fs.erase_person("2")
    assert (erased.files, erased.entries) == (0, 0)
    assert fs.read(file.path) == file
