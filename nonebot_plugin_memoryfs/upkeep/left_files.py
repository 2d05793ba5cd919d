"""Files beside the tables that may hold what a person said: set aside, converted, the upstream's (R7.4)."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ..storage.directory import make_private
from ..text.ids import encode_segment

_SET_ASIDE = ("*.unreadable-*", "*.old-form-*", ".*.tmp")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


_MARK = ".erasing"
"""Stands in the data directory until an erasure has cleaned the files: it may be killed there."""


def find_left(directory: Path, theirs: Callable[[str], bool]) -> list[Path]:
    """The files that hold something of what is erased.

    A file that was set aside can't be read as what it was, so it goes as a whole: what could be read of it
    stands in the tables.

    Args:
        directory: the data directory.
        theirs: whether a text holds something of it.
    """
    return [path for path in _left(directory) if theirs(_text(path))]


def begin_cleaning(directory: Path, left: Iterable[Path]) -> None:
    """Note which files are to go, so that a start after a kill knows; nothing stops an erasure."""
    with suppress(OSError):
        (directory / _MARK).write_text("".join(f"{path.name}\n" for path in left), "utf-8")
        make_private(directory / _MARK)


def left_to_clean(directory: Path) -> list[Path] | None:
    """The files that were to go when a cleaning was cut off; `None` where none was."""
    try:
        names = (directory / _MARK).read_text("utf-8").splitlines()
    except OSError:
        return None
    return [path for path in _left(directory) if path.name in names]


def end_cleaning(directory: Path) -> None:
    """All of it is done."""
    (directory / _MARK).unlink(missing_ok=True)


def erase_left(left: Iterable[Path]) -> int:
    """Delete these files; how many."""
    return _delete(left)


def erase_own_prompt(directory: Path, user_id: str) -> int:
    """Delete a person's layer in the upstream's folder; no id is made into a path (R6.7)."""
    folder = directory / "resources" / "prompts" / "user"
    name = f"user_{encode_segment(user_id)}.txt"
    return _delete(path for path in folder.glob("*.txt") if path.name == name)


def _delete(paths: Iterable[Path]) -> int:
    gone = list(paths)
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _left(directory: Path) -> Iterator[Path]:
    for pattern in _SET_ASIDE:
        yield from filter(Path.is_file, directory.glob(pattern))


def _text(path: Path) -> str:
    """What a file says, whatever it is, JSON escapes undone."""
    text = path.read_bytes().decode("utf-8", "ignore")
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
