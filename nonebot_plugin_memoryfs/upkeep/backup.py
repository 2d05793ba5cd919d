"""A backup: one ZIP with every table as lines of JSON, the JSON files for reading, and the cards (R6.5)."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ..storage import Database
from ..storage.directory import make_private
from ..storage.face_file import create, replace
from ..storage.upgrades import UPGRADES
from .dump import dump, last_ids, tables

FORMAT = "nonebot-plugin-memoryfs/backup"
VERSION = 1
MANIFEST = "manifest.json"
FACES = ("memory_fs.json", "memories.json", "prompts.json")
"""The JSON files: for reading, a restore makes them anew."""
FOLDERS = ("characters", "resources/prompts")
"""What people put beside the tables, and a restore puts back."""
KEEP = timedelta(days=7)
"""So old a backup may be: then what was erased is gone from all of them (R7.4)."""

_LARGEST_FILE = 64_000_000
_NAME = "memoryfs-%Y%m%d-%H%M%S.zip"


def write_backup(database: Database, directory: Path | None, folder: Path, now: datetime) -> Path:
    """Write a backup into a folder, as the tables stand in one view; the file's path.

    Args:
        database: the tables; opened for reading is enough.
        directory: the data directory, whose files come along.
        folder: where the backup goes.
        now: the time.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    make_private(folder)
    path = _free(folder, now)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with create(temporary) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            _fill(archive, database, directory, now)
        replace(path, temporary)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def delete_older(folder: Path, now: datetime) -> int:
    """Delete the backups that were made more than seven days ago, half-written ones too; how many."""
    gone = [path for path in _backups(folder) if _made_at(path) < now - KEEP]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def newest(folder: Path) -> datetime | None:
    """When the newest backup there was made."""
    return max((_made_at(path) for path in _backups(folder) if path.suffix == ".zip"), default=None)


def _fill(archive: zipfile.ZipFile, database: Database, directory: Path | None, now: datetime) -> None:
    members: dict[str, Mapping[str, Any]] = {}
    with database.read() as connection:
        last = last_ids(connection)
        for table in tables():
            lines = (line.encode() for line in dump(connection, table))
            members[f"tables/{table.name}.jsonl"] = _write(archive, f"tables/{table.name}.jsonl", lines)
    for path in _files(directory) if directory else ():
        name = f"files/{path.relative_to(directory or path).as_posix()}"
        members[name] = _write(archive, name, _read(path))
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "schema": UPGRADES[-1].number,
        "made_at": now.astimezone(UTC).isoformat(),
        "database": database.dialect,
        "last_ids": last,
        "members": members,
    }
    archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))


def _write(archive: zipfile.ZipFile, name: str, pieces: Iterable[bytes]) -> Mapping[str, Any]:
    digest, size = hashlib.sha256(), 0
    with archive.open(name, "w", force_zip64=True) as raw, io.BufferedWriter(_Sink(raw), 1 << 18) as file:
        for piece in pieces:
            digest.update(piece)
            size += len(piece)
            file.write(piece)
    return {"bytes": size, "sha256": digest.hexdigest()}


class _Sink(io.RawIOBase):
    """A member of an archive, as something to buffer writes for: each write of it costs a call to zlib."""

    def __init__(self, member: Any) -> None:
        self._member = member

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        return self._member.write(bytes(data))


def _files(directory: Path) -> Iterator[Path]:
    """The JSON files, and what people put into their folders; links are left alone."""
    found = [directory / name for name in FACES]
    found += [path for folder in FOLDERS for path in sorted((directory / folder).rglob("*"))]
    for path in found:
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _LARGEST_FILE:
            yield path


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(1 << 18):
            yield piece


def _free(folder: Path, now: datetime) -> Path:
    """A name of that second, or of the next that is free."""
    at = now.astimezone(UTC)
    while (path := folder / f"{at:{_NAME}}").exists():
        at += timedelta(seconds=1)
    return path


def _backups(folder: Path) -> Iterator[Path]:
    for path in (*folder.glob("memoryfs-*.zip"), *folder.glob(".memoryfs-*.zip.tmp")):
        try:
            _made_at(path)
        except ValueError:
            continue
        yield path


def _made_at(path: Path) -> datetime:
    """When a backup was made, by its name: a copied file has another time."""
    return datetime.strptime(path.name.removeprefix(".").removesuffix(".tmp"), _NAME).replace(tzinfo=UTC)
