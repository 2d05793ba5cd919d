"""The tables of learning, review and budgets."""

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from .life_tables import metadata as metadata
from .moment import Moment

pauses = Table(
    "pauses",
    metadata,
    Column("user_id", Text, primary_key=True),
    Column("since", Moment, nullable=False),
)
"""People of whom nothing is stored or learnt for now (停记, R7.4)."""

usage = Table(
    "usage",
    metadata,
    Column("day", String(10), nullable=False),
    Column("purpose", String(16), nullable=False),
    Column("calls", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
    PrimaryKeyConstraint("day", "purpose"),
    sqlite_with_rowid=False,
)
"""What the model was used for, day by day: the budgets of R4.4 and R4.10 are counted here."""

budget_notices = Table(
    "budget_notices",
    metadata,
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("day", String(10), nullable=False),
    PrimaryKeyConstraint("character_id", "conversation_id"),
    sqlite_with_rowid=False,
)
"""On which day a conversation was last told that the budget is spent (R4.4)."""

copies = Table(
    "copies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("path", String(512), nullable=False),
    Column("key", String(64), nullable=False),
    UniqueConstraint("path", "key"),
    sqlite_autoincrement=True,
)
"""Entries that were learnt from turns (R1.19): which file, and a digest of what the entry says."""

copy_turns = Table(
    "copy_turns",
    metadata,
    Column("copy_id", Integer, ForeignKey("copies.id", ondelete="CASCADE"), nullable=False),
    Column("turn_id", Integer, nullable=False),
    PrimaryKeyConstraint("copy_id", "turn_id"),
    Index("copy_turns_turn", "turn_id"),
    sqlite_with_rowid=False,
)
"""The turns an entry was learnt from; the facts of those turns are what it may state."""

learning = Table(
    "learning",
    metadata,
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("learnt_to", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("retry_at", Moment),
    PrimaryKeyConstraint("character_id", "conversation_id"),
    sqlite_with_rowid=False,
)
"""How far each conversation has been learnt from: `learnt_to` is the last turn whose results are stored,
so the counter of R4.8 is the number of closed turns behind it. `tries` have failed since."""

# ---- what a character feels for a person

relationships = Table(
    "relationships",
    metadata,
    Column("character_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("affection", Integer, nullable=False),
    Column("trust", Integer, nullable=False),
    Column("familiarity", Integer, nullable=False),
    Column("updated_at", Moment, nullable=False),
    PrimaryKeyConstraint("character_id", "user_id", "conversation_id"),
    sqlite_with_rowid=False,
)
"""By conversation, so that a group never feels what grew in private (R4.12, R1.17)."""
