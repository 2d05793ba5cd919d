"""From settings to a running app, and back: what happens at load, at start and at stop."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import nonebot
from nonebot.config import SettingsError
from nonebot.drivers import ASGIMixin
from pydantic import ValidationError

from .. import web
from ..app import App
from ..concurrency import in_thread
from ..config import NOT_YET_USED, PREFIX, Config, Settings, parse, unknown_names
from ..errors import DirectoryNotWritable, OperatorError
from ..prompt import expect_prompt_manager
from ..storage.directory import DirectoryLock
from .arrivals import Arrivals
from .chat import Chat
from .commands.hooks import Desk
from .scheduler import start_jobs, stop_jobs
from .server import address, driver_server, reached_at, way_in

logger = logging.getLogger("nonebot_plugin_memoryfs")


def read_settings() -> Settings:
    """The settings NoneBot read, with a warning for each that does nothing.

    Raises:
        ConfigError: a value is not allowed; already logged in one line.
    """
    raw: dict[str, Any] = getattr(nonebot.get_driver().config, "memoryfs", {})
    try:
        settings = nonebot.get_plugin_config(Config).memoryfs
    except (ValidationError, SettingsError):  # the second: what should be JSON is none
        settings = _logged(lambda: parse(raw))  # says which, and what is allowed
    for name, nearest in unknown_names(raw):
        hint = f"，是不是 {PREFIX}{nearest.upper()}？" if nearest else ""
        logger.warning("没有 %s%s 这个设置%s", PREFIX, name.upper(), hint)
    for name in sorted(NOT_YET_USED & settings.model_fields_set):
        logger.warning("%s%s 已读取，但这个版本还用不到它", PREFIX, name.upper())
    return settings


def take_directory(find: Callable[[], Path]) -> DirectoryLock:
    """Find and hold the data directory.

    Raises:
        DirectoryInUse, DirectoryNotWritable: it can't be used; already logged in one line.
    """

    def take() -> DirectoryLock:
        try:
            return DirectoryLock(find())
        except OSError as error:
            raise DirectoryNotWritable(f"数据目录 {error.filename} 无法写入：{error.strerror}") from None
        except RuntimeError as error:  # localstore's own word for a file in the directory's place
            raise DirectoryNotWritable(f"数据目录无法使用：{error}") from None

    return _logged(take)


class Running:
    """The app between start and stop."""

    def __init__(self, settings: Settings, directory: DirectoryLock) -> None:
        self.chat: Chat | None = None
        self.arrivals = Arrivals()
        self._settings = settings
        self._directory = directory
        self.app: App | None = None
        self.desk: Desk | None = None
        expect_prompt_manager()

    async def start(self) -> None:
        """Open the rooms off the loop, then load the model in the background."""
        app = await in_thread(App.open, self._settings, self._directory.path, held=self._directory)
        app.start()
        self.app = app
        self.chat = Chat(app, self._settings, arrivals=self.arrivals)
        self.desk = Desk(app)
        start_jobs(app, life=await in_thread(lambda: app.life.enabled))
        logger.info("记忆数据在 %s", self._directory.path)
        driver = nonebot.get_driver()
        if isinstance(driver, ASGIMixin):
            elsewhere = "（从别的机器连，换成这台机器的地址）" if driver.config.host.is_unspecified else ""
            logger.info(
                "OneBot 实现请用反向 WebSocket 连接 ws://%s/onebot/v11/ws%s",
                reached_at(driver.config),
                elsewhere,
            )
        await self._serve_web(app)

    async def stop(self) -> None:
        """Stop answering and write everything down."""
        self.chat = None
        self.desk = None
        stop_jobs()
        web.withdraw(driver_server())
        if self.app is not None:
            await self.app.close()

    async def _serve_web(self, app: App) -> None:
        """Answer on the driver's server; the bot runs without it too (R7.5)."""
        try:
            if await web.serve(driver_server(), app):
                logger.info("网页接口在 %s%s", address(), web.MEMORY_FILES)
                logger.info("%s", way_in())
            else:
                logger.info("网页接口没有开：它要用 FastAPI 驱动器（DRIVER=~fastapi），其余照常")
        except OperatorError as error:
            logger.error("网页接口没有开：%s", error)


_T = TypeVar("_T")


def _logged(work: Callable[[], _T]) -> _T:
    """Run it; whoever runs the bot gets its error in one line of the log."""
    try:
        return work()
    except OperatorError as error:
        logger.error("插件没有加载：%s", error)
        raise
