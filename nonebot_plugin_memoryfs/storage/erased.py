"""Whether anything was erased after a time: what was recalled before may tell of it (R7.4)."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from .tables import erasures

_SINCE = select(erasures.c.salt).where(erasures.c.at >= bindparam("since")).limit(1)


def erased_since(connection: Connection, time: datetime) -> bool:
    """Whether anything was erased then or later."""
    return connection.execute(_SINCE, {"since": time}).first() is not None
