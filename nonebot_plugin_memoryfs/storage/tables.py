"""The tables, once (SQLAlchemy Core). Rooms write queries over these.

Those of prompts, a life and learning are in `prompt_tables`, `life_tables` and `learning_tables`.

Changes to this file need a numbered step in `upgrades.py`.
"""

from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TextClause,
    UniqueConstraint,
    text,
)

from .moment import Moment

metadata = MetaData()

# ---- storage itself

upgrades = Table(
    "upgrades",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("applied_at", Moment, nullable=False),
)

faces = Table(
    "faces",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("digest", String(64)),
    Column("pending", String(64)),
)
"""Digest of each JSON file as last written, and as being written: any other is an edit (R6.2)."""

face_records = Table(
    "face_records",
    metadata,
    Column("face", String(64), nullable=False),
    Column("key", Text, nullable=False),
    Column("digest", String(64)),
    Column("pending", String(64)),
    PrimaryKeyConstraint("face", "key"),
    sqlite_with_rowid=False,
)
"""The same for each record: what an edit is compared with. Empty text stands for "not in the file"."""

presence = Table(
    "presence",
    metadata,
    Column("user_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("first_at", Moment, nullable=False),
    PrimaryKeyConstraint("user_id", "conversation_id"),
    sqlite_with_rowid=False,
)
"""Where a person was first seen speaking: `seen_in` of the audience rule (R1.17)."""

erasures = Table(
    "erasures",
    metadata,
    Column("salt", String(32), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("at", Moment, nullable=False),
)
"""Who was erased when, as salted digests of ids: what a restored backup holds of them goes again (R6.5)."""

quiet_groups = Table(
    "quiet_groups",
    metadata,
    Column("conversation_id", Text, primary_key=True),
    Column("since", Moment, nullable=False),
)
"""Groups that are switched off: what is said there is neither answered nor kept (R7.2)."""

# ---- memory files

files = Table(
    "files",
    metadata,
    Column("path", String(512), primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("target_id", Text, nullable=False, default=""),
    Column("title", Text, nullable=False, default=""),
    Column("content", Text, nullable=False, default=""),
    Column("summary", Text, nullable=False, default=""),
    Column("tags", JSON, nullable=False),
    Column("importance", Float, nullable=False),
    Column("version", Integer, nullable=False),
    Column("source_event_id", Text, nullable=False, default=""),
    Column("memory_ids", JSON, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Index("files_character", "character_id"),
)

file_history = Table(
    "file_history",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("path", String(512), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", JSON, nullable=False),
    Column("at", Moment, nullable=False),
    Index("file_history_path", "path", "kind", "id"),
)
"""What truncation dropped (`kind` entry) and former or deleted versions of files (`kind` version) (R1.11)."""

# ---- where things were said

places = Table(
    "places",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    UniqueConstraint("character_id", "conversation_id"),
    sqlite_autoincrement=True,
)
"""One character in one conversation, as a number: facts and the text index are kept by place."""

# ---- turns: what was said, and the chain they form

turns = Table(
    "turns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("gist", Text, nullable=False, default=""),
    Column("task_id", Integer, ForeignKey("tasks.id", ondelete="SET NULL")),
    Column("source_ids", JSON, nullable=False),
    Column("opened_at", Moment, nullable=False),
    Column("closed_at", Moment),
    Index("turns_chain", "character_id", "conversation_id", "id"),
    Index("turns_open", "state"),
    Index("turns_task", "task_id"),
    sqlite_autoincrement=True,
)
"""`state` is open, answered or unanswered (R2.14, R4.1); `source_ids` are the message ids it came from."""

lines = Table(
    "lines",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("turn_id", Integer, ForeignKey("turns.id", ondelete="CASCADE")),
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("by_character", Boolean, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Index("lines_turn", "turn_id"),
    Index("lines_place", "character_id", "conversation_id", "at"),
    sqlite_autoincrement=True,
)
"""What was said, line by line: by people, and by the character (R2.21)."""

traces = Table(
    "traces",
    metadata,
    Column("turn_id", Integer, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("prompt", Text),
    Column("prompt_size", Integer, nullable=False),
)
"""Why each turn was answered as it was; the full prompt text only for the newest turns (R4.3).

`prompt_size` is in bytes, 0 without text.
"""

HAS_TEXT = traces.c.prompt_size > 0
Index(
    "traces_with_text",
    traces.c.character_id,
    traces.c.conversation_id,
    traces.c.turn_id,
    sqlite_where=HAS_TEXT,
    postgresql_where=HAS_TEXT,
)
Index(
    "traces_text_sizes",
    traces.c.turn_id,
    traces.c.prompt_size,
    sqlite_where=HAS_TEXT,
    postgresql_where=HAS_TEXT,
)
Index("traces_conversation", traces.c.conversation_id, traces.c.turn_id)

# ---- the graph

LIVE_EDGE = text("valid_to IS NULL")
CLOSED_EDGE = text("valid_to IS NOT NULL")
PURGED_EDGE = text("purged")
PERSONA_EDGE = text("kind = 'HAS_PERSONA' AND valid_to IS NULL")


def _while(condition: TextClause) -> dict[str, Any]:
    """An index over the rows of a condition only, on both databases."""
    return {"sqlite_where": condition, "postgresql_where": condition}


nodes = Table(
    "nodes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("user_id", Text),
    Column("roles", Integer, nullable=False),
    UniqueConstraint("character_id", "key"),
    Index("nodes_user", "user_id", **_while(text("user_id IS NOT NULL"))),
    sqlite_autoincrement=True,
)
"""`key` tells what makes two names one node (`graph.nodes`, R2.2); `roles` is a bit set (R2.1).

How a name is written stands on the edges: before a viewer, a spelling is as private as what was said with it.
"""

aliases = Table(
    "aliases",
    metadata,
    Column("node_id", Integer, ForeignKey("nodes.id", ondelete="CASCADE"), nullable=False),
    Column("place_id", Integer, ForeignKey("places.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("seen_at", Moment, nullable=False),
    PrimaryKeyConstraint("node_id", "place_id", "key"),
    Index("aliases_key", "place_id", "key"),
    sqlite_with_rowid=False,
)
"""What a person is called in a place: nicknames and group cards never cross places (R1.17)."""

relations = Table(
    "relations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("key", Text, nullable=False),
    UniqueConstraint("character_id", "key"),
    sqlite_autoincrement=True,
)
"""The labels of edges; `key` is the folded name, its spelling stands on the edges."""

edges = Table(
    "edges",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("place_id", Integer, ForeignKey("places.id"), nullable=False),
    Column("user_id", Text, nullable=False),
    Column("subject_id", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("relation_id", Integer, nullable=False),
    Column("object_id", Integer, nullable=False),
    Column("subject", Text, nullable=False),
    Column("relation", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("inferred", Boolean, nullable=False),
    Column("sightings", Integer, nullable=False),
    Column("first_seen", Moment, nullable=False),
    Column("last_seen", Moment, nullable=False),
    Column("valid_from", Moment, nullable=False),
    Column("valid_to", Moment),
    Column("superseded_by", Integer),
    Column("purged", Boolean, nullable=False, default=False),
    Index(
        "edges_live",
        "subject_id",
        "relation_id",
        "place_id",
        "object_id",
        unique=True,
        **_while(LIVE_EDGE),
    ),
    Index("edges_subject", "subject_id", "place_id", "last_seen", **_while(LIVE_EDGE)),
    Index("edges_object", "object_id", "place_id", "last_seen", **_while(LIVE_EDGE)),
    Index("edges_user", "user_id", "id", **_while(LIVE_EDGE)),
    Index("edges_relation", "place_id", "relation_id", "last_seen", **_while(LIVE_EDGE)),
    Index("edges_closed", "subject_id", "place_id", "valid_to", **_while(CLOSED_EDGE)),
    Index("edges_persona", "subject_id", "place_id", **_while(PERSONA_EDGE)),
    Index("edges_purged", "place_id", "valid_to", **_while(PURGED_EDGE)),
    sqlite_autoincrement=True,
)
"""Facts (R2.3), one row per stretch of time they held: live while `valid_to` is null, and a live fact
is unique per place. `user_id` is who said it last; `subject`, `relation`, `object` how it was said."""

edge_turns = Table(
    "edge_turns",
    metadata,
    Column("turn_id", Integer, nullable=False),
    Column("edge_id", Integer, ForeignKey("edges.id", ondelete="CASCADE"), nullable=False),
    PrimaryKeyConstraint("turn_id", "edge_id"),
    Index("edge_turns_edge", "edge_id"),
    sqlite_with_rowid=False,
)
"""In which turns a fact was said: their texts are copies of it (R1.19)."""

tasks = Table(
    "tasks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("character_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("task_id", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("state", String(8), nullable=False),
    Column("node_id", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    UniqueConstraint("character_id", "conversation_id", "task_id"),
    Index("tasks_chain", "character_id", "conversation_id", "state", "updated_at"),
    sqlite_autoincrement=True,
)
"""Explicit tasks (R2.11); every turn row is a task node as well (R2.14)."""

# ---- the text index

shelves = Table(
    "shelves",
    metadata,
    Column("place_id", Integer, ForeignKey("places.id"), nullable=False),
    Column("kind", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    PrimaryKeyConstraint("place_id", "kind"),
    sqlite_with_rowid=False,
)
"""How many documents of a kind a place holds, and how long they are together."""

documents = Table(
    "documents",
    metadata,
    Column("place_id", Integer, nullable=False),
    Column("kind", Integer, nullable=False),
    Column("ref", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Column("grams", Text, nullable=False),
    PrimaryKeyConstraint("place_id", "kind", "ref"),
    sqlite_with_rowid=False,
)
"""What is indexed: `kind` is `search.index.Kind`, `ref` the row it stands for. `grams` is what was put
into `postings`, so that taking it out leaves nothing behind, whatever splits words by then."""

postings = Table(
    "postings",
    metadata,
    Column("gram", Text, nullable=False),
    Column("place_id", Integer, nullable=False),
    Column("kind", Integer, nullable=False),
    Column("ref", Integer, nullable=False),
    Column("count", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    PrimaryKeyConstraint("place_id", "kind", "gram", "ref"),
    sqlite_with_rowid=False,
)
"""One row per gram of a document, clustered by place: a query reads only what may be seen."""
