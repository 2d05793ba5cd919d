"""Where the model is: an OpenAI-compatible endpoint, as settings name it (R4.13)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

DEFAULT_TIMEOUT = 40.0
"""Seconds one request may take; `timeout` of the model settings changes it."""

_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|xai|Bearer)[-_ ][\w*.-]{6,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address that speaks Chat Completions, and what is sent with each request."""

    base_url: str
    """As in the settings: with or without `/v1`, a slash, or the whole path of Chat Completions."""
    api_key: SecretStr = field(default_factory=lambda: SecretStr(""))
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Checked by `config.ModelSettings`."""

    @property
    def url(self) -> str:
        """The address below which `/chat/completions` is: a bare host gets the usual `/v1`."""
        bare = self.base_url.strip().rstrip("/").removesuffix("/chat/completions")
        return bare if urlsplit(bare).path.strip("/") else f"{bare.rstrip('/')}/v1"

    @property
    def host(self) -> str:
        """Host and port, without anything secret an address may hold."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine, where no proxy leads."""
        name = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(name).is_loopback
        except ValueError:
            return name == "localhost"

    @property
    def shown(self) -> str:
        """The address for log and status, without anything secret it may hold."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{self.host}{parts.path}"

    @property
    def timeout(self) -> float:
        """Seconds one request may take."""
        return self.settings.get("timeout", DEFAULT_TIMEOUT)

    def without_secrets(self, text: str, limit: int = 200) -> str:
        """A text of the endpoint's as one line that can be logged: without the key or anything like one."""
        if key := self.api_key.get_secret_value():
            text = text.replace(key, "***")
        line = " ".join(_KEY_LIKE.sub("***", text[: limit * 10]).split())
        return line if len(line) <= limit else f"{line[:limit]}…"
