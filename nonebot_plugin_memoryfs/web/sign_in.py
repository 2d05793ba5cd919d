"""Signing in with a one-time code, and what is running here (R7.7, R4.14)."""

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field

from ..concurrency import in_thread
from . import API, MEMORY_FILES
from .codes import TooManyTries
from .guard import CHANGE_PROBLEMS, PROBLEMS, LocalRoute, Problem
from .site import site_of
from .values import Text, guarded_router

router = APIRouter(tags=["登录"])
_REFUSALS: dict[int | str, dict[str, Any]] = {
    **{status: PROBLEMS[status] for status in (401, 403, 422, 503)},
    413: CHANGE_PROBLEMS[413],
    429: {"model": Problem, "description": "试错太多次"},
}
_open = APIRouter(route_class=LocalRoute, responses=_REFUSALS)
_guarded = guarded_router("登录")


class Code(BaseModel):
    """What the log or `/memoryfs web` gave."""

    code: Annotated[Text, Field(max_length=32)]


class Token(BaseModel):
    """What every other request carries as `Authorization: Bearer`."""

    token: str


class Status(BaseModel):
    """What runs here."""

    model: str = Field(description="现在回答的模型")
    offline: bool = Field(description="是不是离线模型：按规则回答，不用密钥")
    character_id: str
    character: str = Field(description="默认角色的名字")
    characters: list[str] = Field(description="有记忆的角色")
    timezone: str


@_open.post(f"{API}/sign-in", summary="用一次性登录码换访问令牌")
def sign_in(request: Request, code: Code) -> Token:
    """The code is good once, for ten minutes."""
    site = site_of(request)
    try:
        if not site.codes.use(code.code):
            raise HTTPException(401, "登录码不对，或者已经过期、用过了")
    except TooManyTries:
        raise HTTPException(429, "试错太多次了，请一分钟后再来") from None
    return Token(token=site.access.token)


@_guarded.get(f"{API}/status", summary="现在的角色与模型")
async def status(request: Request) -> Status:
    """Waits for the model to be loaded."""
    site = site_of(request)
    app = site.app
    model = await app.model()
    known = {app.settings.character, *await in_thread(site.facts.characters)}
    card = await in_thread(app.rooms.card_of, app.settings.character)
    return Status(
        model=model.name,
        offline=not app.settings.base_url,
        character_id=app.settings.character,
        character=card.name,
        characters=sorted(known),
        timezone=app.settings.timezone,
    )


@_guarded.get(f"{API}/openapi.json", summary="这些接口的 OpenAPI 文档", response_model=dict[str, Any])
def document(request: Request) -> dict[str, Any]:
    """Built from the routes (R7.5)."""
    site_of(request)
    found = get_openapi(title="memoryfs", version="1", routes=request.app.routes)
    ours = (MEMORY_FILES, f"{API}/")  # other plugins' routes are on the same server
    return {**found, "paths": {path: item for path, item in found["paths"].items() if path.startswith(ours)}}


router.include_router(_open)
router.include_router(_guarded)
