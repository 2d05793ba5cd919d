"""R7.1: a published plugin: loads with nothing set, under any driver; and as a library without NoneBot."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = [
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for path in sorted((ROOT / "nonebot_plugin_memoryfs").rglob("*.py"))
    if not {"bot", "web", "__main__.py"} & set(path.parts)
]


def run(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=90)


@pytest.mark.parametrize("driver", ["~none", "~fastapi"])
def test_r7_01_loads_with_no_configuration(tmp_path: Path, driver: str) -> None:
    code = f"""
import nonebot
nonebot.init(driver={driver!r}, localstore_use_cwd=True)
plugin = nonebot.load_plugin("nonebot_plugin_memoryfs")
assert plugin is not None
meta = plugin.metadata
assert meta.type == "application" and meta.supported_adapters == {{"~onebot.v11"}}
assert meta.config.__name__ == "Config" and len(meta.name) <= 50 and meta.usage and meta.homepage
import sys
assert "pydantic_ai" not in sys.modules
"""
    ended = run(code, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "ERROR" not in ended.stderr + ended.stdout


KNOW_THE_MODEL_LIBRARY = {
    f"nonebot_plugin_memoryfs.model.{name}" for name in ("agent", "connect", "failures", "run", "wire")
}


def test_r7_01_imports_as_a_library_without_nonebot(tmp_path: Path) -> None:
    modules = [name for name in CORE if name not in KNOW_THE_MODEL_LIBRARY]
    code = f"""
import importlib, sys
sys.modules["nonebot"] = sys.modules["fastapi"] = None
del sys.modules["nonebot"]
for name in {modules!r}:
    importlib.import_module(name)
assert not {{"nonebot", "pydantic_ai", "openai"}} & set(sys.modules)
"""
    ended = run(code, tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_r7_01_importing_the_library_beside_nonebot_starts_nothing(tmp_path: Path) -> None:
    code = """
import nonebot
nonebot.init(driver="~none")
import nonebot_plugin_memoryfs.graph, sys
assert "nonebot_plugin_memoryfs.bot" not in sys.modules
"""
    ended = run(code, tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_r3_01_before_the_start_the_shortcuts_open_nothing(tmp_path: Path) -> None:
    code = """
import nonebot
nonebot.init(driver="~none", localstore_use_cwd=True)
assert nonebot.load_plugin("nonebot_plugin_memoryfs")
from nonebot_plugin_memoryfs.errors import ConfigError
from nonebot_plugin_memoryfs.prompt import add_memory
try:
    add_memory("标题", "内容", "user_1")
except ConfigError as error:
    assert "启动之后" in str(error)
else:
    raise AssertionError
"""
    ended = run(code, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert not list(tmp_path.rglob("memory.db"))
