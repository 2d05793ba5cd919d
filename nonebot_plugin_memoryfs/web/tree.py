"""The tree of memory, one directory at a time: files at their real paths, and the facts of each person."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import BaseModel, Field

from ..errors import InvalidInput
from ..graph import KnownPerson
from ..memory import describe_memory_path
from ..text.ids import decode_segment, encode_segment
from . import API
from .site import Site, site_of
from .values import Path, Text, directory_of, guarded_router, place_label

router = guarded_router("记忆树")

ROOT = "characters/"
_STRANGE = {"", ".", ".."}
"""What no segment of a path is."""


class Node(BaseModel):
    """Something in a directory."""

    path: str = Field(description="目录以 / 结尾；事实的路径是人的目录加 #facts")
    name: str = Field(description="路径的最后一段")
    label: str = Field(description="给人看的说明，可能为空")
    kind: Literal["directory", "file", "facts"]
    files: int = Field(description="目录里有多少个文件")
    injects_to_prompt: bool = Field(description="会不会写进提示词")


class Directory(BaseModel):
    """What a directory holds, or a part of it."""

    nodes: list[Node]
    total: int


@router.get(f"{API}/tree", summary="一个目录里有什么")
def tree(
    request: Request,
    under: Annotated[Path, Query(description="目录，以 / 结尾")] = ROOT,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Directory:
    """Only paths are read, never contents."""
    if not under.startswith(ROOT) or not under.endswith("/") or _STRANGE & {*under.split("/")[:-1]}:
        raise InvalidInput(f"目录 {under!r} 无效：应形如 characters/{{角色}}/users/")
    site = site_of(request)
    nodes = _nodes(site, under)
    return Directory(nodes=nodes[offset : offset + limit], total=len(nodes))


@router.get(f"{API}/find", summary="找人和文件")
def find(
    request: Request,
    q: Annotated[Text, Query(min_length=1, max_length=200, description="号码、名字或路径里的字")],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Directory:
    """People of every character, those whose number begins so first; then files."""
    site = site_of(request)
    wanted = q.strip().casefold()
    people = [
        _facts(directory_of(character, person.user_id), _name(person), person.user_id)
        for character in characters_of(site)
        for person in site.facts.people(character)
        if wanted in person.user_id.casefold() or wanted in person.name.casefold()
    ]
    people.sort(key=lambda node: not node.name.casefold().startswith(wanted))
    paths = [p for p in site.app.rooms.memory.paths(ROOT) if wanted in decode_segment(p).casefold()]
    files = map(_file, paths[: max(0, limit - len(people))])
    return Directory(nodes=[*people[:limit], *files], total=len(people) + len(paths))


def _nodes(site: Site, under: str) -> list[Node]:
    directories: Counter[str] = Counter()
    files: list[str] = []
    for path in site.app.rooms.memory.paths(under):
        first, slash, _ = path[len(under) :].partition("/")
        if slash:
            directories[first] += 1
        else:
            files.append(path)
    facts, labels = _known(site, under.removeprefix(ROOT).split("/")[:-1], directories)
    first = [_facts(under, label) for label in facts]
    return [*first, *_directories(under, labels, directories), *_files(files)]


def _known(site: Site, place: list[str], directories: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """What is known of a directory beside its files: the facts kept there, and directories with labels."""
    match place:
        case []:
            return [], {encode_segment(c): _called(site, c) for c in characters_of(site)}
        case [_]:
            return ["角色的人设与事实"], {"users": "每个人"} | {
                d: _DIRECTORIES.get(d, "") for d in directories
            }
        case [character, "users"]:
            people = site.facts.people(decode_segment(character))
            return [], {encode_segment(p.user_id): _name(p) for p in people}
        case [_, "users", _]:
            return ["记住的事实"], {}
        case _:
            return [], {}


_DIRECTORIES = {
    "users": "每个人",
    "events": "重要事件",
    "plot": "剧情摘要",
    "life_sim": "生活片段",
    "diary": "日记",
    "world": "世界",
}


def characters_of(site: Site) -> list[str]:
    """The characters that anything may be remembered of."""
    return sorted({site.app.settings.character, *site.facts.characters()})


def _called(site: Site, character_id: str) -> str:
    """What a character is called; nothing for one whose card is another's."""
    roster = site.app.roster
    return roster.card(character_id).name if character_id in roster else ""


def _name(person: KnownPerson) -> str:
    return "" if person.name == person.user_id else person.name


def _facts(under: str, label: str, name: str = "事实") -> Node:
    return Node(
        path=f"{under}#facts",
        name=name,
        label=label,
        kind="facts",
        files=0,
        injects_to_prompt=True,
    )


def _directories(under: str, labels: dict[str, str], files: Counter[str]) -> list[Node]:
    return [
        Node(
            path=f"{under}{name}/",
            name=name,
            label=labels.get(name, ""),
            kind="directory",
            files=files[name],
            injects_to_prompt=False,
        )
        for name in sorted({*labels, *files})
    ]


def _files(paths: list[str]) -> list[Node]:
    return [_file(path) for path in sorted(paths, key=_place)]


def _place(path: str) -> tuple[int, str]:
    return describe_memory_path(path)["category_order"], path


def _file(path: str) -> Node:
    described = describe_memory_path(path)
    name = path.rpartition("/")[2]
    place = place_label(decode_segment(name.removesuffix(".md"))) if name.startswith(("qq_", "web_")) else ""
    return Node(
        path=path,
        name=name,
        label=place or described["category_label"],
        kind="file",
        files=0,
        injects_to_prompt=described["injects_to_prompt"],
    )
