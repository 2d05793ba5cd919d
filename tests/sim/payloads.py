"""OneBot v11 JSON as real implementations write it: message segments, CQ strings, events.

Nothing here knows about connections; `onebot.py` sends what is built here.
"""

import re
import time
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

Json: TypeAlias = dict[str, Any]
Segment: TypeAlias = dict[str, Any]
Message: TypeAlias = str | list[Segment]
"""A CQ string (string form) or a list of segments (array form)."""

ANONYMOUS_USER = 80000000
"""The account every anonymous group member appears under."""

_CQ_CODE = re.compile(r"\[CQ:([A-Za-z0-9_.-]+)((?:,[A-Za-z0-9_.-]+=[^,\[\]]*)*)\]")


def _segment(kind: str, data: Mapping[str, object]) -> Segment:
    return {"type": kind, "data": {key: str(value) for key, value in data.items()}}


def text(content: str) -> Segment:
    """Plain text; never read as CQ code."""
    return _segment("text", {"text": content})


def at(user_id: int | str, **data: object) -> Segment:
    """A mention; `"all"` mentions everybody."""
    return _segment("at", {"qq": user_id, **data})


def face(face_id: int) -> Segment:
    """A built-in QQ face."""
    return _segment("face", {"id": face_id})


def image(file: str = "5A3F.png", **data: object) -> Segment:
    """A picture, which the implementation names by file and address."""
    return _segment("image", {"file": file, "url": f"https://img.invalid/{file}", **data})


def record(file: str = "5A3F.amr", **data: object) -> Segment:
    """A voice message."""
    return _segment("record", {"file": file, "url": f"https://ptt.invalid/{file}", **data})


def reply(message_id: int) -> Segment:
    """A quotation of an earlier message; goes first."""
    return _segment("reply", {"id": message_id})


def forward(forward_id: str = "7f3a") -> Segment:
    """A bundle of forwarded messages."""
    return _segment("forward", {"id": forward_id})


def escape(content: str, *, comma: bool = True) -> str:
    """Make text safe inside a CQ string; commas matter only inside a code's values."""
    content = content.replace("&", "&amp;").replace("[", "&#91;").replace("]", "&#93;")
    return content.replace(",", "&#44;") if comma else content


def unescape(content: str) -> str:
    """Undo `escape`."""
    content = content.replace("&#44;", ",").replace("&#91;", "[").replace("&#93;", "]")
    return content.replace("&amp;", "&")


def to_cq(segments: list[Segment]) -> str:
    """Write segments as one CQ string."""
    return "".join(_to_code(segment["type"], segment["data"]) for segment in segments)


def _to_code(kind: str, data: Mapping[str, object]) -> str:
    if kind == "text":
        return escape(str(data["text"]), comma=False)
    values = (f",{key}={escape(str(value))}" for key, value in data.items() if value is not None)
    return f"[CQ:{kind}{''.join(values)}]"


def from_cq(source: str) -> list[Segment]:
    """Read a CQ string into segments, without empty texts."""
    segments: list[Segment] = []
    end = 0
    for code in _CQ_CODE.finditer(source):
        segments.append(text(unescape(source[end : code.start()])))
        pairs = (pair.split("=", 1) for pair in code[2].split(",") if pair)
        segments.append(_segment(code[1], {key: unescape(value) for key, value in pairs}))
        end = code.end()
    segments.append(text(unescape(source[end:])))
    return [segment for segment in segments if segment != text("")]


def to_segments(message: object) -> list[Segment]:
    """Read a message in any form an API call may carry: CQ string, one segment, or a list.

    Raises `ValueError` for anything else.
    """
    if isinstance(message, str):
        return from_cq(message)
    segments = cast("list[object]", message if isinstance(message, list) else [message])
    for segment in segments:
        if not _is_segment(segment):
            raise ValueError(f"not a message segment: {segment!r}")
    return cast("list[Segment]", segments)


def _is_segment(value: object) -> bool:
    match value:
        case {"type": str(), "data": dict()}:
            return True
        case _:
            return False


def plain_text(segments: list[Segment]) -> str:
    """Only the text of a message, that inside forwarded nodes line by line."""
    parts: list[str] = []
    for segment in segments:
        data = segment["data"]
        if segment["type"] == "text":
            parts.append(data["text"])
        elif segment["type"] == "node" and "content" in data:
            parts.append(plain_text(to_segments(data["content"])) + "\n")
    return "".join(parts)


def event(self_id: int, post_type: str, **fields: object) -> Json:
    """What every event starts with, and its own fields."""
    return {"time": int(time.time()), "self_id": self_id, "post_type": post_type, **fields}


def _content(message: Message, message_id: int) -> Json:
    as_string = isinstance(message, str)
    return {
        "message_id": message_id,
        "message_seq": message_id,
        "real_id": message_id,
        "message": message,
        "message_format": "string" if as_string else "array",
        "raw_message": message if as_string else to_cq(message),
        "font": 14,
    }


def private_message(self_id: int, user_id: int, message: Message, *, message_id: int, nickname: str) -> Json:
    """A friend writes to the bot."""
    return event(
        self_id,
        "message",
        message_type="private",
        sub_type="friend",
        user_id=user_id,
        target_id=self_id,
        sender={
            "user_id": user_id,
            "nickname": nickname,
            "card": "",
            "sex": "unknown",
            "age": 0,
        },
        **_content(message, message_id),
    )


def group_message(
    self_id: int,
    group_id: int,
    user_id: int,
    message: Message,
    *,
    message_id: int,
    nickname: str,
    card: str = "",
    role: str = "member",
) -> Json:
    """A group member writes into the group."""
    return event(
        self_id,
        "message",
        message_type="group",
        sub_type="normal",
        group_id=group_id,
        user_id=user_id,
        anonymous=None,
        sender={
            "user_id": user_id,
            "nickname": nickname,
            "card": card,
            "role": role,
            "title": "",
            "level": "1",
            "area": "",
            "sex": "unknown",
            "age": 0,
        },
        **_content(message, message_id),
    )


def overridden(payload: Json, overrides: Json) -> Json:
    """The payload with some fields replaced; a given `sender` changes only the keys it names."""
    sender = {**payload.get("sender", {}), **overrides.get("sender", {})}
    return {**payload, **overrides, **({"sender": sender} if sender else {})}
