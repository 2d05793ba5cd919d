"""A JSON file on the disk: read as people save it, replaced whole, set aside but never overwritten."""

import json
import os
from collections import Counter
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO

from ..text.cleaning import clean_json
from .directory import make_private

_BUFFER_BYTES = 1 << 18

Stat = tuple[int, int, int]
"""What tells one version of a file from the next without reading it."""


def parse(raw: bytes) -> Any:
    """JSON of a file as people save it (UTF-8, with or without a mark).

    Raises:
        ValueError, RecursionError: it is none, nested too deeply, or has a key twice (one of
            the two would be lost).
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("应为 UTF-8 编码") from None
    return clean_json(json.loads(text, object_pairs_hook=_object))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{twice[:40]!r} 写了两次")
    return made


def stat_of(path: Path) -> Stat | None:
    """The version of a file that stands there; `None` for none."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def create(path: Path) -> BinaryIO:
    """A new private file, in the place of one that was left there."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb", _BUFFER_BYTES)


def replace(path: Path, new: Path) -> None:
    """Put a file in the place of another, durably."""
    os.replace(new, path)
    _sync_directory(path.parent)


def set_aside(path: Path, now: datetime, raw: bytes | None = None, why: str = "unreadable") -> Path:
    """Move what stands at a path, or with `raw` these bytes, to a name nobody has taken; that name."""
    name = f"{path.name}.{why}-{now:%Y%m%d-%H%M%S}"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    aside = next(free for name in names if not os.path.lexists(free := path.with_name(name)))
    if raw is None:
        path.replace(aside)
    else:
        aside.write_bytes(raw)
        make_private(aside)
    return aside


def _sync_directory(directory: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
