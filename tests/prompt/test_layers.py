"""R3.2, R3.3: the layers are a local JSON store, written before the call returns."""

from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.errors import InvalidInput, TooLong
from nonebot_plugin_memoryfs.prompt.layers import FILE, MAX_HISTORY, Layers, Level
from nonebot_plugin_memoryfs.storage import Store

from .on_disk import ODD_IDS, edit, history, path_of, saved


def test_r3_02_a_fresh_file_shows_its_form(store: Store, own: Layers) -> None:
    own.save("default", "", "")
    assert saved(store) == {"user": {}, "group": {}, "default": ""}


def test_r3_02_a_layer_stands_in_the_file_when_save_returns(store: Store, own: Layers) -> None:
    own.save("user", "123", "你是猫\n第二行 🐱")
    own.save("group", "9", "你是狗")
    own.save("default", "", "你是鸟")
    assert saved(store) == {
        "user": {"123": "你是猫\n第二行 🐱"},
        "group": {"9": "你是狗"},
        "default": "你是鸟",
    }
    assert "你是猫" in path_of(store).read_text("utf-8")
    assert [(layer.level, layer.target_id) for layer in own.all()] == [
        ("user", "123"),
        ("group", "9"),
        ("default", ""),
    ]
    assert own.all()[0].updated_at == store.clock()


def test_r3_02_layers_outlive_the_process(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        Layers(store).save("user", "1", "记住")
    with Store.open(tmp_path) as store:
        assert Layers(store).get("user", "1") == "记住"


def test_r3_02_without_a_database_the_file_is_loaded(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"user": {"1": "来自文件"}}', "utf-8")
    with Store.open(tmp_path) as store:
        assert Layers(store).get("user", "1") == "来自文件"


def test_r3_03_blank_removes(store: Store, own: Layers) -> None:
    own.save("user", "1", "有")
    own.save("user", "1", " \n")
    assert own.get("user", "1") == ""
    assert saved(store)["user"] == {}
    assert history(store) == [("user", "1", "有")]


def test_r3_03_what_is_replaced_is_kept_up_to_a_number(store: Store, own: Layers) -> None:
    own.save("user", "2", "别人的")
    own.save("user", "2", "别人的新的")
    for number in range(MAX_HISTORY + 3):
        own.save("user", "1", f"第 {number} 版")
    own.save("user", "1", f"第 {MAX_HISTORY + 2} 版")
    mine = [text for _, user, text in history(store) if user == "1"]
    assert mine == [f"第 {number} 版" for number in range(2, MAX_HISTORY + 2)]
    assert ("user", "2", "别人的") in history(store)


def test_r3_03_8000_characters_and_no_more(own: Layers) -> None:
    own.save("user", "1", "🐱" * 8000)
    assert len(own.get("user", "1")) == 8000
    with pytest.raises(TooLong, match="8001 字，最多 8000 字"):
        own.save("user", "1", "🐱" * 8001)
    assert len(own.get("user", "1")) == 8000


@pytest.mark.parametrize("level", ["user", "group"])
@pytest.mark.parametrize("blank", ["", "  "])
def test_r3_03_a_layer_of_nobody_is_refused(own: Layers, level: Level, blank: str) -> None:
    with pytest.raises(InvalidInput, match="不能为空"):
        own.save(level, blank, "x")
    assert own.all() == []


@pytest.mark.parametrize("odd", ODD_IDS)
def test_r3_03_any_id_keeps_its_own_layer_and_nothing_leaves_the_directory(
    store: Store, own: Layers, odd: str, tmp_path: Path
) -> None:
    before = {path for path in tmp_path.rglob("*") if "memory.db" not in path.name}
    own.save("user", odd, "怪")
    own.save("user", "x", "平常")
    assert (own.get("user", odd), own.get("user", "x")) == ("怪", "平常")
    after = {path for path in tmp_path.rglob("*") if "memory.db" not in path.name}
    assert after - before <= {path_of(store)}
    edit(store, {**saved(store), "default": "手改"})
    assert (own.get("user", odd), own.get("default")) == ("怪", "手改")
    assert len(own.all()) == 3


def test_r3_03_control_characters_are_stored_and_unstorable_ones_replaced(store: Store, own: Layers) -> None:
    own.save("user", "1", "a\x00b\ud800c\x07\u202e")
    assert own.get("user", "1") == "a\ufffdb\ufffdc\x07\u202e"
    assert saved(store)["user"]["1"] == "a\ufffdb\ufffdc\x07\u202e"
