"""R2.18 on PostgreSQL: writers killed with `kill -9` while another goes on; nothing acknowledged is lost."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope

from ..postgres import POSTGRESQL

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 10

WRITE_FOR_EVER = """
import sys
from itertools import count
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
url, name = sys.argv[1:]
with MemoryGraph.open(database_url=url) as graph:
    for n in count():
        scope = Scope("neko", "qq_group_1", name, False)
        said = [("用户", "喜欢", f"歌{name}之{n}"), ("大家", "喜欢", "歌"), ("用户", "所在地", f"城{n}")]
        turn = graph.open_turn(scope, name, f"我喜欢歌{name}之{n}")
        assert graph.memory_commit(scope, said, turn_id=turn).ok
        graph.complete_turn(turn, reply="好", speaker="猫娘")
        print(n, flush=True)
"""


class Writer:
    """A process that writes facts and says which are written."""

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        command = [sys.executable, "-c", WRITE_FOR_EVER, url, name]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self._process.stdout
        assert self._process.stdout.readline() == "0\n"

    def kill(self, after: int = 0) -> int:
        """Kill it once it has acknowledged so many more commits; how many it had in all."""
        assert self._process.stdout
        for _ in range(after):
            self._process.stdout.readline()
        self._process.kill()
        rest = self._process.communicate(timeout=60)[0]
        return 1 + after + rest.count("\n")


@pytest.mark.parametrize("database_url", [POSTGRESQL], indirect=True)
def test_r2_18_killed_writers_lose_nothing_and_stop_nobody(database_url: str) -> None:
    chance = random.Random(18)
    steady = Writer(database_url, "a")
    acknowledged: dict[str, int] = {}
    for number in range(ROUNDS):
        writer = Writer(database_url, f"b{number}")
        acknowledged[writer.name] = writer.kill(after=chance.randrange(20))
    acknowledged[steady.name] = steady.kill()
    with MemoryGraph.open(database_url=database_url) as graph:
        for name, commits in acknowledged.items():
            scope = Scope("neko", "qq_group_1", name, False)
            for n in range(commits):
                told = graph.memory_recall(scope, f"歌{name}之{n}", 1).facts
                assert any(fact.object == f"歌{name}之{n}" for fact in told), (name, n)
            assert graph.memory_commit(scope, [("用户", "讨厌", "雨")]).ok
    assert acknowledged[steady.name] > ROUNDS
