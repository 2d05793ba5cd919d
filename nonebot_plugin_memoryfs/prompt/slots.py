"""Where each item of the system prompt stands, what is cut first, and what agent mode leaves out (R3.9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

NOTES_TITLE = "重要记忆"
"""Heading above the notes, in 【】 (R3.8)."""
TOOLS_TITLE = "可用工具"
MEMORY = "memory_fs.context"
OLD_MEMORY = "memory_fs_context"
"""The upstream's old key for the same thing: the two never both appear."""


class Cut(IntEnum):
    """What goes first when the prompt is over its budget (R3.10): the lowest."""

    NOTES = 1
    FACTS = 2
    TIMELINE = 3
    LIFE = 4
    EVENTS = 5
    DIGEST = 6
    OLDER_TURNS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """The place of an item."""

    priority: int
    """Small first."""
    volatile: bool = False
    """Differs from turn to turn, so it stands behind everything that does not."""
    title: str = ""
    """Heading above the item; empty where its text brings its own."""
    persona: bool = False
    """Left out in agent mode: persona, memory files and notes."""


SLOTS: Mapping[str, Slot] = {
    "safety": Slot(priority=10, title="须知"),
    "base": Slot(priority=18, title="设定"),
    "behavior": Slot(priority=20, title="相处方式"),
    "character.profile": Slot(priority=30, title="角色资料", persona=True),
    "graph.persona": Slot(priority=31, title="人设", persona=True),
    "character.relationship": Slot(priority=50, title="关系", persona=True),
    MEMORY: Slot(priority=58, volatile=True, title="记忆", persona=True),
    OLD_MEMORY: Slot(priority=58, volatile=True, title="记忆", persona=True),
    "memories": Slot(priority=60, volatile=True, persona=True),
    "tools": Slot(priority=80),
    "graph.tasks": Slot(priority=82, volatile=True, title="正在聊的事"),
    "graph.facts": Slot(priority=84, volatile=True, title="想起的事"),
    "time": Slot(priority=90, volatile=True, title="现在"),
}

TITLES = frozenset(slot.title for slot in SLOTS.values() if slot.title) | {NOTES_TITLE, TOOLS_TITLE}
"""Headings that must not leak into a reply (R4.7)."""


def slot_of(key: str) -> Slot:
    """The slot of a key; other plugins' keys stand last among the stable ones, under their own name."""
    return SLOTS.get(key) or Slot(priority=100, title=key)
