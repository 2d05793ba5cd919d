"""What of the memory files goes into a prompt: visible entries, section by section, within a budget.

A section shows entries, never a summary in their place; the newest that fit, oldest first (R1.12, R1.13).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import lru_cache

from sqlalchemy import Connection

from ..scope import Policy, Viewer, reachable
from ..search.corrections import CORRECTED, superseded_copies
from ..text.sentences import shorten
from .audience import visible
from .categories import INJECTED, LIFE_SIM, TIMELINE, FileKind
from .entries import Entry
from .learnt import is_outdated
from .paths import MemoryPath, build_path, parse_memory_path
from .records import Records
from .rendering import (
    LIFE_LINES,
    LIFE_NOTE,
    PER_CONVERSATION,
    TIMELINE_NOTE,
    life_line,
    plain_lines,
    recent_elsewhere,
    timeline_line,
)

DEFAULT_BUDGET = 2000
"""Characters of memory in a prompt."""
DEFAULT_SHARES: Mapping[str, float] = {kind.name: kind.share for kind in INJECTED}
"""How the budget is shared out, by kind of file; what a section does not need, others may use."""

_JOIN = "\n\n"
_LEAST = 24
"""With less room than this, an entry is left out rather than shortened."""


@dataclass(frozen=True, slots=True)
class Section:
    """One file's part of a prompt."""

    kind: str
    """The name of its row in the table of kinds."""
    path: str
    text: str
    """Heading or note, and entries; `""` when nothing is shown."""
    entries: tuple[Entry, ...]
    """The entries shown, oldest first."""
    left_out: int
    """How many entries the viewer may see that are not shown."""
    hidden: int
    """How many the viewer may not see (R1.17)."""


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """The memory part of a prompt, with what it shows and what it leaves out (R1.13)."""

    sections: tuple[Section, ...] = ()
    """One for each file that holds anything, in the order of the prompt."""

    @property
    def text(self) -> str:
        """The sections that show anything, joined by a blank line."""
        return _JOIN.join(section.text for section in self.sections if section.text)

    @property
    def left_out(self) -> int:
        """How many entries are not shown though the viewer may see them."""
        return sum(section.left_out for section in self.sections)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How contexts are made, whoever they are for."""

    records: Records
    policy: Policy
    budget: int
    shares: Mapping[str, float]


def build_context(
    connection: Connection, recipe: Recipe, viewer: Viewer, budget: int | None = None
) -> MemoryContext:
    """The memory a viewer's prompt gets; reads the handful of files that concern them, and no others.

    Args:
        connection: a transaction.
        recipe: how contexts are made here.
        viewer: the user and conversation it is for (R1.17).
        budget: most characters in all; the recipe's by default.
    """
    places = places_for(viewer.character_id, viewer.user_id, viewer.conversation_id)
    contents = recipe.records.contents(connection, [place.text for place in places])
    outdated = superseded_copies(connection, contents)
    drafts = [
        _draft(
            connection, recipe, viewer, place, recipe.records.parse(contents.get(place.text, "")), outdated
        )
        for place in places
    ]
    drafts = [draft for draft in drafts if draft.lines or draft.left_out or draft.hidden]
    grants = _grants(drafts, recipe.shares, recipe.budget if budget is None else budget)
    return MemoryContext(tuple(map(_section, drafts, grants)))


@lru_cache(maxsize=1024)
def places_for(character_id: str, user_id: str, conversation_id: str) -> tuple[MemoryPath, ...]:
    """The files a prompt for this user in this conversation is made of, in its order."""
    ids = {"user": user_id, "conversation": conversation_id}
    named = [(kind, {name: ids[name] for name in ids if f"{{{name}}}" in kind.form}) for kind in INJECTED]
    return tuple(
        parse_memory_path(build_path(kind, character_id, **needed))
        for kind, needed in named
        if all(needed.values())
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A section before it is known how much room it gets."""

    place: MemoryPath
    head: str
    lines: Sequence[tuple[Entry, str]]
    """The entries worth showing, rendered, oldest first."""
    left_out: int
    hidden: int

    @property
    def size(self) -> int:
        """The characters it would take with all its lines, the join to the next section included."""
        return len(self.head) + len(_JOIN) + sum(len(line) + 1 for _, line in self.lines) if self.lines else 0


