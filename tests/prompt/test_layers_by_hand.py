"""R3.2: people edit `prompts.json` while the bot runs, and get things wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from nonebot_plugin_memoryfs.prompt.layers import FILE, Layers
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.prompt_tables import layers
from nonebot_plugin_memoryfs.text.cleaning import clean_json

from ..conftest import Clock
from .on_disk import ODD_IDS, edit, history, path_of, saved


def test_r3_02_edits_by_hand_are_seen_by_the_next_read(store: Store, own: Layers) -> None:
    own.save("user", "1", "旧")
    own.save("user", "2", "留下")
    edit(store, {"user": {"1": "手改", "2": "留下", " 3 ": "新加"}, "default": "默认"})
    assert (own.get("user", "1"), own.get("user", "2"), own.get("user", "3")) == ("手改", "留下", "新加")
    assert own.get("default") == "默认"
    assert ("user", "1", "旧") in history(store)


def test_r3_02_a_save_does_not_lose_an_edit_nor_to_an_older_one(store: Store, own: Layers) -> None:
    own.save("user", "1", "旧")
    edit(store, {"user": {"1": "手改", "2": "手加"}})
    own.save("user", "1", "最新")
    assert saved(store)["user"] == {"1": "最新", "2": "手加"}
    assert [text for *_, text in history(store)] == ["旧", "手改"]


@pytest.mark.parametrize("blank", ["", "  \n　"])
def test_r3_02_blanked_or_removed_by_hand_is_no_layer(store: Store, own: Layers, blank: str) -> None:
    for user in "12":
        own.save("user", user, f"第 {user} 个")
    edit(store, {"user": {"1": blank}})
    assert own.all() == []
    assert sorted(text for *_, text in history(store)) == ["第 1 个", "第 2 个"]
    own.save("group", "9", "写")
    assert saved(store) == {"user": {}, "group": {"9": "写"}, "default": ""}


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ([], "user、group、default"),
        ("文字", "user、group、default"),
        (None, "user、group、default"),
        ({"users": {"1": "x"}}, "'users'，只能是 user、group、default"),
        ({"user": ["x"]}, "user 应是 {号码: 文字}，实际是 list"),
        ({"group": None}, "group 应是 {号码: 文字}"),
        ({"user": "x"}, "user 应是 {号码: 文字}"),
    ],
)
def test_r3_02_a_file_of_the_wrong_form_is_set_aside_and_changes_nothing(
    store: Store, own: Layers, data: Any, named: str
) -> None:
    own.save("user", "1", "留下")
    edit(store, data)
    assert own.get("user", "1") == "留下"
    own.save("default", "", "新")
    assert saved(store) == {"user": {"1": "留下"}, "group": {}, "default": "新"}
    assert named in store.notices[-1][1]
    assert len(list(path_of(store).parent.glob(f"{FILE}.unreadable-*"))) == 1


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ('{"user": {"2": "先"}, "user": {"3": "后"}}'.encode(), "'user' 写了两次"),
        ('{"user": {"2": "先", "2": "后"}}'.encode(), "'2' 写了两次"),
        ('{"default": "中文"}'.encode("gbk"), "应为 UTF-8 编码"),
        ('{"default": "中文"}'.encode("utf-16"), "应为 UTF-8 编码"),
    ],
)
def test_r3_02_what_would_lose_half_of_an_edit_is_told(
    store: Store, own: Layers, raw: bytes, named: str
) -> None:
    own.save("user", "1", "留下")
    path_of(store).write_bytes(raw)
    assert [layer.content for layer in own.all()] == ["留下"]
    assert named in store.notices[-1][1]


@pytest.mark.parametrize("damage", [b"", b'{"user": {"1": "ha', b"\xff\xfe\x00", b"[" * 50_000])
def test_r3_02_a_damaged_file_is_set_aside(store: Store, own: Layers, damage: bytes) -> None:
    own.save("user", "1", "留下")
    path_of(store).write_bytes(damage)
    assert own.get("user", "1") == "留下"
    [aside] = path_of(store).parent.glob(f"{FILE}.unreadable-*")
    assert aside.read_bytes() == damage


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"user": {"1": ["x"], "2": "好"}}, "user/1 应是文字，实际是 list"),
        ({"user": {"1": None, "2": "好"}}, "user/1 应是文字"),
        ({"user": {"1": "长" * 8001, "2": "好"}}, "user/1 的提示词有 8001 字，最多 8000 字"),
        ({"user": {"1": "旧", "": "谁", "2": "好"}}, "user 的号码不能为空"),
        ({"user": {"1": "旧", "2": "好"}, "default": {}}, "default 应是文字"),
    ],
)
def test_r3_02_one_bad_layer_does_not_cost_the_others(
    store: Store, own: Layers, data: Any, named: str
) -> None:
    own.save("user", "1", "旧")
    edit(store, data)
    assert (own.get("user", "1"), own.get("user", "2"), own.get("default")) == ("旧", "好", "")
    assert named in store.notices[-1][1]
    own.save("group", "9", "x")
    assert saved(store) == {"user": {"1": "旧", "2": "好"}, "group": {"9": "x"}, "default": ""}


texts = st.text(max_size=12)
files = st.fixed_dictionaries(
    {},
    optional={
        "user": st.dictionaries(texts, texts, max_size=4),
        "group": st.dictionaries(texts, texts, max_size=4),
        "default": texts,
    },
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=files, edited=files)
def test_r6_15_what_a_person_saved_is_what_is_read(
    store: Store, own: Layers, before: dict[str, Any], edited: dict[str, Any]
) -> None:
    with store.database.write() as c:
        c.execute(delete(layers))
    own.save("default", "", "起点")
    for data in (before, edited):
        edit(store, data)
        own.save("group", "推", "写")
        own.save("group", "推", "")
    edited = clean_json(edited)
    for level in ("user", "group"):
        for target, text in edited.get(level, {}).items():
            twins = [t for t in edited[level] if t.strip() == target.strip()]
            if target.strip() and len(twins) == 1 and target.strip() != "推":
                assert own.get(level, target) == (text if text.strip() else "")
    default = edited.get("default", "")
    assert own.get("default") == (default if default.strip() else "")


odd: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["\ud800", "\x00", "长" * 8001, 10**400, [[[[]]]], {"a": {"b": None}}]),
    st.lists(st.integers(), max_size=2),
)
odd_files = st.one_of(
    odd,
    st.dictionaries(
        st.sampled_from(["user", "group", "default", "users", ""]),
        odd | st.dictionaries(st.text(max_size=6) | st.sampled_from(ODD_IDS), odd, max_size=3),
        max_size=3,
    ),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=odd_files)
def test_r6_15_whatever_a_person_saves_prompts_are_read_and_opened_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: Clock, data: Any
) -> None:
    monkeypatch.setattr("nonebot_plugin_memoryfs.storage.json_face._READ_PAUSE_SECONDS", 0)
    file = tmp_path / FILE
    for _ in range(2):
        with Store.open(tmp_path, clock=clock) as opened:
            own = Layers(opened)
            file.write_text(json.dumps(data))
            assert isinstance(own.get("user", "1"), str)
            assert all(isinstance(layer.content, str) for layer in own.all())
            own.save("group", "9", "写")
            assert json.loads(file.read_text("utf-8"))["group"]["9"] == "写"
        file.write_text(json.dumps(data))
