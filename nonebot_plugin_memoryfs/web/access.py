"""Who is let in: clients of this machine, asking for it by name, that know the token (R7.7).

Knows nothing of HTTP servers.
"""

import hmac
import logging
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from urllib.parse import urlsplit

from ..errors import DirectoryNotWritable
from ..storage.directory import create_private, make_private

logger = logging.getLogger("nonebot_plugin_memoryfs")

TOKEN_FILE = "web_token"
"""Where a token nobody chose is kept, in the data directory."""


@dataclass(frozen=True, slots=True)
class Access:
    """The token, and whether other machines may use it."""

    token: str = field(repr=False)
    public: bool = False

    def serves(self, client: str | None, hosts: Sequence[str] = ()) -> bool:
        """Whether a client is answered at all.

        A page of elsewhere whose name was made to point at this machine (DNS rebinding) asks from loopback
        too, but for its own name.

        Args:
            client: its address.
            hosts: each `Host` header of its request; browsers always send one.
        """
        return self.public or (is_loopback(client) and all(map(names_this_machine, hosts)))

    def accepts(self, authorization: bytes) -> bool:
        """Whether an `Authorization` header carries the token; takes as long for a near miss as for any."""
        scheme, _, given = authorization.partition(b" ")
        known = hmac.compare_digest(given.strip(), self.token.encode())
        return known and scheme.lower() == b"bearer"


def is_loopback(host: str | None) -> bool:
    """Whether this is an address of this machine's own; a client without address is not."""
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_loopback


def names_this_machine(host: str) -> bool:
    """Whether a `Host` header is a name only this machine has: loopback, or `localhost`."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name == "localhost" or name.endswith(".localhost") or is_loopback(name)


def provide_token(chosen: str, directory: Path) -> str:
    """The token the operator chose, else the one kept in the data directory, made where there is none.

    Raises:
        DirectoryNotWritable: it can't be read or kept.
    """
    if chosen.strip():
        return chosen.strip()
    path = directory / TOKEN_FILE
    try:
        token = _read(path) or _make(path)
    except (OSError, UnicodeDecodeError) as error:
        raise DirectoryNotWritable(f"访问令牌 {path} 无法读写：{error}") from None
    logger.info("网页的访问令牌在 %s", path)
    return token


def _read(path: Path) -> str:
    if not path.exists():
        return ""
    make_private(path)
    return path.read_text("utf-8").strip()


def _make(path: Path) -> str:
    """A new token, in its private file all at once."""
    token = secrets.token_urlsafe(32)
    draft = path.with_suffix(".new")
    create_private(draft)
    draft.write_text(f"{token}\n", "utf-8")
    os.replace(draft, path)
    return token
