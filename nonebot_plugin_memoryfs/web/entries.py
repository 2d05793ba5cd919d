"""The entries of a memory file: read, corrected, taken out, and brought back (R1.8, R1.11).

Every change says what it was made on; where that has changed meanwhile, nothing is written (409).
"""

import hashlib
from datetime import datetime
from typing import Annotated

from fastapi import HTTPException, Query, Request
from pydantic import BaseModel, Field

from ..errors import Outdated
from ..memory import Entry, MemoryFile, MemoryFS, describe_memory_path
from . import API
from .guard import CHANGE_PROBLEMS
from .site import site_of
from .values import Number, Path, Text, guarded_router, place_label

router = guarded_router("条目")

Tag = Annotated[str, Field(max_length=64, description="看到它时的标记")]


class EntryView(BaseModel):
    """One remembered thing."""

    number: int = Field(description="从最早的 1 起")
    tag: str = Field(description="这一条现在的标记，修改和删除时带上")
    text: str
    at: datetime | None
    conversation_id: str | None
    place: str = Field(description="在哪里说的")
    people: list[str]


class FileView(BaseModel):
    """A file with its entries."""

    path: str
    title: str
    summary: str
    category_label: str
    injects_to_prompt: bool
    importance: float
    version: int = Field(description="0 是没有这个文件")
    updated_at: str
    former_versions: int = Field(description="还留着多少个旧版")
    entries: list[EntryView] = Field(description="最早的在前")


class Version(BaseModel):
    """A former version."""

    version: int
    updated_at: str
    entries: list[str]


class Versions(BaseModel):
    """What a file used to be, newest first, and what truncation dropped, oldest first."""

    versions: list[Version]
    dropped: list[str]


class Correction(BaseModel):
    """Another text for an entry."""

    path: Path
    number: Number
    tag: Tag
    text: Annotated[Text, Field(min_length=1, max_length=4000)]


class Restoring(BaseModel):
    """Which version to bring back."""

    path: Path
    version: Number | None = Field(None, description="哪个旧版；不填为上一版，也就是撤销")
    expected: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(description="看到的版本，0 为已删除")


@router.get(f"{API}/entries", summary="一个文件的条目")
def entries(request: Request, path: Annotated[Path, Query()]) -> FileView:
    """A file that is gone but has former versions is shown as empty, version 0."""
    memory = site_of(request).app.rooms.memory
    file = memory.read(path)
    versions = memory.versions(path)
    if file is None and not versions:
        raise HTTPException(404, f"没有记忆文件 {path!r}")
    return _view(memory, path, file, len(versions))


@router.put(f"{API}/entries", summary="更正一条", responses=CHANGE_PROBLEMS)
def correct(request: Request, change: Correction) -> FileView:
    """Its time, conversation and people stay."""
    memory = site_of(request).app.rooms.memory
    seen = _seen(memory, change.path, change.number, change.tag)
    return _view(
        memory, change.path, memory.edit_entry(change.path, change.number, change.text, expected=seen)
    )


@router.delete(f"{API}/entries", summary="删除一条", responses=CHANGE_PROBLEMS)
def remove(
    request: Request,
    path: Annotated[Path, Query()],
    number: Annotated[Number, Query()],
    tag: Annotated[Tag, Query()],
) -> FileView:
    """The version before is kept."""
    memory = site_of(request).app.rooms.memory
    seen = _seen(memory, path, number, tag)
    return _view(memory, path, memory.remove_entry(path, number, expected=seen))


@router.delete(f"{API}/file", summary="删除一个文件", responses=CHANGE_PROBLEMS)
def delete(request: Request, path: Annotated[Path, Query()], version: Annotated[Number, Query()]) -> FileView:
    """Its last version is kept."""
    memory = site_of(request).app.rooms.memory
    if not memory.delete(path, expected=version):
        raise HTTPException(404, f"没有记忆文件 {path!r}")
    return _view(memory, path, None)


@router.get(f"{API}/versions", summary="一个文件的旧版")
def versions(request: Request, path: Annotated[Path, Query()]) -> Versions:
    """Newest first."""
    memory = site_of(request).app.rooms.memory
    kept = [
        Version(version=f.version, updated_at=f.updated_at, entries=[e.text for e in memory.parse(f)])
        for f in memory.versions(path)
    ]
    return Versions(versions=kept, dropped=[entry.text for entry in memory.dropped_entries(path)])


@router.post(f"{API}/restore", summary="撤销，或恢复一个旧版", responses=CHANGE_PROBLEMS)
def restore(request: Request, wanted: Restoring) -> FileView:
    """What stands there becomes a former version itself, so this can be undone too."""
    memory = site_of(request).app.rooms.memory
    file = memory.restore(wanted.path, wanted.version, expected=wanted.expected)
    return _view(memory, wanted.path, file)


def _seen(memory: MemoryFS, path: str, number: int, tag: str) -> Entry:
    """The entry a change was made on.

    Raises:
        Outdated: it is another one by now.
    """
    found = memory.entries(path)
    entry = found[number - 1] if number <= len(found) else None
    if entry is None or _tag(entry) != tag:
        raise Outdated("这条记忆已经变了，什么也没有改；请看看现在的内容")
    return entry


def _tag(entry: Entry) -> str:
    """What tells an entry from any other, and from what it was before."""
    whole = repr((entry.text, entry.at and entry.at.timestamp(), entry.conversation_id, entry.people))
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]


def _view(memory: MemoryFS, path: str, file: MemoryFile | None, former: int | None = None) -> FileView:
    described = describe_memory_path(path)
    return FileView(
        path=path,
        title=file.title if file else described["category_label"],
        summary=file.summary if file else "",
        category_label=described["category_label"],
        injects_to_prompt=described["injects_to_prompt"],
        importance=file.importance if file else 0,
        version=file.version if file else 0,
        updated_at=file.updated_at if file else "",
        former_versions=len(memory.versions(path)) if former is None else former,
        entries=[
            EntryView(
                number=number,
                tag=_tag(entry),
                text=entry.text,
                at=entry.at,
                conversation_id=entry.conversation_id,
                place=place_label(entry.conversation_id),
                people=list(entry.people),
            )
            for number, entry in enumerate(memory.parse(file) if file else (), 1)
        ],
    )
