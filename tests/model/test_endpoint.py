"""R4.13: how an address is read, and what of it may be shown."""

import pytest
from pydantic import SecretStr

from nonebot_plugin_memoryfs.model import Endpoint


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://api.deepseek.com", "https://api.deepseek.com/v1"),
        ("https://api.deepseek.com/", "https://api.deepseek.com/v1"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("https://host/api/paas/v4", "https://host/api/paas/v4"),
        ("https://host/v1/chat/completions", "https://host/v1"),
        ("https://host/v1/chat/completions/", "https://host/v1"),
    ],
)
def test_r4_13_with_or_without_v1(given: str, url: str) -> None:
    assert Endpoint(base_url=given).url == url


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:11434", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://127.example.com", False),
        ("http://localhost.example.com", False),
        ("http://192.168.1.2:11434", False),
    ],
)
def test_r4_13_this_machine_is_known(address: str, here: bool) -> None:
    assert Endpoint(base_url=address).is_here is here


def test_r4_13_nothing_secret_of_an_address_is_shown() -> None:
    endpoint = Endpoint(base_url="https://me:hunter2@host:8443/v1", api_key=SecretStr("hunter2"))
    assert endpoint.shown == "https://host:8443/v1"
    assert endpoint.host == "host:8443"


@pytest.mark.parametrize(
    "text", ["bad key top-hunter2 here", "Incorrect: sk-proj-abcdef***xyz", "header Bearer abcdef.123456"]
)
def test_r6_07_what_an_endpoint_says_is_logged_without_keys(text: str) -> None:
    told = Endpoint(base_url="https://host", api_key=SecretStr("top-hunter2")).without_secrets(text)
    assert "***" in told
    assert not [part for part in ("hunter2", "abcdef") if part in told]


def test_r6_07_what_an_endpoint_says_is_one_short_line() -> None:
    told = Endpoint(base_url="https://host").without_secrets("a\nb" * 1_000)
    assert "\n" not in told
    assert len(told) <= 201
