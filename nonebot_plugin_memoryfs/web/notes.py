"""The notes: seen, added, changed and deleted (R3.4, R3.5, R7.6 b).

A change says what it was made on; where that has changed meanwhile, nothing is written (409).
"""

import hashlib
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, Field

from ..errors import Outdated
from ..prompt.note import EXPIRE_DAYS, LIMITS, MAX_DAYS, Kind, Note
from ..prompt.notes import Notes
from . import API
from .guard import CHANGE_PROBLEMS
from .site import site_of
from .values import Done, Text, guarded_router, place_label

router = guarded_router("便签")

Id = Annotated[Text, Field(min_length=1, max_length=64)]
Tag = Annotated[str, Field(max_length=64, description="看到它时的标记")]
Short = Annotated[Text, Field(max_length=LIMITS["title"])]
Summary = Annotated[Text, Field(max_length=LIMITS["summary"], description="空为内容的开头")]
Content = Annotated[Text, Field(max_length=LIMITS["content"])]
Days = Annotated[int, Field(ge=0, le=MAX_DAYS, description="type 是 short 时，记下多少天后到期")]


class NoteView(BaseModel):
    """One note."""

    id: str
    tag: str = Field(description="它现在的标记，修改和删除时带上")
    title: str
    summary: str
    content: str
    target_id: str = Field(description="写给谁：user_QQ号 或 group_群号；空为没写，不会用")
    character_name: str = Field(description="只给叫这个名字的角色；空为都给")
    conversation_id: str
    place: str = Field(description="算是在哪里说的：只有那里的人看得到（R1.17）")
    source_event_id: str
    type: Kind
    expire_days: int
    created_at: datetime
    ends_at: datetime | None = Field(description="到这时就没有了；空为一直留着")

    @classmethod
    def of(cls, note: Note) -> "NoteView":
        """The view of a note."""
        told = {"tag": _tag(note), "place": place_label(note.origin.conversation_id)}
        return cls(**told, **{name: getattr(note, name) for name in cls.model_fields if name not in told})


class NoteList(BaseModel):
    """Notes, the newest first, or a part of them."""

    notes: list[NoteView]
    total: int


class NewNote(BaseModel):
    """A note to be kept."""

    target_id: Short
    title: Short = ""
    summary: Summary = ""
    content: Content
    character_name: Short = ""
    conversation_id: Annotated[Short, Field(description="不填为本人的私聊，或本群")] = ""
    source_event_id: Short = ""
    type: Kind = "long"
    expire_days: Days = EXPIRE_DAYS
    created_at: datetime | None = Field(None, description="不填为现在")


class NoteChange(BaseModel):
    """What a note says from now on; what is not given stays."""

    id: Id
    tag: Tag
    target_id: Short | None = None
    title: Short | None = None
    summary: Summary | None = None
    content: Content | None = None
    character_name: Short | None = None
    conversation_id: Short | None = None
    type: Kind | None = None
    expire_days: Days | None = None


@router.get(f"{API}/notes", summary="便签，最新的在前")
def notes(
    request: Request,
    target_id: Annotated[Short | None, Query(description="写给谁的")] = None,
    type: Annotated[Kind | None, Query(description="long 一直留着，short 会到期")] = None,
    character_name: Annotated[Short | None, Query(description="哪个角色的；空文字为不限角色的")] = None,
    find: Annotated[Text, Query(max_length=200, description="只要有这些字的")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> NoteList:
    """Everybody's; edits by hand included, ended ones not."""
    found, total = _notes(request).newest(
        target_id, type, character_name, find=find.strip(), limit=limit, offset=offset
    )
    return NoteList(notes=list(map(NoteView.of, found)), total=total)


@router.post(f"{API}/notes", summary="添一张便签", responses=CHANGE_PROBLEMS)
def add(request: Request, new: NewNote) -> NoteView:
    """It stands in `memories.json` when this answers."""
    return NoteView.of(_notes(request).add(new.model_dump()))


@router.put(f"{API}/notes", summary="改一张便签", responses=CHANGE_PROBLEMS)
def change(request: Request, change: NoteChange) -> NoteView:
    """What it said before is kept for 30 days."""
    kept = _notes(request)
    updates: dict[str, Any] = change.model_dump(exclude_none=True, exclude={"id", "tag"})
    kept.update(change.id, updates, expected=_seen(kept, change.id, change.tag))
    return NoteView.of(_there(kept, change.id))


@router.delete(f"{API}/notes", summary="删除一张便签", responses=CHANGE_PROBLEMS)
def delete(request: Request, id: Annotated[Id, Query()], tag: Annotated[Tag, Query()]) -> Done:
    """With what it used to say."""
    kept = _notes(request)
    kept.delete(id, expected=_seen(kept, id, tag))
    return Done()


def _notes(request: Request) -> Notes:
    return site_of(request).app.rooms.prompts.notes


def _seen(notes: Notes, id: str, tag: str) -> Note:
    """The note a change was made on.

    Raises:
        Outdated: it says something else by now, or is gone.
    """
    note = _there(notes, id)
    if _tag(note) != tag:
        raise Outdated("这张便签已经变了，什么也没有改；请看看现在的内容")
    return note


def _there(notes: Notes, id: str) -> Note:
    note = notes.get(id)
    if note is None:
        raise Outdated("这张便签已经不在了")
    return note


def _tag(note: Note) -> str:
    """What tells a note from what it was before."""
    return hashlib.sha256(repr(note).encode("utf-8", "replace")).hexdigest()[:16]
