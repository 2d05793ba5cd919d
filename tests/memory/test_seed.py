"""R1.1: `get_memory_fs`, and the names the seed imports."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs import memory
from nonebot_plugin_memoryfs.errors import ConfigError
from nonebot_plugin_memoryfs.memory import (
    MemoryFS,
    close_memory_fs,
    get_memory_fs,
    provide_memory_fs,
    withdraw_memory_fs,
)
from nonebot_plugin_memoryfs.memory import fs as seed_names


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    directory = tmp_path / "data" / "web"
    yield directory
    close_memory_fs(directory)


def test_r1_01_one_instance_per_directory(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data_dir.parent.parent)
    fs = get_memory_fs(data_dir="data/web")
    assert get_memory_fs(data_dir) is fs
    assert get_memory_fs(data_dir / ".." / "web") is fs
    fs.write("characters/neko/general.md", content="x")
    assert (data_dir / "memory.db").exists()


def test_r1_01_without_a_bot_the_directory_is_needed() -> None:
    with pytest.raises(ConfigError, match="data_dir"):
        get_memory_fs()


def test_r1_01_a_running_bot_provides_its_own(fs: MemoryFS) -> None:
    provide_memory_fs(fs)
    try:
        assert get_memory_fs() is fs
        assert fs.directory is not None
        assert get_memory_fs(fs.directory) is fs
    finally:
        withdraw_memory_fs(fs)
    withdraw_memory_fs(fs)
    with pytest.raises(ConfigError):
        get_memory_fs()


def test_r1_01_what_is_closed_is_opened_anew(data_dir: Path) -> None:
    fs = get_memory_fs(data_dir)
    fs.write("characters/neko/general.md", content="x")
    close_memory_fs(data_dir)
    assert "characters/neko/general.md" in (data_dir / "memory_fs.json").read_text("utf-8")
    again = get_memory_fs(data_dir)
    assert again is not fs
    file = again.read("characters/neko/general.md")
    assert file is not None
    assert file.content == "x"


def test_r1_01_the_json_file_is_written_at_the_end_of_a_script(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from nonebot_plugin_memoryfs.memory import get_memory_fs\n"
        "fs = get_memory_fs(data_dir=sys.argv[1])\n"
        "fs.write('characters/neko/general.md', content='x')\n"
        "assert 'nonebot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=60)
    assert "characters/neko/general.md" in (tmp_path / "memory_fs.json").read_text("utf-8")


def test_r1_01_the_public_names() -> None:
    wanted = {
        "Category",
        "InvalidMemoryPath",
        "MemoryFS",
        "MemoryFile",
        "describe_memory_path",
        "format_life_sim_for_prompt",
        "format_timeline_for_prompt",
        "get_memory_fs",
        "normalize_memory_category",
    }
    public = {name for name in vars(seed_names) if not name.startswith("_")}
    assert public == wanted
    assert wanted <= vars(memory).keys()
    assert all(getattr(memory, name) is getattr(seed_names, name) for name in wanted)
