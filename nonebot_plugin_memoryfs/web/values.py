"""What requests and answers are made of: texts as the rooms keep them, and where a thing comes from."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import AfterValidator, BaseModel, Field

from ..scope import EVERYWHERE, kind_of
from ..text.cleaning import clean
from ..text.ids import encode_segment
from .guard import PROBLEMS, TOKEN_DOCUMENTED, GuardedRoute

Text = Annotated[str, AfterValidator(clean)]
"""A text without what no room keeps."""
Id = Annotated[Text, Field(min_length=1, max_length=256)]
Path = Annotated[Text, Field(max_length=600)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Done(BaseModel):
    """It was done."""

    ok: bool = True


def guarded_router(tag: str) -> APIRouter:
    """A router whose routes are behind the token."""
    return APIRouter(
        route_class=GuardedRoute, tags=[tag], responses=PROBLEMS, dependencies=[TOKEN_DOCUMENTED]
    )


def directory_of(character_id: str, user_id: str) -> str:
    """The directory of a person in the tree."""
    return f"characters/{encode_segment(character_id)}/users/{encode_segment(user_id)}/"


def place_label(conversation_id: str | None) -> str:
    """A conversation in words."""
    if not conversation_id:
        return ""
    if conversation_id == EVERYWHERE:
        return "处处"
    match kind_of(conversation_id):
        case "private":
            return f"私聊 {conversation_id.removeprefix('qq_private_')}"
        case "group":
            return f"群 {conversation_id.removeprefix('qq_group_')}"
        case "web":
            return "网页"
        case _:
            return conversation_id
