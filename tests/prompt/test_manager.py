"""R3.1–R3.3: which layer wins, the upstream's folder, and that no id becomes a path."""

import itertools
import json
from pathlib import Path
from typing import Literal

import pytest

from nonebot_plugin_memoryfs.character import Card
from nonebot_plugin_memoryfs.errors import ConfigError, InvalidInput, TooLong
from nonebot_plugin_memoryfs.prompt import BaseLayer, PromptManager
from nonebot_plugin_memoryfs.storage import Store

from .on_disk import ODD_IDS

CARD = Card(id="c", name="小卡", system_prompt="卡片：{{char}} 和 {{user}}")
LAYERS: tuple[Literal["user", "group", "default", "card"], ...] = ("user", "group", "default", "card")
FILES = {
    "user": "user/user_1.txt",
    "group": "group/group_9.txt",
    "default": "neko.txt",
    "card": "personality.json",
}
WHERE = list(itertools.product([False, True], repeat=4))
"""Which of the four layers are there."""


@pytest.fixture
def folder(store: Store) -> Path:
    assert store.directory is not None
    path = store.directory / "resources" / "prompts"
    for name in ("user", "group"):
        (path / name).mkdir(parents=True)
    return path


@pytest.fixture
def manager(store: Store) -> PromptManager:
    return PromptManager(store=store)


def save_in_store(manager: PromptManager, level: str) -> None:
    match level:
        case "user":
            manager.save_prompt("store user", user_id="1")
        case "group":
            manager.save_prompt("store group", group_id="9")
        case _:
            manager.save_prompt("store default")


def save_in_folder(folder: Path, level: str) -> None:
    text = json.dumps({"name": "n", "systemPrompt": "file card"}) if level == "card" else f"file {level}\n"
    (folder / FILES[level]).write_text(text, "utf-8")


def expected_layer(in_store: tuple[bool, ...], in_folder: tuple[bool, ...]) -> BaseLayer | None:
    for level, here, there in zip(LAYERS, in_store, in_folder, strict=True):
        if here and level == "card":
            return BaseLayer("card", "card", "卡片：小卡 和 对方")
        if here:
            return BaseLayer(level, "store", f"store {level}")
        if there:
            return BaseLayer(level, "card" if level == "card" else "file", f"file {level}")
    return None


@pytest.mark.parametrize("in_store", WHERE)
def test_r3_02_user_then_group_then_default_then_card_the_store_before_the_file(
    store: Store, folder: Path, in_store: tuple[bool, ...]
) -> None:
    manager = PromptManager(store=store, card_of=(lambda _: CARD) if in_store[-1] else None)
    for level in itertools.compress(LAYERS[:3], in_store):
        save_in_store(manager, level)
    for in_folder in WHERE:
        for level, there in zip(LAYERS, in_folder, strict=True):
            save_in_folder(folder, level) if there else (folder / FILES[level]).unlink(missing_ok=True)
        expected = expected_layer(in_store, in_folder)
        assert manager.layer_for("1", "9") == expected
        assert manager.load_base_prompt("1", "9") == (expected.text if expected else "")


def test_r3_02_a_user_without_an_own_prompt_gets_the_groups(manager: PromptManager) -> None:
    manager.save_prompt("群", group_id="9")
    manager.save_prompt("默认")
    assert manager.load_base_prompt(user_id="1", group_id="9") == "群"
    assert manager.load_base_prompt(user_id="1") == "默认"
    assert manager.load_base_prompt(user_id="1", group_id="8") == "默认"


def test_r3_02_blank_layers_fall_through(manager: PromptManager, folder: Path) -> None:
    manager.save_prompt(" \n", user_id="1")
    (folder / "user" / "user_1.txt").write_text("\ufeff \n　", "utf-8")
    (folder / "neko.txt").write_text("", "utf-8")
    save_in_folder(folder, "card")
    assert manager.load_base_prompt("1") == "file card"


def test_r3_02_no_ids_and_blank_ids_mean_the_default(manager: PromptManager) -> None:
    manager.save_prompt("默认")
    assert manager.load_base_prompt() == manager.load_base_prompt("", " ") == "默认"


def test_r3_02_ids_may_be_numbers(manager: PromptManager) -> None:
    assert manager.save_prompt("猫", user_id=10001) is True
    assert manager.load_base_prompt("10001") == manager.load_base_prompt(10001) == "猫"


def test_r3_02_edits_by_hand_are_seen_while_running(
    store: Store, manager: PromptManager, folder: Path
) -> None:
    manager.save_prompt("旧", user_id="1")
    assert store.directory is not None
    (store.directory / "prompts.json").write_text('{"user": {"1": "手改的"}}', "utf-8")
    assert manager.load_base_prompt("1") == "手改的"
    (folder / "neko.txt").write_text("文件", "utf-8")
    assert manager.load_base_prompt("2") == "文件"
    (folder / "neko.txt").write_text("文件改了", "utf-8")
    assert manager.load_base_prompt("2") == "文件改了"
    (folder / "neko.txt").unlink()
    assert manager.load_base_prompt("2") == ""


