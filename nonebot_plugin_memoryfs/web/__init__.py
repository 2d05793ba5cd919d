"""The web edge: a page and JSON over the server NoneBot runs anyway (R7.5–R7.7).

FastAPI comes with NoneBot's driver and is no dependency of the plugin: importing this package does not
import it, and what does is imported only when there is a server of its kind to serve on.
"""

import sys
from importlib import import_module
from typing import Any

from ..app import App
from ..concurrency import in_thread

MEMORY_FILES = "/api/review/memory-fs"
"""The address of the memory files, the one MemoryFS documents."""
API = "/api/memoryfs"
"""What the addresses of all other routes begin with."""
PAGE = "/memoryfs/"
"""The address of the page."""


async def serve(server: object, app: App) -> bool:
    """Answer requests about an app on a driver's server; whether the server is one that can.

    Serving again, with the same app or another, adds no routes: the newest app answers.

    Raises:
        DirectoryNotWritable: the token can't be kept in the data directory.
    """
    if not _is_fastapi(server):
        return False
    await in_thread(_call, "open_site", server, app)
    return True


def new_code(server: object) -> str | None:
    """A one-time code to sign in with, good for ten minutes; `None` where nothing is served (R7.7)."""
    return _call("new_code", server) if _is_fastapi(server) else None


def withdraw(server: object) -> None:
    """Answer no more, before the app is closed; nothing happens where nothing was served."""
    if _is_fastapi(server):
        _call("close_site", server)


def _is_fastapi(server: object) -> bool:
    fastapi = sys.modules.get("fastapi")
    return fastapi is not None and isinstance(server, fastapi.FastAPI)


def _call(name: str, *args: object) -> Any:
    return getattr(import_module(f"{__name__}.router"), name)(*args)
