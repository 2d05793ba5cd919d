"""All routes of the web edge, opened on a FastAPI server and closed again."""

from fastapi import APIRouter, FastAPI

from ..app import App
from ..graph import FactReview
from . import chat, entries, facts, layers, memory_files, notes, page, sign_in, tree, turns
from .access import Access, provide_token
from .codes import Codes
from .site import Site, current_site, put_site

router = APIRouter()
for part in (memory_files, tree, entries, facts, layers, notes, chat, turns, sign_in, page):
    router.include_router(part.router)


def open_site(server: FastAPI, app: App) -> None:
    """Answer for this app on this server; the routes are added the first time.

    Raises:
        DirectoryNotWritable: the token can't be kept in the data directory.
    """
    store = app.rooms.store
    assert store.directory is not None, "the bot's store has a directory"
    settings = app.settings
    access = Access(
        provide_token(settings.web_token.get_secret_value(), store.directory), settings.web_public
    )
    page.load()
    site = Site(app, access, Codes(app.clock), FactReview(store, app.policy))
    if put_site(server, site):
        server.include_router(router)


def new_code(server: FastAPI) -> str | None:
    """A one-time code to sign in with; `None` while nothing is served."""
    site = current_site(server)
    return site.codes.new() if site else None


def close_site(server: FastAPI) -> None:
    """Answer 503 from now on."""
    put_site(server, None)
