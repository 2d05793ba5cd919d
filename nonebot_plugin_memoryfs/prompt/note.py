"""A note: one record of `memories.json`, whom it is for, where it comes from (R3.4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Literal, get_args

from ..errors import InvalidInput, TooLong
from ..scope import Origin, group_conversation, private_conversation
from ..text.cleaning import clean
from ..text.sentences import gist

Kind = Literal["long", "short"]
KINDS: tuple[Kind, ...] = get_args(Kind)

SUMMARY_CHARACTERS = 100
"""Of the content, where no summary is given (R3.1)."""
EXPIRE_DAYS = 7
"""How long a `short` note is kept by default (R3.1)."""
MAX_DAYS = 36_500
LIMITS: Mapping[str, int] = {
    "title": 200,
    "summary": 1000,
    "content": 8000,
    "target_id": 200,
    "character_name": 200,
    "conversation_id": 200,
    "source_event_id": 200,
}
"""The most characters of each text."""
FIELDS = (*LIMITS, "type", "expire_days", "created_at")
"""Everything of a note that can be changed: all but its id."""

_ANY_ZONE = timedelta(days=1)
"""More than any zone is off UTC."""


def message_source(conversation_id: str, message_id: str) -> str:
    """How a note names the message that had it kept; taken back, that takes the note along (R4.11)."""
    return f"{conversation_id} {message_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note; `note_of` makes it from fields that may be wrong."""

    id: str
    title: str
    summary: str
    content: str
    target_id: str
    """`user_…` or `group_…`; empty for a note that is for nobody."""
    type: Kind
    expire_days: int
    created_at: datetime
    character_name: str = ""
    """The character it belongs to; empty for all."""
    conversation_id: str = ""
    """Where it was said; empty where nobody knows."""
    source_event_id: str = ""
    """The turn it comes from (R1.19), or the message that had it kept, as `message_source` names it."""

    @property
    def ends_at(self) -> datetime | None:
        """When it is gone: a `short` one exactly so many times 24 hours after it was made."""
        return self.created_at + timedelta(days=self.expire_days) if self.type == "short" else None

    @property
    def origin(self) -> Origin:
        """Where it comes from, for the audience rule (R1.17).

        A note that does not say so counts as its person's private chat, or as its group's.
        """
        kind, _, id = self.target_id.partition("_")
        people = (id,) if kind == "user" else ()
        implied = {"user": private_conversation(id), "group": group_conversation(id)}.get(kind)
        return Origin(self.conversation_id or implied, people, self.created_at)

    @property
    def source_turn(self) -> int | None:
        """The number of the turn it comes from, where that is what `source_event_id` says."""
        is_turn = self.source_event_id.isdecimal() and len(self.source_event_id) < 10
        return int(self.source_event_id) if is_turn else None

    def to_record(self, zone: tzinfo) -> dict[str, Any]:
        """The note as it stands in `memories.json`, without those of the last three fields that are empty."""
        further = {
            name: value
            for name in ("character_name", "conversation_id", "source_event_id")
            if (value := getattr(self, name))
        }
        return {
            "id": self.id,
            "title": self.title,
            "summary": self.summary,
            "content": self.content,
            "target_id": self.target_id,
            "type": self.type,
            "expire_days": self.expire_days,
            "created_at": self.created_at.astimezone(zone).isoformat(),
            **further,
        }


def user_target(user_id: str) -> str:
    """The `target_id` of a person."""
    return f"user_{user_id}"


def group_target(group_id: str) -> str:
    """The `target_id` of a group."""
    return f"group_{group_id}"


def target_of(text: str) -> str:
    """A `target_id` in its one form: `123` is `user_123`.

    Raises:
        InvalidInput: `user_` or `group_` without a number.
    """
    text = text.strip()
    kind, mark, id = text.partition("_")
    if not mark or kind not in ("user", "group"):
        return user_target(text) if text else ""
    if not id.strip():
        raise InvalidInput(f"target_id {text!r} 缺少号码：应如 user_123 或 group_9")
    return f"{kind}_{id.strip()}"


