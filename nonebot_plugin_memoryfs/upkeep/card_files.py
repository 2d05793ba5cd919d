"""Taking in character cards: one file each among the characters, as people put them there (R6.6, R3.11)."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ..character import read_card
from ..character.roster import MAX_BYTES
from ..errors import InvalidInput, TooLong
from ..storage.face_file import create, replace
from ..text.ids import encode_segment

_LONGEST = 60
_NO_FILE_NAME = re.compile(r'[<>:"|?*]|^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[.]|$)', re.IGNORECASE)
"""Not allowed as names of files on Windows; what could leave the folder is encoded."""


def take_card(folder: Path, record: Any, seen: dict[str, str], *, dry_run: bool) -> str | None:
    """Write a card into a folder of characters; one whose character has a file there stays as it is.

    Args:
        folder: where the cards are.
        record: the card, in any form it may have as JSON.
        seen: the cards looked at before, by their character's id; this one joins them.
        dry_run: only look.

    Returns:
        The character's id, if it is new.

    Raises:
        InvalidInput: it is no card that can be used; says what is allowed.
    """
    if not isinstance(record, dict):
        raise InvalidInput("角色卡应是一个 JSON 对象")
    fields = cast(Mapping[str, Any], record)
    text = json.dumps(fields, ensure_ascii=False, indent=2)
    own = fields.get("id")
    card = read_card(text, own if isinstance(own, str) else "")
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise TooLong(f"角色卡 {card.name} 超过 {MAX_BYTES} 字节")
    if len(card.id) > _LONGEST or _NO_FILE_NAME.search(card.id):
        allowed = f'最多 {_LONGEST} 字，不含 <>:"|?*，也不是 CON、NUL 之类'
        raise InvalidInput(f"角色 id {card.id[:_LONGEST]!r} 不能作文件名：{allowed}")
    if (first := seen.setdefault(card.id, text)) is not text:
        if first == text:
            return None
        raise InvalidInput(f"角色 {card.id!r} 有两张不同的卡，用的是前一张")
    name = encode_segment(card.id)
    if any((folder / f"{name}{suffix}").exists() for suffix in (".json", ".png")):
        return None
    if not dry_run:
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / f"{name}.json"
        temporary = path.with_name(f".{path.name}.tmp")
        with create(temporary) as file:
            file.write(data)
        replace(path, temporary)
    return card.id
