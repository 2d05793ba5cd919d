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
FILE = "characters/neko/users/1/user_persona.md"


class Instant:
    """A model that answers at once and commits nothing, so that the host must (R4.5)."""

    name = "instant"

    async def answer(self, ask: Ask) -> Answer:
        return Answer(text="好的", calls=(), requests=(), input_tokens=0, output_tokens=0)


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

            async def send(_: str, number: int = number) -> None:
                acknowledge("said", number)

            text = f"我喜欢第{number}号汽水"
            await workflow.run(Incoming(scope=PERSON, speaker="小明", text=text, at=app.clock(), send=send))
            acknowledge("fact", number)
            app.rooms.prompts.layers.save("user", f"u{number % 7}", f"第{number}版")
            acknowledge("layer", number)
            app.rooms.memory.append(FILE, Entry(f"条目{number}", at=app.clock(), people=("1",)))
            acknowledge("entry", number)

    asyncio.run(main())


def one_round(directory: Path, first: int, delay: float) -> list[tuple[str, int]]:
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


def check(directory: Path, acknowledged: list[tuple[str, int]], newest: int) -> list[str]:
    """What of the acknowledged things is missing or unreadable after the kill."""
    wrong: list[str] = []
    for name in ("prompts.json", "memory_fs.json"):
        if (directory / name).exists():
            try:
                json.loads((directory / name).read_text("utf-8"))
            except ValueError as error:
                wrong.append(f"{name}: {error}")
    app = App.open(Settings(), directory)
    for kind, number in acknowledged:
        if not _there(app, kind, number):
            wrong.append(f"{kind} {number} is gone")
    asyncio.run(app.close())
    layers = json.loads((directory / "prompts.json").read_text("utf-8"))["user"]
    for kind, number in acknowledged:
        if kind == "layer" and int(layers[f"u{number % 7}"][1:-1]) < number:
            wrong.append(f"prompts.json is older than layer {number}")
    memory = json.loads((directory / "memory_fs.json").read_text("utf-8"))
    entries = [number for kind, number in acknowledged if kind == "entry"]
    if entries and f"条目{entries[-1]}" not in memory[FILE]["content"]:
        wrong.append(f"memory_fs.json lacks entry {entries[-1]}")
    wrong += [f"set aside: {path.name}" for path in directory.glob("*.unreadable-*")]
    return wrong


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
            texts = [entry.text for entry in app.rooms.memory.entries(FILE)]
            dropped = [entry.text for entry in app.rooms.memory.dropped_entries(FILE)]
            return f"条目{number}" in texts + dropped or number < 0


def main(directory: Path, rounds: int, seed: int) -> None:
    chance = random.Random(seed)
    total, wrong, number = 0, list[str](), 0
    for _ in range(rounds):
        acknowledged = one_round(directory, number, chance.random() * 0.2)
        number = max((n for _, n in acknowledged), default=number) + 1
        total += len(acknowledged)
        wrong += check(directory, acknowledged, number)
    print(json.dumps({"rounds": rounds, "acknowledged": total, "wrong": wrong}, ensure_ascii=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
