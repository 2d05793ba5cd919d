"""All routes of the web edge, opened on a FastAPI server and closed again."""

from fastapi import APIRouter, FastAPI

from ..app import App
from . import memory_files
from .access import Access, provide_token
from .site import Site, put_site

router = APIRouter()
router.include_router(memory_files.router)


def open_site(server: FastAPI, app: App) -> None:
    """Answer for this app on this server; the routes are added the first time.

    Raises:
        DirectoryNotWritable: the token can't be kept in the data directory.
    """
    directory = app.rooms.store.directory
    assert directory is not None, "the bot's store has a directory"
    settings = app.settings
    access = Access(provide_token(settings.web_token.get_secret_value(), directory), settings.web_public)
    if put_site(server, Site(app, access)):
        server.include_router(router)


def close_site(server: FastAPI) -> None:
    """Answer 503 from now on."""
    put_site(server, None)
