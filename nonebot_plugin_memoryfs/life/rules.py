"""When a heartbeat is due: pure rules on values (R5.2, R5.7)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..character import Rhythm

TRIES = 3
"""The first and at most 2 retries (R5.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How often a character has a life of its own."""

    interval: timedelta = timedelta(minutes=60)
    idle: timedelta = timedelta(minutes=30)
    """How long nobody must have spoken."""
    longest: timedelta = timedelta(hours=8)
    """No gap grows beyond this, unless the interval itself is longer."""
    per_day: int = 12
    calls: int = 5
    """Model calls of one tick."""
    first_pause: timedelta = timedelta(minutes=5)
    """How long a failing model is left alone at first; doubled each time."""

    def gap(self, backoff: int) -> timedelta:
        """The least time between two fragments."""
        return max(self.interval, min(self.interval * 2 ** min(backoff, 20), self.longest))

    def pause(self, failures: int) -> timedelta:
        """How long a model that failed so many times in a row is left alone."""
        return min(self.first_pause * 2 ** min(failures - 1, 20), self.longest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """The state of one character's heartbeat in one conversation."""

    character_id: str
    conversation_id: str
    on: bool
    seen_at: datetime
    """When somebody last spoke to the character there; when it was switched on, if nobody did."""
    last_at: datetime | None = None
    """When the newest fragment was written."""
    backoff: int = 0
    day: str = ""
    """The last day with fragments, by the character's clock."""
    today: int = 0
    """How many that day has."""
    failures: int = 0
    """How often in a row the model had no answer here."""

    def spent(self, at: datetime, rules: Rules, rhythm: Rhythm) -> bool:
        """Whether the day of this moment has all the fragments it may have."""
        return self.day == rhythm.local(at).date().isoformat() and self.today >= rules.per_day

    def due(self, rules: Rules, rhythm: Rhythm) -> datetime:
        """When the next fragment may be written, if nobody speaks until then."""
        at = self.seen_at + rules.idle
        if self.last_at is not None:
            at = max(at, self.last_at + rules.gap(self.backoff))
        if self.spent(at, rules, rhythm):
            return max(at, rhythm.midnight(rhythm.local(at).date() + timedelta(days=1)))
        return at

    def heard(self, at: datetime) -> "Pulse":
        """After somebody spoke: who comes back starts the gaps anew."""
        seen_at = max(self.seen_at, at)
        back = self.last_at is None or seen_at > self.last_at
        return replace(self, seen_at=seen_at, backoff=0 if back else self.backoff)

    def not_after(self, now: datetime) -> "Pulse":
        """Without what a clock that ran ahead, and was put right, left in the future."""
        ahead = self.last_at is not None and self.last_at > now
        return replace(self, seen_at=min(self.seen_at, now), last_at=None if ahead else self.last_at)

    def written(self, at: datetime, rhythm: Rhythm, *, by_hand: bool = False) -> "Pulse":
        """After a fragment; each one more while nobody comes back doubles the gap.

        Args:
            at: when.
            rhythm: the character's clock.
            by_hand: whether a person asked for it, who is not away.
        """
        away = self.last_at is not None and self.seen_at <= self.last_at
        backoff = self.backoff + 1 if away else 0
        day = rhythm.local(at).date().isoformat()
        return replace(
            self,
            last_at=at,
            backoff=self.backoff if by_hand else backoff,
            day=day,
            today=self.today + 1 if day == self.day else 1,
            failures=0,
        )
