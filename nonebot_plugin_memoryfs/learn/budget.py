"""How much the model may be used in a day, and how much of it for learning (R4.4, R4.10)."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from ..storage.usage import LEARN, Spent, add_usage, spent_on

LEARN_SHARE = 0.25
"""Of a day's tokens."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a day, which begins at midnight in the bot's zone; 0 is no limit."""

    zone: ZoneInfo
    calls: int = 0
    tokens: int = 0

    def day(self, now: datetime) -> str:
        """The local day, `YYYY-MM-DD`."""
        return now.astimezone(self.zone).date().isoformat()

    def is_spent(self, connection: Connection, now: datetime) -> bool:
        """Whether the model may not be called any more today."""
        if not self.calls and not self.tokens:
            return False
        spent = spent_on(connection, self.day(now))
        return (0 < self.calls <= spent.calls) or (0 < self.tokens <= spent.tokens)

    def learning_is_spent(self, connection: Connection, now: datetime) -> bool:
        """Whether nothing may be learnt any more today."""
        if self.is_spent(connection, now):
            return True
        spent = spent_on(connection, self.day(now), LEARN).tokens if self.tokens else 0
        return bool(self.tokens) and spent >= self.tokens * LEARN_SHARE

    def count(self, connection: Connection, now: datetime, purpose: str, spent: Spent) -> None:
        """Count what was used."""
        add_usage(connection, self.day(now), purpose, spent)
