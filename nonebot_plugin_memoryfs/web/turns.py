"""What was said and why it was answered so: conversations, turns, traces, search (R4.3, R7.5)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import HTTPException, Query, Request
from pydantic import BaseModel, Field

from ..graph import StoredFact
from ..search.review import lines_everywhere, search_everywhere
from ..turn import PastTurn, last_turns, past_turn, past_turns, trace_by_turn, turns_by_id
from . import API
from .facts import FactView
from .site import site_of
from .values import Id, Number, Text, guarded_router, place_label
from .why import Said, Why, why_of

router = guarded_router("对话")


class TurnView(BaseModel):
    """A turn."""

    id: int
    conversation_id: str
    place: str
    user_id: str
    speaker: str
    at: datetime
    said: str
    state: str = Field(description="open 正在回答，answered 答了，unanswered 没有回答")
    reply: str = Field(description="空为没有回答")
    explained: bool = Field(description="有没有“为什么”")
    written: list[FactView] = Field(description="这一轮记下的")

    @classmethod
    def of(cls, turn: PastTurn, written: Sequence[StoredFact] = ()) -> "TurnView":
        """The view of a turn and of the facts that were said in it."""
        told = {"place": place_label(turn.conversation_id), "written": list(map(FactView.of, written))}
        return cls(**told, **{name: getattr(turn, name) for name in cls.model_fields if name not in told})


class ConversationView(BaseModel):
    """Where a character was spoken to."""

    character_id: str
    character: str = Field(description="角色的名字")
    conversation_id: str
    label: str
    last: TurnView


class ConversationList(BaseModel):
    """Conversations, the one spoken in last first, or a part of them."""

    conversations: list[ConversationView]
    total: int


class Found(BaseModel):
    """Lines that share words with what was asked for."""

    lines: list[Said]


@router.get(f"{API}/conversations", summary="角色在哪些会话里说过话，最近的在前")
def conversations(
    request: Request,
    character_id: Annotated[Id | None, Query(description="不填为所有角色")] = None,
    find: Annotated[Text, Query(max_length=200, description="只要号码或名称里有这些字的")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> ConversationList:
    """With the last turn of each."""
    site = site_of(request)
    database = site.app.rooms.store.database
    wanted = find.strip().casefold()
    found = [
        turn_id
        for turn_id, character, conversation in last_turns(database)
        if character_id in (None, character)
        and wanted in f"{conversation}\n{place_label(conversation)}".casefold()
    ]
    last = turns_by_id(database, found[offset : offset + limit])
    names = {c: site.app.roster.card(c).name for c in {turn.character_id for turn in last}}
    told = [
        ConversationView(
            character_id=turn.character_id,
            character=names[turn.character_id],
            conversation_id=turn.conversation_id,
            label=place_label(turn.conversation_id),
            last=TurnView.of(turn),
        )
        for turn in last
    ]
    return ConversationList(conversations=told, total=len(found))


@router.get(f"{API}/turns", summary="一个会话里的话，最新的在前")
def turns(
    request: Request,
    character_id: Annotated[Id, Query()],
    conversation_id: Annotated[Id, Query()],
    limit: Annotated[int, Query(ge=1, le=200)] = 30,
    before: Annotated[Number | None, Query(description="只要比这一轮早的")] = None,
) -> list[TurnView]:
    """As the operator sees them."""
    site = site_of(request)
    found = past_turns(site.app.rooms.store.database, character_id, conversation_id, limit, before)
    written = site.facts.facts_of_turns(turn.id for turn in found)
    return [TurnView.of(turn, written.get(turn.id, ())) for turn in found]


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
