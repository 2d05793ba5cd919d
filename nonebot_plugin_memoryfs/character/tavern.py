"""Character Card V2 and V3, and V1, which had their texts and no frame (R3.11): what of them enters a prompt.

`system_prompt` is the last of the prompt layers; description, personality, scenario, the constant entries of
`character_book`, `post_history_instructions` (as a rule) and the examples make the profile. `first_mes` is an
example where there is none. Notes of the author, other greetings, assets and the entries of `character_book`
that wait for a keyword are not read.
"""

import re

from ..errors import InvalidInput
from ..text.neutral import neutralise, quote_line
from .cards import Card
from .fields import MAX_NAME, Fields
from .settings import own_settings

SPECS = ("chara_card_v2", "chara_card_v3")
DEFAULT_PROMPT = "你是{{char}}，正在 QQ 上和{{user}}说话，自始至终用{{char}}的身份和口吻。"
"""The system prompt of a card without its own, and what `{{original}}` in one means."""
_FRAME = ("spec", "data")
_V1 = ("first_mes", "mes_example")
MAX_LONG = 32_000
"""Characters of the texts that authors write at length; a prompt shows the beginning."""

_ORIGINAL = re.compile(r"\{\{\s*original\s*\}\}", re.IGNORECASE)
_COMMENT = re.compile(r"\{\{\s*(?://|comment:|hidden_key:)[^{}]*\}\}", re.IGNORECASE)
_OLD_NAMES = {"user": "{{user}}", "bot": "{{char}}", "char": "{{char}}"}
_OLD_NAME = re.compile(r"<(user|bot|char)>", re.IGNORECASE)
_START = re.compile(r"^[ \t]*<START>[ \t]*\n?", re.IGNORECASE | re.MULTILINE)
_DECORATOR = re.compile(r"^@@.*\n?", re.MULTILINE)


def is_tavern(root: Fields) -> bool:
    """Whether it has the frame of a V2 or V3 card, or the texts of a V1 card and no `systemPrompt`."""
    keys = root.data.keys()
    return not keys.isdisjoint(_FRAME) or not ("systemPrompt" in keys or keys.isdisjoint(_V1))


def read_tavern(root: Fields, card_id: str) -> Card:
    """The card in the JSON of a V1, V2 or V3 card.

    Raises:
        InvalidInput: a field is missing or of the wrong type; named with what is allowed.
        TooLong: a text is over its limit.
    """
    framed = not root.data.keys().isdisjoint(_FRAME)
    if framed and (spec := root.data.get("spec")) not in SPECS:
        raise InvalidInput(f"角色卡的 spec 应是 {' 或 '.join(SPECS)}，实际是 {str(spec)[:40]!r}")
    data = root.child("data") if framed else root
    full_name = quote_line(data.text("name", MAX_NAME))
    name = quote_line(data.text("nickname", MAX_NAME)) or full_name
    if not name:
        raise InvalidInput(f"角色卡缺少 {data.path}name：应是角色的名字")
    rule = _ORIGINAL.sub("", _text(data, "post_history_instructions")).strip()
    card = Card(
        id=card_id.strip() or name,
        name=name,
        system_prompt=neutralise(
            _ORIGINAL.sub(DEFAULT_PROMPT, _text(data, "system_prompt")) or DEFAULT_PROMPT
        ),
        description=_text(data, "description", MAX_LONG),
        basic_info=f"全名：{full_name}" if full_name not in ("", name) else "",
        personality=_text(data, "personality", MAX_LONG),
        scenario=_text(data, "scenario", MAX_LONG),
        example_dialogues=_examples(data),
        rules=(rule,) if rule else (),
        lore=_lore(data.child("character_book")),
        tags=data.texts("tags"),
        **own_settings(data.child("extensions").child("memoryfs")),
    )
    return card.with_identity()


def _examples(data: Fields) -> str:
    examples = _START.sub("", _text(data, "mes_example", MAX_LONG)).strip()
    greeting = _text(data, "first_mes", MAX_LONG)
    return examples or (f"{{{{char}}}}：{greeting}" if greeting else "")


def _lore(book: Fields) -> tuple[str, ...]:
    """What the book always says, in its order."""
    constant = [
        entry
        for entry in book.children("entries")
        if entry.flag("constant", False) and entry.flag("enabled", True)
    ]
    constant.sort(key=lambda entry: entry.number("insertion_order"))
    texts = (_DECORATOR.sub("", _text(entry, "content", MAX_LONG)).strip() for entry in constant)
    return tuple(text for text in texts if text)


def _text(fields: Fields, key: str, limit: int | None = None) -> str:
    """A text in the placeholders of `Card.filled`, without the author's comments."""
    text = fields.text(key, limit) if limit else fields.text(key)
    text = _COMMENT.sub("", text.replace("\r\n", "\n"))
    return _OLD_NAME.sub(lambda found: _OLD_NAMES[found[1].lower()], text).strip()
