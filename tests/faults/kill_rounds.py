"""R6.13: a writer killed with `kill -9` at random moments, again and again, on one data directory.

Run as `python -m tests.faults.kill_rounds DIRECTORY ROUNDS SEED`; prints a JSON summary. One process that has
everything imported forks a writer for each round, so that a round costs milliseconds and not seconds.
"""

import asyncio
import json
import os
import random
import select
import signal
import sys
import time
from itertools import count
from pathlib import Path

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.model import Answer, Ask
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.turn import Incoming, Overheard, Workflow

PERSON = Scope("neko", "qq_private_1", "1", private=True)
ENTRIES_PER_FILE = 20
"""Few enough that no file drops one."""

Acknowledged = list[tuple[str, int]]
"""What a writer said it had written: kind and number."""


def file_of(number: int) -> str:
    """The memory file that holds the entry of this number."""
    return f"characters/neko/users/u{number // ENTRIES_PER_FILE}/user_persona.md"


class Instant:
    """A model that answers at once and commits nothing, so that the host must (R4.5)."""

    name = "instant"

    async def answer(self, ask: Ask) -> Answer:
        return Answer(text="好的")


def write_for_ever(directory: Path, first: int, out: int) -> None:
    """Write turns, facts, layers and entries, acknowledging each on `out` after it returned."""

    def acknowledge(kind: str, number: int) -> None:
        os.write(out, f"{kind} {number}\n".encode())

    async def main() -> None:
        app = App.open(Settings(), directory)

        async def model() -> Instant:
            return Instant()

        workflow = Workflow(app.rooms, model, Overheard())
        for number in count(first):

            async def send(_: str, __: str, number: int = number) -> None:
                acknowledge("said", number)

            text = f"我喜欢第{number}号汽水"
            await workflow.run(Incoming(scope=PERSON, speaker="小明", text=text, at=app.clock(), send=send))
            acknowledge("fact", number)
            app.rooms.prompts.layers.save("user", f"u{number % 7}", f"第{number}版")
            acknowledge("layer", number)
            app.rooms.memory.append(file_of(number), Entry(f"条目{number}号", at=app.clock(), people=("1",)))
            acknowledge("entry", number)

    asyncio.run(main())


def one_round(directory: Path, first: int, delay: float) -> Acknowledged:
    """Fork a writer, let it write for `delay` seconds after its first word, kill it; its acknowledgements."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            write_for_ever(directory, first, write)
        finally:
            os._exit(1)
    os.close(write)
    select.select([read], [], [], 30)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        lines = pipe.read().split("\n")[:-1]
    return [(kind, int(number)) for kind, number in (line.split() for line in lines)]


def check(directory: Path, acknowledged: Acknowledged) -> list[str]:
    """What of the acknowledged things is missing or unreadable after a kill."""
    wrong = [problem for name in ("prompts.json", "memory_fs.json") for problem in _torn(directory / name)]
    app = App.open(Settings(), directory)
    wrong += [f"{kind} {number} is gone" for kind, number in acknowledged if not _there(app, kind, number)]
    asyncio.run(app.close())
    layers = json.loads((directory / "prompts.json").read_text("utf-8"))["user"]
    files = json.loads((directory / "memory_fs.json").read_text("utf-8"))
    for kind, number in acknowledged:
        if kind == "layer" and int(layers[f"u{number % 7}"][1:-1]) < number:
            wrong.append(f"prompts.json is older than layer {number}")
        if kind == "entry" and f"条目{number}号" not in files.get(file_of(number), {}).get("content", ""):
            wrong.append(f"memory_fs.json lacks entry {number}")
    return wrong + [f"set aside: {path.name}" for path in directory.glob("*.unreadable-*")]


def _torn(path: Path) -> list[str]:
    try:
        json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except ValueError as error:
        return [f"{path.name}: {error}"]
    return []


def _there(app: App, kind: str, number: int) -> bool:
    match kind:
        case "said":
            hits = app.rooms.log.search(PERSON, f"第{number}号汽水", 50)
            return any(f"第{number}号" in hit.text for hit in hits)
        case "fact":
            facts = app.rooms.graph.memory_recall(PERSON, f"第{number}号汽水").facts
            return any(f"第{number}号" in fact.object for fact in facts)
        case "layer":
            return int(app.rooms.prompts.layers.get("user", f"u{number % 7}")[1:-1]) >= number
        case _:
            texts = [entry.text for entry in app.rooms.memory.entries(file_of(number))]
            return f"条目{number}号" in texts


def main(directory: Path, rounds: int, seed: int) -> None:
    """Kill so many writers; check what each acknowledged, and at the end what all of them did."""
    chance = random.Random(seed)
    total: Acknowledged = []
    wrong: list[str] = []
    number = 0
    for _ in range(rounds):
        acknowledged = one_round(directory, number, chance.random() * 0.2)
        number = max((n for _, n in acknowledged), default=number) + 1
        total += acknowledged
        wrong += check(directory, acknowledged)
    wrong += check(directory, total)
    print(json.dumps({"rounds": rounds, "acknowledged": len(total), "wrong": wrong}, ensure_ascii=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
