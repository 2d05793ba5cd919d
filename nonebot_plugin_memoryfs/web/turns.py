"""What was said and why it was answered so: conversations, turns, traces, search (R4.3, R7.5)."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import HTTPException, Query, Request
from pydantic import BaseModel, Field

from ..search.review import lines_everywhere, search_everywhere
from ..turn import PastTurn, past_turn, past_turns, trace_by_turn
from . import API
from .site import site_of
from .values import Id, Number, Text, guarded_router, place_label
from .why import Said, Why, why_of

router = guarded_router("对话")


class ConversationView(BaseModel):
    """Where the character was spoken to."""

    conversation_id: str
    label: str


class TurnView(BaseModel):
    """A turn."""

    id: int
    conversation_id: str
    place: str
    user_id: str
    speaker: str
    at: datetime
    said: str
    reply: str = Field(description="空为没有回答")
    explained: bool = Field(description="有没有“为什么”")

    @classmethod
    def of(cls, turn: PastTurn) -> "TurnView":
        """The view of a turn."""
        fields = {name: getattr(turn, name) for name in cls.model_fields if name != "place"}
        return cls(**fields, place=place_label(turn.conversation_id))


class Found(BaseModel):
    """Lines that share words with what was asked for."""

    lines: list[Said]


@router.get(f"{API}/conversations", summary="角色在哪些会话里说过话")
def conversations(request: Request, character_id: Annotated[Id, Query()]) -> list[ConversationView]:
    """By id."""
    found = site_of(request).facts.conversations(character_id)
    return [ConversationView(conversation_id=c, label=place_label(c)) for c in found if c]


@router.get(f"{API}/turns", summary="一个会话里的话，最新的在前")
def turns(
    request: Request,
    character_id: Annotated[Id, Query()],
    conversation_id: Annotated[Id, Query()],
    limit: Annotated[int, Query(ge=1, le=200)] = 30,
    before: Annotated[Number | None, Query(description="只要比这一轮早的")] = None,
) -> list[TurnView]:
    """As the operator sees them."""
    database = site_of(request).app.rooms.store.database
    return [TurnView.of(t) for t in past_turns(database, character_id, conversation_id, limit, before)]


@router.get(f"{API}/turns/{{turn_id}}/why", summary="为什么这么回答")
def why(request: Request, turn_id: Number) -> Why:
    """What was recalled, given, cut, called and written, and how long each step took."""
    site = site_of(request)
    database = site.app.rooms.store.database
    turn, trace = past_turn(database, turn_id), trace_by_turn(database, turn_id)
    if turn is None or trace is None:
        raise HTTPException(404, f"第 {turn_id} 轮没有留下“为什么”")
    with database.read() as connection:
        recalled: dict[str, Any] = trace.body["recalled"] or {"sayings": ()}
        sayings = lines_everywhere(connection, recalled["sayings"])
    return why_of(site.facts, turn, trace, sayings)


@router.get(f"{API}/search", summary="搜说过的话")
def search(
    request: Request,
    q: Annotated[Text, Query(min_length=1, max_length=200)],
    character_id: Annotated[Id, Query()],
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
) -> Found:
    """In every conversation, by words."""
    with site_of(request).app.rooms.store.database.read() as connection:
        return Found(lines=[Said.of(line) for line in search_everywhere(connection, character_id, q, limit)])
