"""R7.9: the README says what the code does."""

import json
import re
from pathlib import Path

from pydantic import SecretStr

from nonebot_plugin_memoryfs.config import NOT_YET_USED, PREFIX, Settings, allowed

from . import command_table

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
ENGLISH = (ROOT / "README.en.md").read_text("utf-8")


def settings_table() -> str:
    """The table of the settings that do something in this version."""
    rows = ["| 设置 | 默认 | 含义 | 可填 |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        if name not in NOT_YET_USED:
            default = _shown(field.get_default(call_default_factory=True))
            rows.append(f"| `{PREFIX}{name.upper()}` | {default} | {field.description} | {allowed(name)} |")
    return "\n".join(rows)


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, frozenset | tuple):
        value = []
    return f"`{json.dumps(value)}`" if value != "" else ""


def test_r7_09_settings_table() -> None:
    assert settings_table() in README


def test_r7_09_command_table() -> None:
    assert command_table.written() == command_table.generated()


def test_r7_10_the_two_commands() -> None:
    for text in (README, ENGLISH):
        assert "pip install uv && uv run bot.py" in text
        assert "pip install uv && uv run pytest" in text


def test_r7_09_one_reads_it_in_english_too() -> None:
    assert "[English](README.en.md)" in README
    links = re.findall(r"\]\(([^)#]+)\)", ENGLISH)
    assert links
    assert all((ROOT / link).is_file() for link in links)


def test_r7_01_env_example_names_only_settings() -> None:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    names = {line.lstrip("# ").split("=")[0] for line in lines if PREFIX in line}
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields if name not in NOT_YET_USED}
    assert names == known
