"""The evening in a process that is killed with `kill -9`, again and again, until it comes to its end.

Run as `python -m tests.learn.evening_process DIRECTORY SEED`; prints how often it was killed. One process
with everything imported forks one for each round, which goes on where the stored turns end.
"""

import asyncio
import os
import random
import select
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import func
from sqlalchemy import select as select_rows

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.model import agent
from nonebot_plugin_memoryfs.storage.tables import turns
from nonebot_plugin_memoryfs.turn import Incoming

from .evening import in_group, read_evening

BEGIN = datetime(2026, 7, 8, 12, 0, tzinfo=UTC)


async def go_on(directory: Path, out: int) -> None:
    """Say what is left of the evening, one turn after another, each told on `out`; then `done`."""
    said = read_evening().said
    app = App.open(Settings(), directory)
    with app.rooms.store.database.read() as connection:
        heard = connection.scalar(select_rows(func.count()).select_from(turns)) or 0
    app.start()

    async def send(_: str, __: str) -> None:
        return None

    for number, (user_id, speaker, text) in enumerate(said[heard:], heard):
        at = BEGIN + timedelta(minutes=number)
        await app.workflow.run(
            Incoming(scope=in_group(user_id), speaker=speaker, text=text, at=at, send=send)
        )
        os.write(out, b"turn\n")
    await app.learner.idle()
    await app.close()
    os.write(out, b"done\n")


def one_round(directory: Path, turns_told: int, then: float) -> bool:
    """Let a new process say some turns and a little more, then kill it; whether it came to the end."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            asyncio.run(go_on(directory, write))
        finally:
            os._exit(0)
    os.close(write)
    told = b""
    while told.count(b"turn") < turns_told and b"done" not in told:
        assert select.select([read], [], [], 60)[0], "the process stands still"
        told += os.read(read, 4096)
    if b"done" not in told:
        time.sleep(then)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(read, "rb") as pipe:
        return b"done" in told + pipe.read()


def main(directory: Path, seed: int) -> None:
    """Kill it until it comes to its end."""
    chance = random.Random(seed)
    assert agent.offline_model()
    kills = 0
    while not one_round(directory, chance.randrange(1, 9), chance.random() * 0.1):
        kills += 1
    print(kills)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
