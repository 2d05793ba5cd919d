"""Files in the old form, kept beside what they were converted to until they are erased or old (R3.7)."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from ..storage import Store
from ..storage.face_file import set_aside

_WHY = "old-form"


class Originals:
    """The files that were converted, of one JSON file of a store."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._path = store.directory / name if store.directory else None

    def keep(self, converted: int) -> None:
        """Copy the file as it stands, before rows of it are converted; says so to the operator."""
        assert self._path is not None  # there is a file
        kept = set_aside(self._path, self._store.clock(), self._path.read_bytes(), _WHY)
        self._store.report(
            f"{self._path.name} 里有 {converted} 条是旧格式（key/value），已转换；"
            f"原文件另存为 {kept.name}，30 天后删除。没有 target_id 的不会用在对话里，要用请补上"
        )

    def delete(self) -> None:
        """Delete all of them."""
        for path, _ in self._all():
            path.unlink(missing_ok=True)

    def delete_before(self, time: datetime) -> None:
        """Delete those that were converted before then."""
        for path, at in self._all():
            if at.replace(tzinfo=time.tzinfo) < time:
                path.unlink(missing_ok=True)

    def _all(self) -> Iterator[tuple[Path, datetime]]:
        """Every file that was kept, and when."""
        if self._path is None:
            return
        named = re.compile(rf"{re.escape(self._path.name)}\.{_WHY}-(\d{{8}}-\d{{6}})(?:-\d+)?")
        for path in self._path.parent.iterdir():
            if found := named.fullmatch(path.name):
                yield path, datetime.strptime(found[1], "%Y%m%d-%H%M%S")
