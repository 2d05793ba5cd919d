"""R3.1: `prompt_manager` and its shortcuts, as the seed imports and calls them."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.errors import ConfigError
from nonebot_plugin_memoryfs.prompt import (
    PromptManager,
    add_memory,
    clear_memories,
    close_prompt_manager,
    delete_memory,
    expect_prompt_manager,
    get_prompt_manager,
    load_memories,
    load_prompt,
    prompt_manager,
    provide_prompt_manager,
    save_prompt,
    seed,
    withdraw_prompt_manager,
)
from nonebot_plugin_memoryfs.storage import Store

SEED = """
import sys
from nonebot_plugin_memoryfs.prompt import prompt_manager
from nonebot_plugin_memoryfs.prompt import load_prompt, load_memories, add_memory
from nonebot_plugin_memoryfs.prompt import delete_memory, clear_memories, save_prompt

assert "nonebot" not in sys.modules
prompt_manager.add_memory(
    title="用户喜好",
    content="用户喜欢喝美式咖啡，每周去星巴克3次",
    target_id="user_123",
    summary="喜欢美式咖啡",
    mem_type="long",        # long / short
    expire_days=7,          # 短期记忆过期天数
    character_name="neko"   # 角色名，支持多角色记忆隔离
)
memories = prompt_manager.get_memories(
    target_id="user_123",
    mem_type="long",
    character_name="neko"
)
assert [memory["title"] for memory in memories] == ["用户喜好"]
assert save_prompt("基础提示词", user_id="123")
prompt = prompt_manager.load_prompt(user_id="123", group_id=None)
assert prompt.startswith("基础提示词\\n\\n【重要记忆】\\n") and "\\n\\n## 可用工具\\n" in prompt
assert load_prompt(user_id="123") == prompt_manager.load_prompt(user_id="123") == prompt
assert add_memory("标题", "内容", "user_123")
assert "星巴克" in load_memories("123", None, "neko")
assert delete_memory(memories[0]["id"])
assert clear_memories("user_123") and not clear_memories()
assert prompt_manager.load_base_prompt("123") == "基础提示词"
assert add_memory("留下", "内容", "user_123")
"""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """As in a process without a bot, in a working directory of its own."""
    monkeypatch.setattr(seed, "_expected", threading.Event())
    monkeypatch.chdir(tmp_path)
    yield
    close_prompt_manager()


def test_r3_01_the_seeds_examples_run_as_written_but_for_the_module(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", SEED], check=True, timeout=60, cwd=tmp_path)
    assert [n["title"] for n in json.loads((tmp_path / "data" / "memories.json").read_text("utf-8"))] == [
        "留下"
    ]
    assert (tmp_path / "data" / "prompts.json").exists()


def test_r3_01_without_a_bot_it_is_opened_once_when_it_is_first_used(tmp_path: Path) -> None:
    assert not (tmp_path / "data").exists()
    assert save_prompt("我", user_id="1")
    assert get_prompt_manager() is get_prompt_manager()
    assert prompt_manager.notes is get_prompt_manager().notes
    assert (tmp_path / "data" / "prompts.json").exists()
    close_prompt_manager()
    with PromptManager(tmp_path / "data") as manager:
        assert manager.load_base_prompt("1") == "我"


def test_r3_01_a_running_bot_provides_its_own(store: Store, tmp_path: Path) -> None:
    own = PromptManager(store=store)
    provide_prompt_manager(own)
    try:
        assert get_prompt_manager() is own
        assert add_memory("标题", "内容", "user_1")
        assert [note["title"] for note in own.get_memories()] == ["标题"]
        assert load_memories("1") == own.load_memories("1") != ""
        assert load_prompt("1") == own.load_prompt("1")
        assert delete_memory(prompt_manager.get_memories()[0]["id"])
        assert clear_memories() is False
    finally:
        withdraw_prompt_manager(own)
    withdraw_prompt_manager(own)
    assert not (tmp_path / "data" / "prompts.json").exists() or store.directory == tmp_path / "data"


def test_r3_01_while_a_bot_is_not_running_nothing_is_opened_in_its_place(tmp_path: Path) -> None:
    expect_prompt_manager()
    with pytest.raises(ConfigError, match="启动之后"):
        add_memory("标题", "内容", "user_1")
    assert not (tmp_path / "data").exists()
