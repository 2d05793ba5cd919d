"""What the graph answers. A refusal is an answer: `ok` is false, and `text` says what to do instead."""

from dataclasses import dataclass
from datetime import datetime

INFERRED = "[推测]"
"""Stands before what was concluded, not said (R2.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A triplet, and who said it when and where."""

    id: int
    """Of the edge behind it (the newest one, where several conversations say the same)."""
    subject: str
    """`用户` for the one it is shown to, `AI` for the character, else a name."""
    relation: str
    object: str
    inferred: bool
    """Whether it was concluded, not said (R2.4)."""
    first_seen: datetime
    last_seen: datetime
    conversation_id: str
    user_id: str
    """Who said it last."""
    sightings: int = 1

    @property
    def label(self) -> str:
        """The relation as it is shown: with `[推测]` where it was concluded (R2.4)."""
        return f"{INFERRED}{self.relation}" if self.inferred else self.relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a tool."""

    ok: bool
    text: str
    """What the model sees (Chinese)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult(Answer):
    """What `memory_commit` did: all of it or, with `ok` false, nothing."""

    fact_ids: tuple[int, ...] = ()
    """The edges that now hold the triplets, in their order."""
    added: int = 0
    """How many were new."""
    seen_again: int = 0
    """How many were known already."""
    superseded: tuple[Fact, ...] = ()
    """What no longer holds because of it (R2.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult(Answer):
    """What `memory_recall` found."""

    facts: tuple[Fact, ...] = ()
    """Best first."""
    left_out: int = 0
    """How many further facts were found and not shown; around a hub there may be more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeResult(Answer):
    """What `memory_purge` closed; it can be undone for 30 days."""

    purged: tuple[Fact, ...] = ()
    nearest: tuple[str, ...] = ()
    """Names that look like the one that was not found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult(Answer):
    """What a task tool did."""

    task_id: str = ""
    state: str = ""
    """The state the task is in now."""
    paused: tuple[str, ...] = ()
    """Tasks that were paused because of it."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one side said in a turn."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the chain."""

    id: int
    user_id: str
    """Who spoke to the character."""
    answered: bool
    gist: str
    opened_at: datetime
    heard: Side | None
    reply: Side | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainTask:
    """A task node of the chain: an explicit task, or a turn."""

    task_id: str
    state: str
    description: str
    at: datetime
    """When it changed last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChain(Answer):
    """The working memory: the task in progress, paused ones, then the newest turns (R2.15)."""

    tasks: tuple[ChainTask, ...] = ()
    task_lines: tuple[str, ...] = ()
    """The part of `text` about explicit tasks."""
    turn_blocks: tuple[str, ...] = ()
    """The part of `text` about turns, oldest first."""
    newest: tuple[Turn, ...] = ()
    """Those turns themselves, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackRecall(Answer):
    """What words that point back bring up (R2.16)."""

    tasks: tuple[ChainTask, ...] = ()
    """Paused tasks."""
    line_ids: tuple[int, ...] = ()
    """Older lines that fit the other words."""
    named: tuple[str, ...] = ()
    """What the newest turns named, where there are no other words (那个东西)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What a bulk import wrote."""

    written: int = 0
    """Triplets taken."""
    refused: tuple[str, ...] = ()
    """The first reasons why others were not."""
    refused_count: int = 0
