"""The driver's own server, where the page is served (R7.5, R7.7)."""

import nonebot
from nonebot.drivers import ASGIMixin

from .. import web


def driver_server() -> object:
    """What the driver serves on; `None` for a driver that serves nothing."""
    driver = nonebot.get_driver()
    return driver.server_app if isinstance(driver, ASGIMixin) else None


def address() -> str:
    """Where the driver's server is reached from this machine."""
    config = nonebot.get_driver().config
    return f"http://{config.host}:{config.port}"


def way_in() -> str | None:
    """Where the page is, with a new one-time code; `None` where it is not served."""
    code = web.new_code(driver_server())
    return code and f"网页在 {address()}{web.PAGE}，登录码 {code}（10 分钟内用一次）"
