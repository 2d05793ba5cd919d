"""What stands behind the routes: the app they ask and who may ask, kept on the server they run on."""

import asyncio
from dataclasses import dataclass, field
from typing import cast
from weakref import WeakValueDictionary

from fastapi import FastAPI, HTTPException, Request

from ..app import App
from ..graph import FactReview
from .access import Access
from .codes import Codes

_NAME = "memoryfs_site"


@dataclass(frozen=True, slots=True)
class Site:
    """One running app on the web."""

    app: App
    access: Access
    codes: Codes
    facts: FactReview
    chats: WeakValueDictionary[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[str, asyncio.Lock]
    )
    """Conversation → the lock of who speaks there now."""


def put_site(server: FastAPI, site: Site | None) -> bool:
    """Let the routes of a server ask this site, or none; whether it never had one before."""
    first = not hasattr(server.state, _NAME)
    setattr(server.state, _NAME, site)
    return first


def current_site(server: FastAPI) -> Site | None:
    """The site a server answers for, if any."""
    return cast(Site | None, getattr(server.state, _NAME, None))


def site_of(request: Request) -> Site:
    """The site a request is for.

    Raises:
        HTTPException: 503, the app is closed.
    """
    site = current_site(request.app)
    if site is None:
        raise HTTPException(503, "记忆插件没有在运行")
    return site
