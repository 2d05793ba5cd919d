"""Cards as other programs write them: Character Card V2 and V3, in JSON and in a PNG."""

import base64
import json
import struct
import zlib
from typing import Any

V2_DATA: dict[str, Any] = {
    "name": "林晚",
    "description": "{{char}}是旧书店的店主，认得每一本书。",
    "personality": "慢热，话少，心软",
    "scenario": "雨天，{{user}}推门进了书店。",
    "first_mes": "*她合上书* 随便看，<USER>。",
    "mes_example": (
        "<START>\n{{user}}: 有诗集吗？\n{{char}}: 左手第三排。\n<START>\n{{user}}: 谢谢\n<BOT>: 嗯。"
    ),
    "creator_notes": "给用户看的说明，不进提示词",
    "system_prompt": "{{original}}\n说话不超过两句。{{// 作者的话}}",
    "post_history_instructions": "{{original}}不替{{user}}说话。",
    "alternate_greetings": ["又来了？"],
    "character_book": {
        "name": "书店",
        "extensions": {},
        "entries": [
            {"keys": ["猫"], "content": "店里有只猫叫墨水。", "enabled": True, "insertion_order": 0},
            {
                "keys": [],
                "content": "书店在{{char}}外婆的老房子里。",
                "extensions": {},
                "enabled": True,
                "insertion_order": 20,
                "constant": True,
            },
            {
                "keys": [],
                "content": "@@depth 4\n书店下午两点开门。",
                "extensions": {},
                "enabled": True,
                "insertion_order": 10,
                "constant": True,
            },
            {"keys": [], "content": "停用的", "enabled": False, "insertion_order": 1, "constant": True},
        ],
    },
    "tags": ["日常"],
    "creator": "某人",
    "character_version": "1.2",
    "extensions": {"depth_prompt": {"prompt": "", "depth": 4}},
}

V3_DATA: dict[str, Any] = {
    **V2_DATA,
    "nickname": "阿晚",
    "creator_notes_multilingual": {"en": "Notes", "zh": "说明"},
    "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
    "source": ["https://example.invalid/card"],
    "group_only_greetings": [],
    "creation_date": 1_750_000_000,
    "modification_date": 1_760_000_000,
}


def v2(**changes: Any) -> dict[str, Any]:
    """A V2 card; the old fields stand at the root beside `data`, as real exporters write them."""
    data = {**V2_DATA, **changes}
    return {"name": "旧", "spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def v3(**changes: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": {**V3_DATA, **changes}}


def as_json(card: Any) -> bytes:
    return json.dumps(card, ensure_ascii=False).encode()


def in_base64(card: Any) -> bytes:
    return base64.b64encode(as_json(card))


def chunk(kind: bytes, body: bytes, *, crc: int | None = None) -> bytes:
    checksum = zlib.crc32(kind + body) if crc is None else crc
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)


def text(keyword: str, content: bytes) -> bytes:
    return chunk(b"tEXt", keyword.encode() + b"\0" + content)


def png(*chunks: bytes, end: bool = True) -> bytes:
    """A picture of one pixel with more chunks before its pixels."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    tail = chunk(b"IEND", b"") if end else b""
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + pixels + tail
