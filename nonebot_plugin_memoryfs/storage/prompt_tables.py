"""The tables of prompts: layers, notes, and which character plays where (R3.2, R3.4, R3.11)."""

from sqlalchemy import JSON, Column, Index, Integer, PrimaryKeyConstraint, String, Table, Text

from .moment import Moment
from .tables import metadata as metadata

layers = Table(
    "layers",
    metadata,
    Column("level", String(8), nullable=False),
    Column("target_id", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("updated_at", Moment, nullable=False),
    PrimaryKeyConstraint("level", "target_id"),
)
"""`level` is user, group or default; `target_id` of default is empty (R3.2)."""

layer_history = Table(
    "layer_history",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("level", String(8), nullable=False),
    Column("target_id", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Index("layer_history_target", "level", "target_id"),
)
"""Former texts of layers: an edit by hand never destroys what stood there before."""

# ---- characters

bindings = Table(
    "bindings",
    metadata,
    Column("conversation_id", Text, primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("bound_at", Moment, nullable=False),
)
"""Which character a conversation is bound to, where it is not its account's (R3.11)."""

# ---- notes

notes = Table(
    "notes",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("target_id", Text, nullable=False),
    Column("type", String(8), nullable=False),
    Column("expire_days", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("ends_at", Moment),
    Column("character_name", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("source_event_id", Text, nullable=False),
    Index("notes_target", "target_id", "created_at"),
    Index("notes_ends", "ends_at"),
    Index("notes_source", "source_event_id"),
    sqlite_autoincrement=True,
)
"""The records of `memories.json` (R3.4), in the order of `number`; `ends_at` is null for those that stay.

`target_id` is `user_…`, `group_…` or empty; other fields that are not said are empty too.
"""

note_history = Table(
    "note_history",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("note_id", String(64), nullable=False),
    Column("body", JSON, nullable=False),
    Column("at", Moment, nullable=False),
    Index("note_history_note", "note_id", "id"),
    Index("note_history_at", "at"),
)
"""Former forms of notes: an edit by hand never destroys what stood there before."""
