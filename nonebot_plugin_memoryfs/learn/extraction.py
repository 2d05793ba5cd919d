"""The question an extraction asks: who spoke, what is known, what was said since (R4.9)."""

from datetime import datetime, tzinfo

from ..memory import Entry
from ..memory.learnt import Known
from ..memory.paths import parse_memory_path
from ..model import Question
from ..text.neutral import neutralise, quote_line
from ..text.sentences import gist
from .batches import Batch, Line
from .by_rules import extract
from .items import ITEMS, ITEMS_IN_GROUP, Extraction
from .texts import extraction_text

_ENTRY = 160
_REPLY = 100


def extraction_question(
    batch: Batch,
    known: tuple[Known, ...],
    digest: Entry | None,
    character: str,
    now: datetime,
    zone: tzinfo,
) -> Question[Extraction]:
    """What the model is asked about a batch.

    Args:
        batch: what was said.
        known: entries there are already; their number is their place here, from 1.
        digest: the digest of this conversation so far.
        character: the character's name.
        now: the time.
        zone: in which times are told.
    """
    limit = ITEMS_IN_GROUP if batch.in_group else ITEMS
    blocks = (
        (f"现在是 {now.astimezone(zone):%Y-%m-%d %H:%M}，{'群聊' if batch.in_group else '私聊'}。",),
        ("说话的人：", *(f"- {user_id}：{quote_line(name)}" for user_id, name in batch.speakers.items())),
        ("已经记下的：", *(_known(number, one) for number, one in enumerate(known, 1))) if known else (),
        ("之前的摘要：", gist(digest.text, 600)) if digest else (),
        ("新的对话：", *(_line(line, character, zone) for line in batch.lines)),
    )
    return Question(
        system=extraction_text().format(limit=limit),
        user="\n\n".join("\n".join(map(neutralise, block)) for block in blocks if block),
        shape=Extraction,
        by_rules=lambda: extract(batch, known, digest),
    )


def _known(number: int, known: Known) -> str:
    place = parse_memory_path(known.path)
    of = f"{place.user_id} 的" if place.user_id else "本会话的"
    mark = "（已不对）" if known.outdated else ""
    return f"{number}. {of}{place.kind.category.label}：{mark}{gist(known.entry.text, _ENTRY)}"


def _line(line: Line, character: str, zone: tzinfo) -> str:
    said = quote_line(line.text)
    if line.by_character:
        return f"（{character}答：{gist(said, _REPLY)}）"
    return f"{line.at.astimezone(zone):%H:%M} {quote_line(line.speaker)}（{line.user_id}）：{said}"
