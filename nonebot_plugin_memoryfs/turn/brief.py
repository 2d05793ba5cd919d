"""What was recalled, as the plain data the offline model answers from (R4.14)."""

from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from ..graph import SPEAKER
from ..model import Brief, Exchange, Fact, Saying
from ..search.corrections import CORRECTED
from .values import Recalled, Turn


def brief_of(turn: Turn, zone: ZoneInfo) -> Brief:
    """The brief of a turn that has recalled."""
    recalled = turn.recalled
    assert recalled is not None
    incoming = turn.incoming

    def in_zone(at: datetime) -> datetime:
        return at.astimezone(zone)

    return Brief(
        text=incoming.text,
        turn_id=turn.turn_id,
        character=recalled.card.name,
        identity=recalled.identity,
        facts=tuple(_facts(recalled)),
        sayings=tuple(
            Saying(
                speaker=hit.speaker,
                by_speaker=hit.user_id == incoming.scope.user_id,
                text=hit.text,
                at=hit.at,
            )
            for hit in recalled.sayings
            if not hit.by_character and hit.text != CORRECTED
        ),
        recent=tuple(
            Exchange(
                speaker=past.heard.speaker,
                by_speaker=past.user_id == incoming.scope.user_id,
                said=past.heard.text,
                answered=past.reply.text if past.reply else "",
                at=past.opened_at,
            )
            for past in recalled.chain.newest
            if past.heard is not None and past.heard.text != CORRECTED
        ),
        entries=(
            *(entry.text for section in recalled.memory.sections for entry in section.entries),
            *(one.text for one in recalled.notes.shown if one.text != CORRECTED),
        ),
        in_zone=in_zone,
    )


def _facts(recalled: Recalled) -> Iterable[Fact]:
    for fact in recalled.facts.facts:
        yield Fact(
            subject=fact.subject,
            relation=fact.relation,
            object=fact.object,
            about_speaker=fact.subject == SPEAKER,
            inferred=fact.inferred,
            at=fact.last_seen,
        )
