"""Starting, watching and ending a process."""

import signal
import sys
from pathlib import Path

import pytest

from .process import BotDied, BotProcess, free_port

SERVER = """
import os, socket, sys
print("env", sorted(os.environ), flush=True)
with socket.create_server(("127.0.0.1", int(os.environ["PORT"]))) as server:
    print("就绪", flush=True)
    while True:
        server.accept()[0].close()
"""

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def bot(folder: Path, source: str = SERVER) -> BotProcess:
    script = folder / "script.py"
    script.write_text(source, encoding="utf-8")
    port = free_port()
    return BotProcess(script, cwd=folder, port=port, env={"PORT": str(port)})


async def test_clean_environment_and_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATORS_SECRET", "x")
    async with bot(tmp_path) as process:
        seen = await process.wait_log(r"env (.+)")
        assert "'PYTHONUNBUFFERED'" in seen[1]
        assert "OPERATORS_SECRET" not in process.log()
        with pytest.raises(TimeoutError, match="no 'never'"):
            await process.wait_log("never", timeout=0.05)


@posix_only
async def test_ending(tmp_path: Path) -> None:
    async with bot(tmp_path) as process:
        assert await process.terminate() == -signal.SIGTERM
    async with bot(tmp_path) as process:
        process.kill()
        assert await process.wait() == -signal.SIGKILL
        assert await process.terminate() == -signal.SIGKILL
        process.kill()


@posix_only
async def test_leaving_kills_even_what_ignores_sigterm(tmp_path: Path) -> None:
    ignoring = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + SERVER
    async with bot(tmp_path, ignoring) as process:
        with pytest.raises(TimeoutError):
            await process.terminate(timeout=0.05)
    assert process.process.returncode == -signal.SIGKILL


async def test_a_dead_bot_is_told_with_its_log(tmp_path: Path) -> None:
    with pytest.raises(BotDied, match=r"(?s)exit status 3 before listening.*KABOOM"):
        await bot(tmp_path, "print('KABOOM'); raise SystemExit(3)").start()


async def test_a_deaf_bot_is_killed(tmp_path: Path) -> None:
    deaf = bot(tmp_path, "import time; time.sleep(60)")
    with pytest.raises(TimeoutError, match="not listening"):
        await deaf.start(timeout=0.2)
    assert deaf.process.returncode is not None


async def test_a_restarted_bot_has_a_log_of_its_own(tmp_path: Path) -> None:
    for _ in range(2):
        async with bot(tmp_path) as process:
            await process.wait_log("就绪|\ufffd")
            assert process.log().count("env [") == 1
