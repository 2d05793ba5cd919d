"""The driver's own server, where the page is served (R7.5, R7.7)."""

from ipaddress import ip_address

import nonebot
from nonebot.config import Config
from nonebot.drivers import ASGIMixin

from .. import web


def driver_server() -> object:
    """What the driver serves on; `None` for a driver that serves nothing."""
    driver = nonebot.get_driver()
    return driver.server_app if isinstance(driver, ASGIMixin) else None


def address() -> str:
    """Where the driver's server is reached from this machine."""
    return f"http://{reached_at(nonebot.get_driver().config)}"


def reached_at(config: Config) -> str:
    """Host and port of a server, as this machine reaches it: one on every address is on loopback too."""
    host = config.host
    if host.is_unspecified:
        host = ip_address("127.0.0.1" if host.version == 4 else "::1")
    return f"[{host}]:{config.port}" if host.version == 6 else f"{host}:{config.port}"


def way_in() -> str | None:
    """Where the page is, with a new one-time code; `None` where it is not served."""
    code = web.new_code(driver_server())
    return code and f"网页在 {address()}{web.PAGE}，登录码 {code}（10 分钟内用一次）"
