"""R6.13: 100 rounds of `kill -9` while turns, layers and files are written: nothing acknowledged is lost."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.memory import Entry

from .kill_rounds import check, file_of

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kill -9 and fork are POSIX")
def test_r6_13_kill_at_random_moments_loses_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.kill_rounds", str(tmp_path / "data"), str(ROUNDS), "6"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    summary = json.loads(ended.stdout.splitlines()[-1])
    assert summary["wrong"] == []
    assert summary["rounds"] == ROUNDS
    assert summary["acknowledged"] > ROUNDS


def test_r6_13_the_check_notices_what_is_gone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    app = App.open(Settings(), data)
    app.rooms.memory.append(file_of(3), Entry("条目3号"))
    app.rooms.prompts.layers.save("user", "u3", "第3版")
    asyncio.run(app.close())
    there = [("entry", 3), ("layer", 3)]
    assert check(data, there) == []
    assert check(data, [*there, ("entry", 4), ("fact", 3), ("said", 3)]) == [
        "entry 4 is gone",
        "fact 3 is gone",
        "said 3 is gone",
        "memory_fs.json lacks entry 4",
    ]
