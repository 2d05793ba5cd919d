"""The offline extractor: what people stated in so many words, and what was talked about (R4.9, R4.14)."""

from collections.abc import Iterable

from ..memory import Category, Entry
from ..memory.learnt import Known
from ..memory.paths import parse_memory_path
from ..text.sentences import gist
from ..text.statements import Statement, recognise
from ..text.telling import told
from .batches import Batch, Line
from .items import Extraction, Item

_EVENTS = frozenset({"打算", "不打算", "养了"})
"""Statements that are events as well as traits: plans, and a new member of the family."""
_DIGEST_LINES = 6
_DIGEST_LINE = 40


def extract(batch: Batch, known: tuple[Known, ...], digest: Entry | None) -> Extraction:
    """What the rules learn of a batch.

    Args:
        batch: what was said.
        known: the entries there are; outdated ones are replaced by what their person states anew.
        digest: the digest so far; the rules write it anew, from the newest lines alone.
    """
    items: list[Item] = []
    stated = {
        user_id: list(_statements(line for line in batch.spoken if line.user_id == user_id))
        for user_id in batch.speakers
    }
    for user_id, statements in stated.items():
        if statements:
            outdated = tuple(
                number for number, one in enumerate(known, 1) if one.outdated and _is_persona_of(one, user_id)
            )
            lines = dict.fromkeys(told("", one.relation, one.object) for one in statements)
            items.append(
                Item(about=user_id, category="user_persona", content="\n".join(lines), replaces=outdated)
            )
    for user_id, statements in stated.items():
        name = batch.speakers[user_id]
        events = [told(name, one.relation, one.object) for one in statements if one.relation in _EVENTS]
        if events:
            items.append(
                Item(about=user_id, category="important_event", content="；".join(dict.fromkeys(events)))
            )
    if batch.spoken:
        items.append(Item(category="recent_digest", content=_digest(batch.spoken)))
    return Extraction(items=items)


def _statements(lines: Iterable[Line]) -> Iterable[Statement]:
    for line in lines:
        yield from recognise(line.text)


def _is_persona_of(known: Known, user_id: str) -> bool:
    place = parse_memory_path(known.path)
    return place.user_id == user_id and place.kind.category is Category.USER_PERSONA


def _digest(spoken: tuple[Line, ...]) -> str:
    newest = spoken[-_DIGEST_LINES:]
    return "最近聊到：" + "；".join(f"{line.speaker}说“{gist(line.text, _DIGEST_LINE)}”" for line in newest)
