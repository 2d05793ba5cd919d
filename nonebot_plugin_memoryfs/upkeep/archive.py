"""Reading a backup: nothing of it is used before all of it is what it says it is (R6.5)."""

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import AwareDatetime, BaseModel, Field, ValidationError
from sqlalchemy import Table

from ..errors import InvalidInput
from ..storage.upgrades import UPGRADES
from .backup import FACES, FOLDERS, FORMAT, MANIFEST, VERSION
from .dump import tables

_MANIFEST_BYTES = 4_000_000
_MOST_PACKED = 300
"""No text of ours is packed tighter than this; what claims to be fills a disk."""
_SMALL = 64_000_000
_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, OSError)
"""What a ZIP may raise in which a byte is wrong."""
_UNSAFE = re.compile(r"[\x00-\x1f\\:*?\"<>|]")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


class _Member(BaseModel):
    bytes: Annotated[int, Field(ge=0)]
    sha256: str


class _Manifest(BaseModel):
    format: Literal["nonebot-plugin-memoryfs/backup"]
    version: int
    schema_number: int = Field(alias="schema")
    made_at: AwareDatetime
    last_ids: dict[str, Annotated[int, Field(ge=0, lt=2**63)]]
    members: dict[str, _Member]


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup that was checked whole."""

    path: Path
    made_at: datetime
    last_ids: dict[str, int]
    files: tuple[str, ...]
    """What is put back beside the tables, as paths below the data directory."""

    def lines(self, table: Table) -> Iterator[bytes]:
        """The dump of a table."""
        with zipfile.ZipFile(self.path) as archive, archive.open(_member(table)) as file:
            yield from file

    def file(self, name: str) -> bytes:
        """One of `files`."""
        with zipfile.ZipFile(self.path) as archive:
            return archive.read(f"files/{name}")


def open_archive(path: Path) -> Archive:
    """Check a backup.

    Raises:
        InvalidInput: it is none, is damaged, was changed, or is of another version; says which.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            _check_members(path, archive, manifest)
    except FileNotFoundError:
        raise InvalidInput(f"没有备份文件 {path}") from None
    except _DAMAGED as error:
        raise InvalidInput(f"{path.name} 不是完整的备份文件：{error}") from None
    files = tuple(
        name.removeprefix("files/")
        for name in manifest.members
        if name.startswith("files/") and name.removeprefix("files/") not in FACES
    )
    return Archive(path, manifest.made_at, manifest.last_ids, files)


def _manifest(archive: zipfile.ZipFile) -> _Manifest:
    try:
        info = archive.getinfo(MANIFEST)
        if info.file_size > _MANIFEST_BYTES:
            raise InvalidInput(f"备份的 {MANIFEST} 太大，这不是我们写的备份")
        raw: Any = json.loads(archive.read(info))
    except (KeyError, ValueError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"备份里没有可读的 {MANIFEST}，这不是我们写的备份") from None
    if isinstance(raw, dict) and cast(dict[str, Any], raw).get("format") == FORMAT:
        _check_version(cast(dict[str, Any], raw))
    try:
        return _Manifest.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(map(str, first["loc"]))
        raise InvalidInput(f"备份的 {MANIFEST} 不对：{where} {first['msg']}") from None


def _check_version(manifest: dict[str, Any]) -> None:
    if manifest.get("version") != VERSION or manifest.get("schema") != UPGRADES[-1].number:
        raise InvalidInput(
            f"备份是另一个版本写的（格式 {manifest.get('version')}，表 {manifest.get('schema')}；"
            f"这里是 {VERSION} 和 {UPGRADES[-1].number}）：请用那个版本恢复，再升级"
        )


def _check_members(path: Path, archive: zipfile.ZipFile, manifest: _Manifest) -> None:
    names = [info.filename for info in archive.infolist()]
    if len(set(names)) != len(names) or set(names) != {MANIFEST, *manifest.members}:
        raise InvalidInput("备份里的文件和清单对不上，它被改动过")
    wanted = {_member(table) for table in tables()}
    held = {name for name in names if name.startswith("tables/")}
    if held != wanted:
        raise InvalidInput(f"备份里的表不对：{'、'.join(sorted(held ^ wanted))}")
    for name in manifest.members.keys() - held:
        _check_name(name)
    if sum(info.file_size for info in archive.infolist()) > _SMALL + _MOST_PACKED * path.stat().st_size:
        raise InvalidInput("备份展开后大得不合理，没有采用")
    for name, member in manifest.members.items():
        _check_content(archive, name, member)


def _check_name(name: str) -> None:
    """Only files of the folders people use, and the JSON files; never anything above them."""
    inner = name.removeprefix("files/")
    plain = inner != name and not _UNSAFE.search(inner) and all(map(_is_plain, inner.split("/")))
    ours = inner in FACES or any(inner.startswith(f"{folder}/") for folder in FOLDERS)
    if not plain or not ours:
        raise InvalidInput(f"备份里有不该有的文件 {name[:80]!r}，没有采用")


def _is_plain(part: str) -> bool:
    """Whether a name means itself on every system."""
    return part.strip(". ") != "" and part[-1] not in ". " and not _RESERVED.fullmatch(part)


def _check_content(archive: zipfile.ZipFile, name: str, member: _Member) -> None:
    digest, size = hashlib.sha256(), 0
    with archive.open(name) as file:
        while piece := file.read(1 << 18):
            digest.update(piece)
            size += len(piece)
            if size > member.bytes:
                break
    if size != member.bytes or digest.hexdigest() != member.sha256:
        raise InvalidInput(f"备份里的 {name} 和清单对不上，它坏了或被改动过")


def _member(table: Table) -> str:
    return f"tables/{table.name}.jsonl"
