"""`bot.py` as a process on a free port with a fresh data directory, and a OneBot client for it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ..sim.onebot import OneBotClient
from ..sim.process import BotProcess, free_port

ROOT = Path(__file__).resolve().parents[2]
SELF_ID = 12345
TOKEN = "e2e-token"


class Site:
    """A directory a bot runs in: its `.env`, its data."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = free_port()
        self.settings: dict[str, str] = {
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "NICKNAME": '["小忆"]',
            "ONEBOT_ACCESS_TOKEN": TOKEN,
            "LOCALSTORE_USE_CWD": "true",
            "LOG_LEVEL": "INFO",
        }

    @property
    def data(self) -> Path:
        return self.directory / "data" / "nonebot_plugin_memoryfs"

    def process(self) -> BotProcess:
        lines = (f"{name}={value}\n" for name, value in self.settings.items())
        (self.directory / ".env").write_text("".join(lines), "utf-8")
        env = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error::ResourceWarning"}
        return BotProcess(ROOT / "bot.py", cwd=self.directory, port=self.port, env=env)

    def client(self, *, self_id: int = SELF_ID, token: str | None = TOKEN) -> OneBotClient:
        url = f"ws://127.0.0.1:{self.port}/onebot/v11/ws"
        return OneBotClient(url=url, self_id=self_id, access_token=token)

    @asynccontextmanager
    async def talking(self) -> AsyncIterator[OneBotClient]:
        """A running bot with a client; both end with the block, the bot by SIGTERM."""
        async with self.process() as bot:
            async with self.client() as client:
                yield client
            await bot.terminate()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture(scope="session")
def new_site(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Site]:
    return lambda: Site(tmp_path_factory.mktemp("bot"))


@pytest.fixture(scope="module")
async def talk(new_site: Callable[[], Site]) -> AsyncIterator[OneBotClient]:
    """One bot for the tests of a module that only talk; each uses people and groups of its own."""
    async with new_site().talking() as client:
        yield client
