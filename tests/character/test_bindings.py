"""R3.11: who plays where, on both databases."""

import pytest

from nonebot_plugin_memoryfs.character import Bindings
from nonebot_plugin_memoryfs.errors import InvalidInput
from nonebot_plugin_memoryfs.storage import Store

from ..postgres import parametrise as pytest_generate_tests  # noqa: F401
from .conftest import Folder


@pytest.fixture
def bindings(store: Store, folder: Folder) -> Bindings:
    folder.put("orange.json", {"name": "阿橘"})
    folder.put("shop.json", {"name": "店主"})
    return Bindings(store, folder.roster(), {"777": "orange"})


def test_r3_11_a_chat_goes_before_the_account_and_the_account_before_the_default(bindings: Bindings) -> None:
    assert bindings.character_of("1", "qq_group_9") == "neko"
    assert bindings.character_of("777", "qq_group_9") == "orange"
    bindings.bind("qq_group_9", "shop")
    bindings.bind("qq_private_5", "neko")
    assert bindings.character_of("777", "qq_group_9") == "shop"
    assert bindings.character_of("777", "qq_private_5") == "neko"
    assert bindings.character_of("777", "qq_group_8") == "orange"
    assert bindings.all() == {"qq_group_9": "shop", "qq_private_5": "neko"}


def test_r3_11_a_binding_can_be_changed_and_taken_back(bindings: Bindings) -> None:
    bindings.bind("qq_group_9", "shop")
    bindings.bind("qq_group_9", "orange")
    assert bindings.bound("qq_group_9") == "orange"
    assert bindings.unbind("qq_group_9") is True
    assert bindings.unbind("qq_group_9") is False
    assert bindings.character_of("1", "qq_group_9") == "neko"


def test_r3_11_a_binding_outlives_the_process(bindings: Bindings, folder: Folder, store: Store) -> None:
    bindings.bind("qq_group_9", "shop")
    assert Bindings(store, folder.roster(), {}).bound("qq_group_9") == "shop"


def test_r3_11_nobody_is_bound_to_a_character_that_is_not_there(bindings: Bindings) -> None:
    with pytest.raises(
        InvalidInput,
        match="没有叫 'ghost' 的角色，现有角色：neko（小忆）、orange（阿橘）、shop（店主）",
    ):
        bindings.bind("qq_group_9", "ghost")
    with pytest.raises(InvalidInput, match="会话不能为空"):
        bindings.bind(" ", "shop")
    assert bindings.all() == {}


def test_r3_11_settings_and_bindings_without_a_card_are_told(store: Store, folder: Folder) -> None:
    path = folder.put("shop.json", {"name": "店主"})
    bindings = Bindings(store, folder.roster("boss"), {"777": "ghost", "778": "shop", "779": "neko"})
    bindings.bind("qq_group_9", "shop")
    assert [problem.partition("，")[0] for problem in bindings.problems()] == [
        "设置 CHARACTER：角色 'boss' 没有可用的角色卡",
        "设置 CHARACTERS 里账号 777：角色 'ghost' 没有可用的角色卡",
    ]
    path.unlink()
    assert (
        "会话 qq_group_9 的绑定：角色 'shop' 没有可用的角色卡，先用“小忆”的卡"
        in list(bindings.problems())[-1]
    )
