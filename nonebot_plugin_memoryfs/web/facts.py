"""The facts of a person or of the character, as the operator reads and mends them (R2.10, R7.6 b)."""

from datetime import datetime
from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field

from ..graph import StoredFact
from . import API
from .guard import CHANGE_PROBLEMS
from .site import site_of
from .values import Id, Number, Text, directory_of, guarded_router, place_label

router = guarded_router("事实")

Object = Annotated[Text, Field(max_length=2000)]


class FactView(BaseModel):
    """One fact."""

    id: int
    directory: str = Field(description="说的人在记忆树里的目录")
    subject: str
    relation: str
    object: str
    inferred: bool = Field(description="推测的，没有人亲口说过")
    sightings: int = Field(description="听到过多少次")
    first_seen: datetime
    last_seen: datetime
    conversation_id: str
    place: str = Field(description="在哪里说的")
    user_id: str = Field(description="谁说的")
    speaker: str = Field(description="说的人叫什么")
    live: bool = Field(description="现在还成立")
    undoable: bool = Field(description="已撤下，但还能恢复")

    @classmethod
    def of(cls, fact: StoredFact) -> "FactView":
        """The view of a stored fact."""
        told = {
            "place": place_label(fact.conversation_id),
            "directory": directory_of(fact.character_id, fact.user_id),
        }
        return cls(**told, **{name: getattr(fact, name) for name in cls.model_fields if name not in told})


class FactList(BaseModel):
    """Facts, newest first, or a part of them."""

    name: str = Field(description="这个人叫什么，没有就是号码")
    facts: list[FactView]
    total: int


class NewObject(BaseModel):
    """What holds instead."""

    object: Object
    expected: Object = Field(description="看到的内容")


class BringBack(BaseModel):
    """Which fact holds again."""

    id: Number


@router.get(f"{API}/facts", summary="关于一个人、他说过的事实")
def facts(
    request: Request,
    character_id: Annotated[Id, Query()],
    user_id: Annotated[Id | None, Query(description="不填为角色自己")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> FactList:
    """Of every conversation."""
    review = site_of(request).facts
    found, total = review.facts(character_id, user_id, limit, offset)
    name = character_id if user_id is None else review.name_of(character_id, user_id)
    return FactList(name=name, facts=[FactView.of(fact) for fact in found], total=total)


@router.get(f"{API}/facts/taken-back", summary="撤下或更正过、还能恢复的事实")
def taken_back(
    request: Request,
    character_id: Annotated[Id, Query()],
    user_id: Annotated[Id | None, Query(description="不填为角色自己")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[FactView]:
    """Of the last 30 days, the latest first."""
    found = site_of(request).facts.taken_back(character_id, user_id, limit)
    return [FactView.of(fact) for fact in found]


@router.put(f"{API}/facts/{{fact_id}}", summary="更正一条事实", responses=CHANGE_PROBLEMS)
def correct(request: Request, fact_id: Number, new: NewObject) -> FactView:
    """The fact that holds now; the former one can be brought back for 30 days."""
    return FactView.of(site_of(request).facts.correct(fact_id, new.object, expected=new.expected))


@router.delete(f"{API}/facts/{{fact_id}}", summary="删除一条事实", responses=CHANGE_PROBLEMS)
def remove(request: Request, fact_id: Number, expected: Annotated[Object, Query()]) -> FactView:
    """It can be brought back for 30 days."""
    return FactView.of(site_of(request).facts.purge(fact_id, expected=expected))


@router.post(f"{API}/facts/bring-back", summary="恢复一条撤下或更正的事实", responses=CHANGE_PROBLEMS)
def bring_back(request: Request, wanted: BringBack) -> FactView:
    """What replaced it ends."""
    return FactView.of(site_of(request).facts.bring_back(wanted.id))
