"""The system's Chromium, headless, as a test drives it; nothing is downloaded."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions, ChromeService

_SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=zh-CN",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)
WAIT = 15.0
"""Seconds a test waits for what the page is about to show."""


def missing() -> str:
    """Which part of a browser is not installed; empty where all is there."""
    parts = {"Chromium": _browser(), "chromedriver": _driver()}
    return "、".join(name for name, path in parts.items() if path is None)


@contextmanager
def chromium(profile: Path, *, size: tuple[int, int] = (1280, 860), scale: float = 1) -> Iterator[Chrome]:
    """A browser with an empty profile of its own."""
    options = ChromeOptions()
    options.binary_location = _browser() or ""
    for switch in (*_SWITCHES, f"--user-data-dir={profile}", f"--force-device-scale-factor={scale}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options, ChromeService(_driver()))
    try:
        driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Shanghai"})
        show_as(driver, size=size, scale=scale)
        yield driver
    finally:
        driver.quit()


def show_as(driver: Chrome, *, size: tuple[int, int], scale: float = 1, dark: bool = False) -> None:
    """Let the window be of this size, light or dark; narrow ones are phones."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def _browser() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def _driver() -> str | None:
    return shutil.which("chromedriver")
