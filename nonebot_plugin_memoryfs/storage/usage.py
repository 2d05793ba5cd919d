"""What the model was used for, day by day, counted in the transaction of what came of it (R4.4, R4.10)."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select

from .learning_tables import budget_notices, usage
from .upserts import upsert

CHAT = "chat"
LEARN = "learn"

_ADD = upsert(
    usage,
    ("day", "purpose"),
    lambda new: {"calls": usage.c.calls + new.calls, "tokens": usage.c.tokens + new.tokens},
)
_SPENT = select(func.coalesce(func.sum(usage.c.calls), 0), func.coalesce(func.sum(usage.c.tokens), 0)).where(
    usage.c.day == bindparam("of_day")
)
_SPENT_FOR = _SPENT.where(usage.c.purpose == bindparam("for_purpose"))
_TELL = upsert(
    budget_notices,
    ("character_id", "conversation_id"),
    ("day",),
    where=lambda new: budget_notices.c.day != new.day,
)


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls and tokens of a day."""

    calls: int = 0
    tokens: int = 0


def add_usage(connection: Connection, day: str, purpose: str, spent: Spent) -> None:
    """Count calls of the model.

    Args:
        connection: a write.
        day: the local day, `YYYY-MM-DD`.
        purpose: what for.
        spent: how much.
    """
    if spent != Spent():
        row = {"day": day, "purpose": purpose, "calls": spent.calls, "tokens": spent.tokens}
        connection.execute(_ADD.on(connection), row)


def spent_on(connection: Connection, day: str, purpose: str | None = None) -> Spent:
    """What was used on a day, for everything or for one purpose."""
    where = {"of_day": day} if purpose is None else {"of_day": day, "for_purpose": purpose}
    calls, tokens = connection.execute(_SPENT if purpose is None else _SPENT_FOR, where).one()
    return Spent(int(calls), int(tokens))


def first_notice(connection: Connection, character_id: str, conversation_id: str, day: str) -> bool:
    """Whether this conversation has not been told on this day that the budget is spent; now it has."""
    row = {"character_id": character_id, "conversation_id": conversation_id, "day": day}
    return connection.execute(_TELL.on(connection), row).rowcount > 0
