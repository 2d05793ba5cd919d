"""The one table of memory files: which kinds there are, and what holds for each (R1.2, R1.10, R1.12).

Everything that differs between two files stands in a row here; nothing else decides by a path's wording.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Category(StrEnum):
    """What a memory file is about (R1.2)."""

    label: str
    """Its name for people."""
    order: int
    """Its place in lists, small first."""
    injects: bool
    """Whether files of this category go into prompts."""

    def __new__(cls, value: str, label: str, order: int, injects: bool) -> Self:
        """A member with its row of the table."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.label, member.order, member.injects = label, order, injects
        return member

    USER_PERSONA = "user_persona", "用户人格", 10, True
    CHARACTER_PERSONA = "character_persona", "角色人格", 20, True
    IMPORTANT_EVENT = "important_event", "重要事件", 30, True
    TIMELINE = "timeline", "跨会话时间线", 35, True
    LIFE_SIM = "life_sim", "角色生活片段", 38, True
    RECENT_DIGEST = "recent_digest", "近期对话摘要", 40, True
    LEGACY = "legacy", "旧版记忆", 90, False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """One form of path below `characters/{id}/`, and the rules of the files that have it."""

    name: str
    """Its name in settings and traces."""
    category: Category
    form: str
    """The path form; `{user}` and `{conversation}` are one segment each, `{rest}` is any number."""
    max_entries: int | None = None
    """How many entries a file keeps (R1.10); `None` for no limit but the characters."""
    one_per_conversation: bool = False
    """Whether a conversation's new entry replaces its former one (R1.9)."""
    heading: str = ""
    """The heading of its section in a prompt (R1.12)."""
    share: float = 0.0
    """Its share of the prompt budget (R1.13); 0 for what is never injected."""


USER_PERSONA = FileKind(
    name="user_persona",
    category=Category.USER_PERSONA,
    form="users/{user}/user_persona.md",
    heading="【用户人格记忆】",
    share=0.20,
)
CHARACTER_PERSONA = FileKind(
    name="character_persona",
    category=Category.CHARACTER_PERSONA,
    form="users/{user}/character_persona.md",
    heading="【角色人格记忆】",
    share=0.12,
)
IMPORTANT_EVENTS = FileKind(
    name="important_event",
    category=Category.IMPORTANT_EVENT,
    form="events/{conversation}.md",
    heading="【重要事件】",
    share=0.18,
)
PLOT = FileKind(
    name="plot",
    category=Category.LEGACY,
    form="plot/{conversation}.md",
    max_entries=50,
    heading="【剧情摘要】",
    share=0.05,
)
TIMELINE = FileKind(
    name="timeline",
    category=Category.TIMELINE,
    form="timeline.md",
    max_entries=80,
    share=0.22,
)
LIFE_SIM = FileKind(
    name="life_sim",
    category=Category.LIFE_SIM,
    form="life_sim/{conversation}.md",
    max_entries=10,
    share=0.13,
)
RECENT_DIGEST = FileKind(
    name="recent_digest",
    category=Category.RECENT_DIGEST,
    form="users/{user}/recent_digest.md",
    one_per_conversation=True,
    heading="【近期对话压缩摘要】",
    share=0.10,
)


def _legacy(name: str, form: str, max_entries: int | None = None) -> FileKind:
    return FileKind(name=name, category=Category.LEGACY, form=form, max_entries=max_entries)


USER_SUMMARY = _legacy("user_summary", "users/{user}.md")
DIARY = _legacy("diary", "diary/{rest}.md", 30)
WORLD = _legacy("world", "world/{rest}.md")
GENERAL = _legacy("general", "general.md")
TIMELINE_ARCHIVE = _legacy("timeline_archive", "timeline/{rest}.md")
"""Under such paths the history keeps what a timeline dropped, by conversation (R1.11)."""

KINDS: tuple[FileKind, ...] = (
    USER_PERSONA,
    CHARACTER_PERSONA,
    IMPORTANT_EVENTS,
    PLOT,
    TIMELINE,
    LIFE_SIM,
    RECENT_DIGEST,
    USER_SUMMARY,
    DIARY,
    WORLD,
    GENERAL,
    TIMELINE_ARCHIVE,
    _legacy("user_other", "users/{user}/{rest}.md"),
    _legacy("plot_other", "plot/{rest}.md", 50),
    _legacy("life_sim_other", "life_sim/{rest}.md", 10),
    _legacy("other", "{rest}"),
)
"""Every kind, the first matching form decides; those with a share stand in the order of the prompt."""

INJECTED: tuple[FileKind, ...] = tuple(kind for kind in KINDS if kind.share)
"""The kinds a prompt is built from, in order (R1.12)."""


_ALIASES: dict[Category, str] = {
    Category.USER_PERSONA: "user user_profile user_preference user_preferences persona_user",
    Category.CHARACTER_PERSONA: (
        "character character_profile character_attitude persona_character relationship"
    ),
    Category.IMPORTANT_EVENT: "event events important_events plot plot_summary world_event",
    Category.TIMELINE: "timeline_event timeline_event_other",
    Category.LIFE_SIM: "life_event life_sim_event heartbeat_life",
    Category.RECENT_DIGEST: "digest summary recent_summary dialogue_digest diary",
}
_BY_ALIAS: dict[str, str] = {
    alias: category.value
    for category, aliases in _ALIASES.items()
    for alias in (category.value, *aliases.split())
}
_GAPS = re.compile(r"[\s-]+")


def normalize_memory_category(value: object) -> str:
    """The category a name stands for, or `""` for what is none of ours (R1.3).

    Case, outer blanks, and `-` or blanks inside are folded. `legacy` is not a category to file under.
    """
    if not isinstance(value, str):
        return ""
    return _BY_ALIAS.get(_GAPS.sub("_", value.strip().casefold()), "")