def test_r3_02_the_card_of_the_conversation_counts_and_no_other(store: Store, folder: Path) -> None:
    manager = PromptManager(store=store, card_of=lambda _: CARD)
    save_in_folder(folder, "card")
    other = Card(id="o", name="小另", system_prompt="你好 {{user}}")
    assert manager.layer_for("1", card=other, user_name="阿明") == BaseLayer("card", "card", "你好 阿明")
    assert manager.layer_for("1", card=Card(id="x", name="无词")) is None
    assert PromptManager(store=store).load_base_prompt("1") == "file card"


def test_r3_02_who_plays_where_is_asked_for_each_prompt(store: Store) -> None:
    asked: list[str] = []

    def card_of(conversation_id: str) -> Card:
        asked.append(conversation_id)
        return CARD

    manager = PromptManager(store=store, card_of=card_of)
    for ids in (("1", "9"), ("1", None), (None, "9"), (None, None)):
        manager.load_base_prompt(*ids)
    assert asked == ["qq_group_9", "qq_private_1", "qq_group_9", ""]


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("neko.txt", "小猫咪".encode("gbk"), "UTF-8"),
        ("neko.txt", "长".encode() * 8001, "8001 字，最多 8000 字"),
        ("neko.txt", b" " * 8_000_001, "8000000 字节"),
        ("personality.json", b"{", "JSON"),
        ("personality.json", b'{"name": "n", "systemPrompt": 3}', "systemPrompt"),
    ],
)
def test_r3_02_a_file_that_cant_be_used_is_reported_once_and_passed_over(
    store: Store, manager: PromptManager, folder: Path, name: str, content: bytes, named: str
) -> None:
    (folder / name).write_bytes(content)
    assert manager.load_base_prompt("1") == manager.load_base_prompt("1") == ""
    [(_, message)] = store.notices
    assert name in message
    assert named in message


def test_r3_02_a_directory_in_the_place_of_a_file_is_passed_over(
    store: Store, manager: PromptManager, folder: Path
) -> None:
    (folder / "neko.txt").mkdir()
    assert manager.load_base_prompt() == ""
    assert "neko.txt" in store.notices[-1][1]


@pytest.mark.parametrize("odd", ODD_IDS)
def test_r6_07_no_id_reaches_the_file_system(
    manager: PromptManager, folder: Path, odd: str, tmp_path: Path
) -> None:
    for name in ("x.txt", "user_x.txt", "data/x.txt"):
        (tmp_path / name).write_text("秘密", "utf-8")
    (folder / "x.txt").write_text("秘密", "utf-8")
    assert manager.load_base_prompt(odd, odd) == ""
    assert manager.save_prompt("怪", user_id=odd)
    assert manager.load_base_prompt(odd) == "怪"
    assert not list(folder.rglob("*怪*"))


def test_r3_03_encoded_ids_find_their_file(manager: PromptManager, folder: Path) -> None:
    (folder / "user" / "user_a%2Fb.txt").write_text("斜线", "utf-8")
    assert manager.load_base_prompt("a/b") == "斜线"
    assert manager.load_base_prompt("a%2Fb") == ""


def test_r3_03_save_takes_the_nearest_target(manager: PromptManager) -> None:
    manager.save_prompt("人", user_id="1", group_id="9")
    assert (manager.load_base_prompt("1"), manager.load_base_prompt(group_id="9")) == ("人", "")


def test_r3_03_what_is_refused(manager: PromptManager) -> None:
    with pytest.raises(TooLong, match="最多 8000 字"):
        manager.save_prompt("长" * 8001, group_id="9")
    with pytest.raises(InvalidInput, match="不能为空"):
        manager.save_prompt("x", user_id="")
    assert manager.layers.all() == []


def test_r3_01_it_opens_a_directory_of_its_own(tmp_path: Path) -> None:
    with PromptManager(tmp_path / "d") as manager:
        manager.save_prompt("我", user_id="1")
        assert json.loads((tmp_path / "d" / "prompts.json").read_text("utf-8"))["user"] == {"1": "我"}
    manager.close()
    with PromptManager(str(tmp_path / "d")) as manager:
        assert manager.load_base_prompt("1") == "我"


def test_r3_01_without_a_place_it_says_so() -> None:
    with pytest.raises(ConfigError, match="data_dir"):
        PromptManager()


def test_r3_01_a_store_that_was_given_stays_open(store: Store) -> None:
    with PromptManager(store=store) as manager:
        manager.save_prompt("我")
    assert PromptManager(store=store).load_base_prompt() == "我"
