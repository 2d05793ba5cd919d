"""What is learnt, as checked data: items of an extraction, and the output of a review (R4.9, R4.12)."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ..character.relationship import Relationship
from ..memory import Category, normalize_memory_category
from ..text.cleaning import clean
from ..text.sentences import gist, shorten

ITEMS = 8
"""Items taken of one extraction …"""
ITEMS_IN_GROUP = 12
"""… and of one in a group (R4.9)."""

Learnable = Literal["user_persona", "character_persona", "important_event", "recent_digest"]

_TITLE, _SUMMARY, _CONTENT = 80, 200, 2_000
_IMPORTANCE: dict[str, float] = {
    Category.USER_PERSONA: 0.6,
    Category.CHARACTER_PERSONA: 0.6,
    Category.IMPORTANT_EVENT: 0.8,
    Category.RECENT_DIGEST: 0.4,
}


def _category(value: Any) -> Any:
    return normalize_memory_category(value) or value


def _person(value: Any) -> Any:
    """Models write ids as numbers, and nobody as an empty text."""
    if value is None or isinstance(value, bool):
        return None
    text = clean(str(value)).strip()
    return None if text.casefold() in ("", "null", "none", "无") else text


def _numbers(value: Any) -> Any:
    if value is None:
        return ()
    return cast(Any, value) if isinstance(value, list | tuple) else (value,)


def _weight(value: Any) -> Any:
    return min(1.0, max(0.0, value)) if isinstance(value, int | float) else value


class Item(BaseModel):
    """One thing learnt."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    about: Annotated[str | None, BeforeValidator(_person)] = Field(
        default=None, description="这一条关于谁：说话人的号码；关于整个对话就填 null"
    )
    category: Annotated[Learnable, BeforeValidator(_category)]
    title: str = Field(default="", description="几个字的标题")
    summary: str = Field(default="", description="一句话的概括")
    content: str = Field(description="要记的内容，一件事一行", min_length=1)
    type: Literal["long", "short"] = Field(default="long", description="long 长期有效；short 几天内有效")
    importance: Annotated[float | None, BeforeValidator(_weight)] = Field(
        default=None, description="0 到 1，越重要越大"
    )
    replaces: Annotated[tuple[int, ...], BeforeValidator(_numbers)] = Field(
        default=(), description="被它更正或取代的已有条目的编号"
    )

    @model_validator(mode="after")
    def _tidy(self) -> "Item":
        content = shorten(clean(self.content).strip() or "…", _CONTENT)
        tidy = {
            "content": content,
            "title": gist(clean(self.title) or clean(self.summary) or content, _TITLE),
            "summary": gist(clean(self.summary) or content, _SUMMARY),
            "importance": _IMPORTANCE[self.category] if self.importance is None else self.importance,
        }
        for name, value in tidy.items():
            object.__setattr__(self, name, value)
        return self


class Extraction(BaseModel):
    """What an extraction answers: a model's bare list would be refused, so it is wrapped."""

    items: list[Item] = Field(default_factory=list[Item])


_Delta = Annotated[int, Field(ge=-20, le=20)]


class RelationshipChange(BaseModel):
    """How much what happened changes a relationship."""

    affection: _Delta = 0
    trust: _Delta = 0
    familiarity: _Delta = 0

    def as_relationship(self) -> Relationship:
        """The same as a relationship to be added."""
        return Relationship(self.affection, self.trust, self.familiarity)


class ReviewOutput(BaseModel):
    """What any code may hand in after a turn (R4.12)."""

    items: list[Item] = Field(default_factory=list[Item])
    relationship: RelationshipChange = RelationshipChange()


def selected(items: Iterable[Item], *, group: bool) -> list[Item]:
    """The items that are taken: one per category and person, so many in all, the first ones (R4.9)."""
    each = {(item.category, item.about): item for item in reversed(list(items))}
    kept = list(reversed(each.values()))
    return kept[: ITEMS_IN_GROUP if group else ITEMS]
