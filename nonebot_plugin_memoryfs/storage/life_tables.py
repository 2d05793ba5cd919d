"""The tables of a life: heartbeats, and what all of them share (R5.1)."""

from sqlalchemy import Boolean, Column, Index, Integer, PrimaryKeyConstraint, String, Table, Text

from .moment import Moment
from .prompt_tables import metadata

heartbeats = Table(
    "heartbeats",
    metadata,
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("chosen", Boolean),
    Column("seen_at", Moment, nullable=False),
    Column("last_at", Moment),
    Column("backoff", Integer, nullable=False, default=0),
    Column("day", String(10), nullable=False, default=""),
    Column("today", Integer, nullable=False, default=0),
    Column("due_at", Moment),
    Column("failures", Integer, nullable=False, default=0),
    Column("claim", String(32)),
    Column("claimed_until", Moment),
    Column("short", Integer, nullable=False, default=0),
    Column("dropped", Integer, nullable=False, default=0),
    Column("refusal", Text, nullable=False, default=""),
    Column("refused_at", Moment),
    PrimaryKeyConstraint("character_id", "conversation_id"),
    Index("heartbeats_due", "due_at"),
    sqlite_with_rowid=False,
)
"""The heartbeat of one character in one conversation (R5.2): `chosen` is on, off, or null where nobody chose;
`seen_at` when somebody last spoke to it there, `last_at` its newest fragment, `today` how many of them `day`
had, `due_at` when it is next looked at (null while off); `short` and `dropped` count (R5.3, R5.5)."""

life_state = Table(
    "life_state",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("enabled", Boolean, nullable=False),
    Column("turn_id", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("quiet_until", Moment),
)
"""One row: the global switch, the last turn taken into account, and the pause of a failing model (R5.7)."""
