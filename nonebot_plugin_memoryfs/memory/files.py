"""Memory files as values: what one holds, how a write changes it, how it stands in JSON (R1.5, R1.6)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, TypedDict, TypeVar

from ..errors import InvalidInput
from ..text.cleaning import clean
from .paths import MemoryPath

DEFAULT_IMPORTANCE = 0.5
"""The importance of a file nobody weighed."""

_MAX_VERSION = 2**30
"""The most an edit may set: a column holds twice as much, so a file can still be written for ever."""
_ANY_ZONE = timedelta(days=1)
"""More than any zone is off UTC."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """One memory file (R1.5)."""

    path: str
    character_id: str
    """The character the path names."""
    target_id: str = ""
    """Whom or what it is about; by default the user or conversation the path names."""
    title: str
    """Its title; the label of its category where none was given."""
    content: str = ""
    """Its entries, in the grammar of R1.7."""
    summary: str = ""
    tags: tuple[str, ...] = ()
    importance: float = DEFAULT_IMPORTANCE
    """0 to 1."""
    version: int = 1
    """1 for a new file, one more with every write."""
    source_event_id: str = ""
    memory_ids: tuple[str, ...] = ()
    created_at: str
    """ISO-8601 with its offset."""
    updated_at: str
    """ISO-8601 with its offset."""

    def to_record(self) -> dict[str, Any]:
        """The file as it stands in `memory_fs.json` (R1.20)."""
        return {**asdict(self), "tags": list(self.tags), "memory_ids": list(self.memory_ids)}


def stored_file(fields: Mapping[str, Any]) -> MemoryFile:
    """A file from fields that `to_record` made, or a row holds."""
    lists = {name: tuple(fields[name]) for name in ("tags", "memory_ids")}
    values: dict[str, Any] = {**fields, **lists}
    return MemoryFile(**values)


class FileFields(TypedDict, total=False):
    """The fields a write may set beside the content; one left out or `None` stays as it is (R1.6)."""

    character_id: str | None
    target_id: str | None
    title: str | None
    summary: str | None
    tags: Sequence[str] | None
    importance: float | None
    source_event_id: str | None
    memory_ids: Sequence[str] | None


def revise(
    former: MemoryFile | None,
    place: MemoryPath,
    content: str,
    fields: FileFields,
    now: datetime,
    *,
    append: bool = False,
) -> MemoryFile:
    """The file as it is after a write (R1.6).

    Args:
        former: the file before it, if there was one.
        place: its path.
        content: all of its content from now on.
        fields: what else changes.
        now: the time of the write, timezone-aware.
        append: the larger importance counts, and memory ids are added to those there are.

    Raises:
        InvalidInput: an importance outside 0–1, or another character than the path's.
        TypeError: a field there is none of.
    """
    if unknown := fields.keys() - FileFields.__annotations__.keys():
        raise TypeError(f"no such field of a memory file: {', '.join(sorted(unknown))}")
    character = fields.get("character_id")
    if character is not None and character != place.character_id:
        raise InvalidInput(f"character_id {character!r} 与路径 {place.text!r} 中的角色不一致")
    file = former or new_file(place, now)
    importance = check_importance(_either(fields.get("importance"), file.importance))
    ids = _either(fields.get("memory_ids"), file.memory_ids)
    if append and former:
        importance = max(importance, former.importance)
        ids = (*former.memory_ids, *ids)
    return replace(
        file,
        target_id=clean(_either(fields.get("target_id"), file.target_id)),
        title=clean(_either(fields.get("title"), file.title)) or place.kind.category.label,
        content=content,
        summary=clean(_either(fields.get("summary"), file.summary)),
        tags=_texts(_either(fields.get("tags"), file.tags)),
        importance=importance,
        version=file.version + 1 if former else file.version,
        source_event_id=clean(_either(fields.get("source_event_id"), file.source_event_id)),
        memory_ids=_texts(ids),
        updated_at=now.isoformat(),
    )


def new_file(place: MemoryPath, now: datetime) -> MemoryFile:
    """An empty file at this path."""
    return MemoryFile(
        path=place.text,
        character_id=clean(place.character_id),
        target_id=clean(place.user_id or place.conversation_id or ""),
        title=place.kind.category.label,
        created_at=now.isoformat(),
        updated_at=now.isoformat(),
    )


def file_from_record(place: MemoryPath, record: Any, now: datetime, timezone: tzinfo) -> MemoryFile:
    """A file from a record of `memory_fs.json`, ours, the upstream's, or edited by hand (R1.20).

    Fields that are missing or null get their defaults, unknown ones are ignored, and the key is trusted
    for path and character.

    Args:
        place: the record's key.
        record: a parsed JSON value.
        now: the time a record without times gets.
        timezone: the zone of times that name none, and of the times in the result.

    Raises:
        InvalidInput: a field of a wrong kind; names key, field and what is allowed.
    """
    if not isinstance(record, Mapping):
        raise InvalidInput(f"{place.text} 应是一个 JSON 对象")
    reader = _Reader(place.text, record)  # pyright: ignore[reportUnknownArgumentType]
    empty = new_file(place, now)
    updated = reader.time("updated_at", now, timezone)
    return replace(
        empty,
        target_id=reader.text("target_id", empty.target_id),
        title=reader.text("title", "") or empty.title,
        content=reader.text("content", ""),
        summary=reader.text("summary", ""),
        tags=reader.texts("tags"),
        importance=reader.importance(),
        version=reader.version(),
        source_event_id=reader.text("source_event_id", ""),
        memory_ids=reader.texts("memory_ids"),
        created_at=reader.time("created_at", updated, timezone).isoformat(),
        updated_at=updated.isoformat(),
    )


def check_importance(value: object) -> float:
    """The importance, if it is one. Raises `InvalidInput` unless it is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"importance 应是 0 到 1 之间的数，实际是 {value!r}")
    return float(value)


