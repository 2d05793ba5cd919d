"""How fast the page and its API answer over a large memory (R7.6): `python -m bench.web`.

A real `uvicorn` in this process, asked over HTTP by one client; facts, files and people as many as given.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI

from nonebot_plugin_memoryfs import web
from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.config import parse
from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.scope import Scope

from .facts import told
from .report import RESULTS, Bound, conclude, percentile

TOKEN = "bench"
_ASKED = 60
_TARGET = 50.0
_PERSON = "characters/neko/users/10001/"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill a memory, ask, report."""
    parser = argparse.ArgumentParser(prog="python -m bench.web", description=__doc__)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--json", type=Path, default=RESULTS / "web.json")
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as directory,
        _served(Path(directory), options.facts, options.files) as port,
    ):
        rows = [_measure(port, name, path) for name, path in _ADDRESSES.items()]
    bounds = [Bound(f"{row['what']}, p50", float(row["p50 ms"]), "at most", _TARGET, "ms") for row in rows]
    return conclude(
        "web", rows, bounds, options.json, f"{options.facts:,} facts, {options.files:,} memory files"
    )


_ADDRESSES = {
    "page": web.PAGE,
    "sign of life": f"{web.API}/status",
    "tree, top": f"{web.API}/tree",
    "tree, people": f"{web.API}/tree?under=characters/neko/users/",
    "facts, newest 100": f"{web.API}/facts?character_id=neko&user_id=10001",
    "facts, rare person": f"{web.API}/facts?character_id=neko&user_id=nobody",
    "entries": f"{web.API}/entries?path={_PERSON}user_persona.md",
    "layers": f"{web.API}/layers",
    "turns": f"{web.API}/turns?character_id=neko&conversation_id=qq_private_10001",
    "search": f"{web.API}/search?character_id=neko&q={quote('摇滚音乐节')}",
}


@contextmanager
def _served(directory: Path, facts: int, files: int) -> Iterator[int]:
    """A server over a memory of this size; its port."""
    app = App.open(parse({"web_token": TOKEN}), directory)
    _fill(app, facts, files)
    server = FastAPI()

    async def start() -> None:
        app.start()
        await web.serve(server, app)

    server.router.on_startup.append(start)
    server.router.on_shutdown.append(app.close)
    running = uvicorn.Server(uvicorn.Config(server, port=0, log_level="warning"))
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        while not running.started:
            time.sleep(0.05)
        yield running.servers[0].sockets[0].getsockname()[1]
    finally:
        running.should_exit = True
        thread.join()


def _fill(app: App, facts: int, files: int) -> None:
    rooms = app.rooms
    rooms.graph.import_triplets(told(facts))
    with rooms.store.database.write():
        for n in range(files):
            path = MemoryFS.path_user_persona("neko", str(10_001 + n))
            rooms.memory.append(path, Entry("周末去了音乐节", at=app.clock(), conversation_id="qq_group_1"))
    asker = Scope("neko", "qq_private_10001", "10001", True)
    for n in range(2_000):
        rooms.log.add(
            asker, "阿明", f"第{n}天去了摇滚音乐节" if n % 20 == 0 else f"今天是第{n}天，下雨", app.clock()
        )


def _measure(port: int, what: str, path: str) -> dict[str, object]:
    connection = HTTPConnection("127.0.0.1", port)
    spent: list[float] = []
    size = 0
    for _ in range(_ASKED):
        started = time.perf_counter()
        connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        size = len(answer.read())
        spent.append((time.perf_counter() - started) * 1000)
        assert answer.status == 200, (path, answer.status)
    connection.close()
    return {"what": what, "p50 ms": percentile(spent, 0.5), "p95 ms": percentile(spent, 0.95), "bytes": size}


if __name__ == "__main__":
    sys.exit(main())
