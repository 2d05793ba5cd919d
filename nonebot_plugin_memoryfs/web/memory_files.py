"""`GET /api/review/memory-fs`: the memory files as the operator sees them (R7.5)."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from ..memory import Category, MemoryFile, MemoryFS, describe_memory_path
from ..text.cleaning import clean
from . import MEMORY_FILES
from .guard import PROBLEMS, TOKEN_DOCUMENTED, GuardedRoute
from .site import site_of

router = APIRouter(
    route_class=GuardedRoute, tags=["记忆文件"], responses=PROBLEMS, dependencies=[TOKEN_DOCUMENTED]
)


class FileRecord(BaseModel):
    """A file as it stands in `memory_fs.json`, with what its path says about it."""

    path: str
    character_id: str
    target_id: str = Field(description="关于谁或哪个会话")
    title: str
    content: str = Field(description="条目，以空行分隔")
    summary: str
    tags: list[str]
    importance: float = Field(description="0 到 1")
    version: int = Field(description="从 1 起，每写一次加 1")
    source_event_id: str
    memory_ids: list[str]
    created_at: str = Field(description="ISO-8601，带时差")
    updated_at: str = Field(description="ISO-8601，带时差")
    category: Category
    category_label: str
    injects_to_prompt: bool = Field(description="会不会写进提示词")
    category_order: int = Field(description="类别的次序，小的在前")


class FileList(BaseModel):
    """A list of files, or a part of it."""

    files: list[FileRecord] = Field(description="按类别次序、重要性（高的在前）、路径排列")
    total: int = Field(description="一共有多少个，不只是这一部分")


@router.get(MEMORY_FILES, response_model=FileList | FileRecord, summary="记忆文件的列表，或其中一个")
def memory_files(
    request: Request,
    path: Annotated[str | None, Query(description="只要这一个文件；其余参数不看")] = None,
    character_id: Annotated[str, Query(description="只列这个角色的；不填为所有角色")] = "",
    limit: Annotated[int | None, Query(ge=1, description="最多列多少个；不填为全部")] = None,
    offset: Annotated[int, Query(ge=0, description="跳过前面多少个")] = 0,
) -> Response:
    """Runs in a worker thread and writes the JSON there, so that a long list delays no chat."""
    memory = site_of(request).app.rooms.memory
    found = _list(memory, character_id, limit, offset) if path is None else _one(memory, path)
    return Response(found.model_dump_json(), media_type="application/json")


def _one(memory: MemoryFS, path: str) -> FileRecord:
    """The file at a path. Raises `InvalidMemoryPath` (400), or `HTTPException` for 404."""
    file = memory.read(path)
    if file is None:
        raise HTTPException(404, f"没有记忆文件 {path!r}")
    return _record(file)


def _list(memory: MemoryFS, character_id: str, limit: int | None, offset: int) -> FileList:
    files = memory.list_for_character(clean(character_id)) if character_id else memory.list_all()
    files.sort(key=_place)
    end = None if limit is None else offset + limit
    return FileList(files=[_record(file) for file in files[offset:end]], total=len(files))


def _place(file: MemoryFile) -> tuple[int, float, str]:
    return describe_memory_path(file.path)["category_order"], -file.importance, file.path


def _record(file: MemoryFile) -> FileRecord:
    return FileRecord.model_validate({**file.to_record(), **describe_memory_path(file.path)})