def _draft(
    connection: Connection,
    recipe: Recipe,
    viewer: Viewer,
    place: MemoryPath,
    stored: Sequence[Entry],
    outdated: Mapping[tuple[str, str], frozenset[str]],
) -> _Draft:
    seen = [entry for _, entry in visible(place, stored, viewer, recipe.policy)]
    hidden = len(stored) - len(seen)
    chosen: Sequence[Entry] = seen
    if place.kind is TIMELINE:
        seen = [entry for entry in seen if entry.conversation_id != viewer.conversation_id]
        archived = _archived(connection, recipe, viewer, place, seen)
        chosen = recent_elsewhere([*archived, *seen], viewer.conversation_id)
    elif place.kind is LIFE_SIM:
        chosen = seen[-LIFE_LINES:]
    head, render = _style(place.kind)
    chosen = [replace(e, text=CORRECTED) if is_outdated(place.text, e, outdated) else e for e in chosen]
    lines = [(entry, render(entry, recipe.records.timezone)) for entry in chosen]
    return _Draft(place, head, lines, max(0, len(seen) - len(chosen)), hidden)


def _archived(
    connection: Connection, recipe: Recipe, viewer: Viewer, place: MemoryPath, seen: Sequence[Entry]
) -> list[Entry]:
    """What the timeline has dropped of conversations that are not shown enough of by the file (R1.11)."""
    counts = Counter(entry.conversation_id for entry in seen)
    elsewhere = reachable(viewer, recipe.policy) - {viewer.conversation_id}
    wanting = sorted(c for c in elsewhere if counts[c] < PER_CONVERSATION)
    known = {(entry.conversation_id, entry.text) for entry in seen}
    kept = recipe.records.history.newest_of_each(connection, place, wanting, PER_CONVERSATION)
    return [
        entry
        for _, entry in visible(place, kept, viewer, recipe.policy)
        if (entry.conversation_id, entry.text) not in known
    ]


def _style(kind: FileKind) -> tuple[str, Callable[[Entry, tzinfo], str]]:
    """What stands above a section's entries, and how each is written."""
    if kind is TIMELINE:
        return f"{TIMELINE_NOTE}\n\n", timeline_line
    if kind is LIFE_SIM:
        return f"{LIFE_NOTE}\n\n", life_line
    return f"{kind.heading}\n", plain_lines


def _grants(drafts: Sequence[_Draft], shares: Mapping[str, float], budget: int) -> list[int]:
    """The room of each section: its share or what it needs, then what others leave, in order."""
    total = max(1.0, sum(shares.values()))
    grants = [min(d.size, int(budget * shares.get(d.place.kind.name, 0.0) / total)) for d in drafts]
    spare = budget - sum(grants)
    for number, draft in enumerate(drafts):
        more = max(0, min(draft.size - grants[number], spare))
        grants[number] += more
        spare -= more
    return grants


def _section(draft: _Draft, grant: int) -> Section:
    shown: list[tuple[Entry, str]] = []
    room = grant - len(draft.head) - len(_JOIN)
    for entry, line in reversed(draft.lines):
        if len(line) + 1 > room:
            break
        shown.append((entry, line))
        room -= len(line) + 1
    if not shown and draft.lines and room >= _LEAST:
        entry, line = draft.lines[-1]
        shown.append((entry, shorten(line, room - 1)))
    shown.reverse()
    text = draft.head + "\n".join(line for _, line in shown) if shown else ""
    entries = tuple(entry for entry, _ in shown)
    left_out = draft.left_out + len(draft.lines) - len(shown)
    return Section(draft.place.kind.name, draft.place.text, text, entries, left_out, draft.hidden)