def note_of(id: str, fields: Mapping[str, Any], now: datetime, former: Note | None = None) -> Note:
    """A note from fields as people and plugins write them.

    Missing and null fields get their defaults, unknown ones are ignored. A summary that was made from the
    content is made anew when the content changes.

    Args:
        id: its id, whatever the fields say.
        fields: what it says.
        now: when it is made, unless it says so itself.
        former: the note it replaces.

    Raises:
        InvalidInput: a field of a wrong kind; names the note, the field and what is allowed.
        TooLong: a text over its limit.
    """
    reader = _Reader(f"便签 {gist(id, 40)}", fields)
    if not 0 < len(id) <= 64:
        raise InvalidInput(f"{reader.name} 的 id 应是 1 到 64 个字")
    content, summary = reader.text("content"), reader.text("summary")
    if former and summary == former.summary == _summary_of(former.content):
        summary = ""
    note = Note(
        id=id,
        title=reader.text("title").strip(),
        summary=summary if summary.strip() else _summary_of(content),
        content=content,
        target_id=target_of(reader.text("target_id")),
        type=reader.kind(),
        expire_days=reader.days(),
        created_at=reader.time("created_at", now),
        character_name=reader.text("character_name").strip(),
        conversation_id=reader.text("conversation_id").strip(),
        source_event_id=reader.text("source_event_id").strip(),
    )
    if not note.title and not note.content.strip():
        raise InvalidInput(f"{reader.name} 的 title 和 content 不能都为空")
    _check_end(note)
    return note


def _summary_of(content: str) -> str:
    return content[:SUMMARY_CHARACTERS]


def _check_end(note: Note) -> None:
    try:
        _ = note.created_at + timedelta(days=note.expire_days) + _ANY_ZONE
    except OverflowError:
        raise InvalidInput(f"便签 {gist(note.id, 40)} 的 created_at 太晚：到期的时间超出了范围") from None


class _Reader:
    """The fields of one note, checked; complaints name note and field."""

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        self.name = name
        self._fields = fields

    def text(self, name: str) -> str:
        """A text, empty where there is none; ids may stand as numbers."""
        value = self._fields.get(name)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self._refusal(name, "文字")
        text, limit = clean(str(value)), LIMITS[name]
        if len(text) > limit:
            raise TooLong(f"{self.name} 的 {name} 有 {len(text)} 字，最多 {limit} 字")
        return text

    def kind(self) -> Kind:
        """`long` or `short`."""
        value = self._fields.get("type")
        if value is None:
            return "long"
        if value not in KINDS:
            raise self._refusal("type", f" {' 或 '.join(KINDS)}")
        return value

    def days(self) -> int:
        """A whole number of days."""
        value = self._fields.get("expire_days")
        if value is None:
            return EXPIRE_DAYS
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_DAYS:
            raise self._refusal("expire_days", f" 0 到 {MAX_DAYS} 的整数")
        return value

    def time(self, name: str, default: datetime) -> datetime:
        """An ISO-8601 time, or a `datetime`; one without an offset is this machine's local time."""
        value = self._fields.get(name)
        if value is None or value == "":
            return default.astimezone(UTC)
        try:
            time = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            time = time.astimezone(UTC)
            _ = time - _ANY_ZONE, time + _ANY_ZONE  # a time that can't be told in every zone is none
            return time
        except (TypeError, ValueError, OverflowError, OSError):
            raise self._refusal(name, " ISO-8601 时间，如 2026-07-08T09:30:00") from None

    def _refusal(self, name: str, allowed: str) -> InvalidInput:
        return InvalidInput(
            f"{self.name} 的 {name} 应是{allowed}，实际是 {gist(repr(self._fields[name]), 80)}"
        )
