"""R7.10: the addresses the log tells can be opened."""

import pytest
from nonebot.config import Config

from nonebot_plugin_memoryfs.bot.server import reached_at


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1:8080"),
        ("0.0.0.0", "127.0.0.1:8080"),
        ("192.168.1.5", "192.168.1.5:8080"),
        ("::1", "[::1]:8080"),
        ("::", "[::1]:8080"),
    ],
)
def test_r7_10_the_log_tells_an_address_that_can_be_opened(host: str, address: str) -> None:
    assert reached_at(Config.model_validate({"host": host, "port": 8080})) == address
