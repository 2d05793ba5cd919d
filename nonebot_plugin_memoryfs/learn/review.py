"""The default reviewer: rules that cost next to nothing, after every turn (R4.12)."""

import re

from ..character.relationship import Relationship, stages
from ..text.statements import recognise
from .items import Item, RelationshipChange, ReviewOutput

RELATION = "现在的关系："
"""How the entry begins in which the relationship stands."""

_WARM = re.compile(
    r"谢谢|多谢|感谢|辛苦了|抱抱|贴贴|摸摸|想你|爱你|(?<!不)喜欢你|好可爱|真可爱|你真好|你好厉害|太厉害了|早安|晚安"
    r"|\bthank(?:s| you)\b|\blove you\b",
    re.IGNORECASE,
)
_COLD = re.compile(
    r"讨厌你|(?<!不)烦你|你[好真]烦|闭嘴|滚(?:开|蛋|$)|笨死|蠢|垃圾|没用的?东西"
    r"|不喜欢你|不想理你|\bshut up\b|\bhate you\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"秘密|只告诉你|别告诉别人|跟你说实话|说心里话|好难过|想哭|压力好?大|害怕|相信你|信任你")
_BETRAYED = re.compile(r"你骗我|骗子|不相信你|不信你了|别骗我")


def review(said: str, name: str, before: Relationship) -> ReviewOutput:
    """What a turn changes.

    Args:
        said: what the person said.
        name: what they are called.
        before: how the character stood to them.

    Returns:
        The change of the relationship; and where it crosses a threshold, an entry that says so.
    """
    change = RelationshipChange(
        affection=2 * bool(_WARM.search(said)) - 4 * bool(_COLD.search(said)),
        trust=2 * bool(_OPEN.search(said)) + bool(recognise(said)) - 6 * bool(_BETRAYED.search(said)),
        familiarity=1,
    )
    old, new = stages(before), stages(before + change.as_relationship())
    if old == new:
        return ReviewOutput(relationship=change)
    content = f"{RELATION}{'，'.join(new)}"
    item = Item(category="character_persona", title="关系变化", content=content, importance=0.6)
    return ReviewOutput(items=[item], relationship=change)
