"""Runs the bot as a real process of its own, so that tests can start, stop and kill it."""

# A test says how long it is ready to wait:
# ruff: noqa: ASYNC109

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

_INHERITED = ("PATH", "HOME", "LANG", "SYSTEMROOT")
_POLL_SECONDS = 0.05


def free_port() -> int:
    """A TCP port of this machine that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class BotDied(Exception):
    """The process ended before it did what the test waited for."""


class BotProcess:
    """A Python file run with this Python, in its own process group and a clean environment.

    `async with` starts it, waits until it listens on its port, and always kills it.
    """

    def __init__(
        self,
        script: Path,
        *,
        cwd: Path,
        port: int,
        env: Mapping[str, str] | None = None,
        log_path: Path | None = None,
    ) -> None:
        self.script = script
        self.cwd = cwd
        self.port = port
        """Where the bot is expected to listen; telling the bot so is up to `env`."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self.env = {**inherited, "PYTHONUNBUFFERED": "1", **(env or {})}
        self.log_path = log_path or cwd / "bot.log"
        """Takes stdout and stderr; appended to, so a restarted bot can share it."""
        self._log_start = 0
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None:
            self.kill()
            await self.wait()

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The process once started."""
        if self._process is None:
            raise RuntimeError("the bot was not started")
        return self._process

    async def start(self, *, timeout: float = 60.0) -> None:
        """Start it and wait until it listens; otherwise it is killed and its log shown."""
        own_group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        output = await asyncio.to_thread(self.log_path.open, "ab")
        with output:
            self._log_start = output.tell()
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                str(self.script),
                cwd=self.cwd,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                **own_group,
            )
        try:
            async with asyncio.timeout(timeout):
                while not await self._listens():
                    await self._pause("listening")
        except BaseException as error:
            self.kill()
            await self.wait()
            if isinstance(error, TimeoutError):
                raise TimeoutError(f"not listening after {timeout} s\n{await self._tail()}") from None
            raise

    def log(self) -> str:
        """What it has printed since `start` (reads a file: blocks the event loop for a moment)."""
        return self.log_path.read_bytes()[self._log_start :].decode(errors="replace")

    async def wait_log(self, pattern: str, *, timeout: float = 10.0) -> re.Match[str]:
        """Wait until the log contains a regular expression."""
        try:
            async with asyncio.timeout(timeout):
                while not (found := re.search(pattern, await asyncio.to_thread(self.log))):
                    await self._pause(f"logging {pattern!r}")
        except TimeoutError:
            raise TimeoutError(f"no {pattern!r} in {timeout} s\n{await self._tail()}") from None
        return found

    async def wait(self, *, timeout: float = 15.0) -> int:
        """Wait for its end; the exit status is negative after a signal."""
        async with asyncio.timeout(timeout):
            return await self.process.wait()

    async def terminate(self, *, timeout: float = 15.0) -> int:
        """Ask it to end (SIGTERM) and wait for the exit status."""
        with suppress(ProcessLookupError):
            self.process.terminate()
        return await self.wait(timeout=timeout)

    def kill(self) -> None:
        """End it and its children at once (SIGKILL), without waiting."""
        if self.process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            if sys.platform == "win32":
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)

    async def _listens(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return self.process.returncode is None

    async def _pause(self, aim: str) -> None:
        """Let it work on; raises `BotDied` when it has ended."""
        if self.process.returncode is not None:
            raise BotDied(f"exit status {self.process.returncode} before {aim}\n{await self._tail()}")
        await asyncio.sleep(_POLL_SECONDS)

    async def _tail(self) -> str:
        log = await asyncio.to_thread(self.log)
        return "\n".join(log.splitlines()[-40:])
