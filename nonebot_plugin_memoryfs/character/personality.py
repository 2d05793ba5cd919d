"""The upstream's `personality.json`, with keys of our own beside its (`character.settings`).

Fields nobody shows to a model (greeting, avatar, portrait, state) are not read.
"""

from ..errors import InvalidInput
from ..text.neutral import quote_line
from .cards import Card
from .fields import MAX_NAME, Fields
from .settings import own_settings


def read_personality(fields: Fields, card_id: str) -> Card:
    """The card in the JSON of a `personality.json`.

    Raises:
        InvalidInput: a field is missing or of the wrong type; named with what is allowed.
        TooLong: a text is over its limit.
    """
    name = quote_line(fields.text("name", MAX_NAME)) or quote_line(card_id)
    if not name:
        raise InvalidInput("角色卡缺少 name：应是角色的名字")
    card = Card(
        id=card_id.strip() or name,
        name=name,
        system_prompt=fields.text("systemPrompt"),
        description=fields.text("description"),
        basic_info=fields.text("basicInfo"),
        personality=fields.text("personality"),
        scenario=fields.text("scenario"),
        example_dialogues=fields.text("exampleDialogues"),
        response_format=fields.text("responseFormat"),
        rules=fields.texts("rules"),
        tags=fields.texts("tags"),
        **own_settings(fields),
    )
    return card.with_identity()
