"""What stands behind the routes: the app they ask and who may ask, kept on the server they run on."""

from dataclasses import dataclass
from typing import cast

from fastapi import FastAPI, HTTPException, Request

from ..app import App
from .access import Access

_NAME = "memoryfs_site"


@dataclass(frozen=True, slots=True)
class Site:
    """One running app on the web."""

    app: App
    access: Access


def put_site(server: FastAPI, site: Site | None) -> bool:
    """Let the routes of a server ask this site, or none; whether it never had one before."""
    first = not hasattr(server.state, _NAME)
    setattr(server.state, _NAME, site)
    return first


def site_of(request: Request) -> Site:
    """The site a request is for.

    Raises:
        HTTPException: 503, the app is closed.
    """
    site = cast(Site | None, getattr(request.app.state, _NAME, None))
    if site is None:
        raise HTTPException(503, "记忆插件没有在运行")
    return site
