"""The page itself: files of this package, as they are (R7.6). They hold no secret, so they need no token."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from . import PAGE
from .guard import LocalRoute
from .site import site_of

router = APIRouter(route_class=LocalRoute, include_in_schema=False)

_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""Nothing inline, nothing from elsewhere, no text taken for markup (R7.7)."""


@cache
def load() -> dict[str, tuple[bytes, str, str]]:
    """Every file of the page: name → content, media type and tag. Reads files the first time."""
    return dict(_read(files("nonebot_plugin_memoryfs.web") / "page", ""))


def _read(directory: Traversable, prefix: str) -> list[tuple[str, tuple[bytes, str, str]]]:
    found: list[tuple[str, tuple[bytes, str, str]]] = []
    for entry in directory.iterdir():
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        elif (kind := entry.name.rpartition(".")[2]) in _TYPES:
            content = entry.read_bytes()
            found.append(
                (f"{prefix}{entry.name}", (content, _TYPES[kind], f'"{sha256(content).hexdigest()[:20]}"'))
            )
    return found


@router.get(PAGE.rstrip("/"))
async def without_slash() -> Response:
    """The page's files are named relative to its address."""
    return RedirectResponse(PAGE)


@router.get(PAGE + "{name:path}")
async def file(request: Request, name: str) -> Response:
    """A file of the page; the page itself without a name."""
    site_of(request)
    found = load().get(name or "index.html")
    if found is None:
        raise HTTPException(404, f"网页里没有 {name[:80]!r}")
    content, media_type, tag = found
    headers = {**_HEADERS, "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)
