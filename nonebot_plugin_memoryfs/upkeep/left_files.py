"""Files beside the tables that may hold what a person said: set aside, converted, the upstream's (R7.4)."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..text.ids import encode_segment

_SET_ASIDE = ("*.unreadable-*", "*.old-form-*", ".*.tmp")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def erase_left(directory: Path, theirs: Callable[[str], bool]) -> int:
    """Delete the files that hold something of what is erased; how many.

    A file that was set aside can't be read as what it was, so it goes as a whole: what could be read of it
    stands in the tables.

    Args:
        directory: the data directory.
        theirs: whether a text holds something of it.
    """
    return _delete(path for path in _left(directory) if theirs(_text(path)))


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
