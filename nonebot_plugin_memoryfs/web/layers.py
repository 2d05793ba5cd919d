"""The layers of the base prompt: seen, set and cleared (R3.2, R3.3)."""

from datetime import datetime
from typing import Annotated

from fastapi import HTTPException, Query, Request
from pydantic import BaseModel, Field

from ..prompt.layers import MAX_CHARACTERS, Layer, Level
from . import API
from .guard import CHANGE_PROBLEMS
from .site import Site, site_of
from .values import Text, guarded_router

router = guarded_router("提示词")

Target = Annotated[Text, Field(max_length=256, description="谁的；默认层为空")]
Content = Annotated[Text, Field(max_length=MAX_CHARACTERS)]


class LayerView(BaseModel):
    """One layer."""

    level: Level
    target_id: str
    content: str
    updated_at: datetime


class LayerList(BaseModel):
    """Every layer, in the order of the file, and what counts where there is none."""

    layers: list[LayerView]
    card: str = Field(description="没有任何一层时用的角色卡设定")


class NewLayer(BaseModel):
    """A layer to be set."""

    level: Level
    target_id: Target = ""
    content: Content
    expected: Content = Field(description="看到的内容；还没有这一层时为空")


@router.get(f"{API}/layers", summary="提示词的各层")
def layers(request: Request) -> LayerList:
    """Edits by hand included."""
    return _all(site_of(request))


@router.put(f"{API}/layers", summary="设置一层", responses=CHANGE_PROBLEMS)
def save(request: Request, new: NewLayer) -> LayerList:
    """A blank text removes the layer."""
    site = site_of(request)
    site.app.rooms.prompts.layers.save(new.level, new.target_id, new.content, expected=new.expected)
    return _all(site)


@router.delete(f"{API}/layers", summary="清除一层", responses=CHANGE_PROBLEMS)
def clear(
    request: Request,
    level: Annotated[Level, Query()],
    target_id: Annotated[Target, Query()] = "",
    expected: Annotated[Content | None, Query(description="看到的内容")] = None,
) -> LayerList:
    """Its text is kept in the history."""
    site = site_of(request)
    prompts = site.app.rooms.prompts.layers
    if not prompts.get(level, target_id):
        raise HTTPException(404, "没有这一层提示词")
    prompts.save(level, target_id, "", expected=expected)
    return _all(site)


def _all(site: Site) -> LayerList:
    rooms, settings = site.app.rooms, site.app.settings
    card = rooms.card_of(settings.character)
    return LayerList(layers=list(map(_view, rooms.prompts.layers.all())), card=card.filled("").system_prompt)


def _view(layer: Layer) -> LayerView:
    return LayerView(
        level=layer.level, target_id=layer.target_id, content=layer.content, updated_at=layer.updated_at
    )
