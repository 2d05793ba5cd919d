"""People who asked that nothing of them is kept for now: 停记 and 继续 (R7.4)."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from .learning_tables import pauses
from .upserts import insert_or_ignore

_PAUSE = insert_or_ignore(pauses)
_RESUME = delete(pauses).where(pauses.c.user_id == bindparam("of_user"))
_PAUSED = select(pauses.c.user_id).where(pauses.c.user_id.in_(bindparam("user_ids", expanding=True)))


def pause(connection: Connection, user_id: str, at: datetime) -> None:
    """From now on nothing of this person is stored or learnt; a second time changes nothing."""
    connection.execute(_PAUSE.on(connection), {"user_id": user_id, "since": at})


def resume(connection: Connection, user_id: str) -> bool:
    """Keep what this person says again; whether it was paused."""
    return connection.execute(_RESUME, {"of_user": user_id}).rowcount > 0


def paused_among(connection: Connection, user_ids: Iterable[str]) -> frozenset[str]:
    """Those of these people of whom nothing is kept."""
    wanted = sorted(set(user_ids))
    return frozenset(connection.scalars(_PAUSED, {"user_ids": wanted})) if wanted else frozenset()
