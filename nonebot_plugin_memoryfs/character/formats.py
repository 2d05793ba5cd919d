"""The forms a card comes in: `personality.json`, Character Card V1 to V3, as JSON or in a PNG (R3.11)."""

import base64
from functools import cache
from importlib.resources import files

from ..errors import InvalidInput
from .cards import Card
from .fields import parse
from .personality import read_personality
from .png import SIGNATURE, texts_of
from .tavern import is_tavern, read_tavern

_KEYWORDS = ("ccv3", "chara")
"""Where a PNG holds a card, the better one first."""


def load_card(data: bytes, card_id: str = "") -> Card:
    """The card in a file, whatever its form.

    Args:
        data: the file.
        card_id: the character's id; blank means its name, as the upstream does.

    Raises:
        InvalidInput: there is no card in it, or a wrong one; the message names the field and what is allowed.
        TooLong: a text is over its limit.
    """
    if data.startswith(SIGNATURE):
        return read_card(_in_png(data), card_id)
    return read_card(_utf8(data), card_id)


def read_card(text: str, card_id: str = "") -> Card:
    """The card in a JSON text.

    Raises:
        InvalidInput: there is no card in it, or a wrong one; the message names the field and what is allowed.
        TooLong: a text is over its limit.
    """
    fields = parse(text)
    return read_tavern(fields, card_id) if is_tavern(fields) else read_personality(fields, card_id)


@cache
def built_in() -> Card:
    """The card that comes with the package: `neko`, a small cat who remembers."""
    return load_card(files(f"{__package__}").joinpath("neko.json").read_bytes(), "neko")


def _in_png(data: bytes) -> str:
    texts = texts_of(data, _KEYWORDS)
    for keyword in _KEYWORDS:
        if keyword in texts:
            try:
                return _utf8(base64.b64decode(b"".join(texts[keyword].split()), validate=True))
            except ValueError:
                raise InvalidInput(f"PNG 里的 {keyword} 不是 base64 编码的 UTF-8 文字") from None
    raise InvalidInput(f"PNG 里没有角色卡（{' 或 '.join(_KEYWORDS)} 文字块）")


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("应为 UTF-8 编码") from None
