"""R6.13: 100 rounds of `kill -9` while turns, layers and files are written: nothing acknowledged is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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
