"""What people are shown of a life: how a heartbeat stands, and the line of one day (R5.8, R7.6 d)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from ..character import Rhythm, Stretch
from ..memory import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How the heartbeat of a character in a conversation stands."""

    on: bool
    enabled: bool
    """The global switch."""
    due_at: datetime | None = None
    """When the next fragment is due if nobody speaks until then; `None` while off."""
    last: Entry | None = None
    """The newest fragment."""
    today: int = 0
    """Fragments of this day."""
    refusal: str = ""
    """Why the last one was dropped, of those that were."""
    refused_at: datetime | None = None
    dropped: int = 0
    short: int = 0
    """How many of 35 to 49 characters were stored."""
    paused_until: datetime | None = None
    """Until when a failing model is left alone."""


@dataclass(frozen=True, slots=True)
class DayLine:
    """One day of a character in a conversation, by its own clock."""

    day: date
    stretches: tuple[Stretch, ...]
    """The phases, in order."""
    fragments: tuple[Entry, ...]
    """What it did, oldest first; dropped entries are there as long as the history keeps them (R1.11)."""


def day_line(day: date, rhythm: Rhythm, entries: Iterable[Entry]) -> DayLine:
    """The line of a day, of the fragments that are of it."""
    of_day = (entry for entry in entries if entry.at is not None and rhythm.local(entry.at).date() == day)
    fragments = sorted(dict.fromkeys(of_day), key=lambda entry: entry.at or datetime.min)
    return DayLine(day, rhythm.stretches(day), tuple(fragments))