class _Reader:
    """The fields of one record, checked; complaints name key and field."""

    def __init__(self, key: str, record: Mapping[str, Any]) -> None:
        self._key = key
        self._record = record

    def text(self, name: str, default: str) -> str:
        """A text; ids may stand as numbers."""
        value = self._record.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self._refusal(name, "文字")
        return clean(str(value))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, each once."""
        value: Any = self._record.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or any(isinstance(v, dict | list) for v in value):  # pyright: ignore[reportUnknownVariableType]
            raise self._refusal(name, "文字的列表")
        return _texts(value)  # pyright: ignore[reportUnknownArgumentType]

    def importance(self) -> float:
        """A number from 0 to 1."""
        value = self._record.get("importance")
        try:
            return DEFAULT_IMPORTANCE if value is None else check_importance(value)
        except InvalidInput:
            raise self._refusal("importance", "0 到 1 之间的数") from None

    def version(self) -> int:
        """A positive whole number, small enough to be counted on."""
        value = self._record.get("version")
        if value is None:
            return 1
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MAX_VERSION:
            raise self._refusal("version", "正整数")
        return value

    def time(self, name: str, default: datetime, timezone: tzinfo) -> datetime:
        """An ISO-8601 time; one without an offset is local to the zone."""
        value = self._record.get(name)
        if value is None or value == "":
            return default
        try:
            time = datetime.fromisoformat(value)
            utc = (time if time.tzinfo else time.replace(tzinfo=timezone)).astimezone(UTC)
            _ = utc - _ANY_ZONE, utc + _ANY_ZONE  # a time that can't be told in every zone is none
            return utc.astimezone(timezone)
        except (TypeError, ValueError, OverflowError):
            raise self._refusal(name, "ISO-8601 时间，如 2026-07-08T09:30:00+08:00") from None

    def _refusal(self, name: str, allowed: str) -> InvalidInput:
        return InvalidInput(f"{self._key} 的 {name} 应是{allowed}，实际是 {_short(self._record[name])}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _either(value: T | None, otherwise: T) -> T:
    return otherwise if value is None else value


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    """Texts in order, each once. Raises `InvalidInput` for one text in the place of several."""
    if isinstance(values, str):
        raise InvalidInput(f"tags 与 memory_ids 应是文字的列表，实际是 {values!r}")
    return tuple(dict.fromkeys(clean(str(value)) for value in values))
