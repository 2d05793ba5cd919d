"""The system prompt as a stack of items: stable ones, then volatile ones, within a budget (R3.9, R3.10).

Invariants:
- the stable part is the same bytes whatever the volatile items hold: a provider's prefix cache keeps hitting;
- only whole lines of parts with a cut rank are dropped, the lowest rank first, the weakest line first;
- everything dropped is reported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .slots import MEMORY, OLD_MEMORY, Cut, slot_of

BUDGET = 6000
"""Characters of system text by default."""

_GAP = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of an item that is cut on its own."""

    name: str
    """What it is called in the report of cuts."""
    lines: tuple[str, ...]
    """Lines, entries or facts: each stays whole or goes."""
    heading: str = ""
    """Stands above the lines while there are any."""
    cut: Cut | None = None
    """When it is cut; `None`: never."""
    keep: int = 0
    """So many lines are never dropped."""
    weakest: Literal["first", "last"] = "first"
    """Which end goes first: what is told in order loses its oldest, what is ranked its last."""

    @property
    def text(self) -> str:
        """The part as it is printed."""
        if not self.lines:
            return ""
        return "\n".join((self.heading, *self.lines) if self.heading else self.lines)

    def shorter_by(self, characters: int) -> "Part":
        """The part without the fewest weakest lines that make it this much shorter, as far as it may."""
        droppable = max(0, len(self.lines) - self.keep)
        order = self.lines if self.weakest == "first" else self.lines[::-1]
        saved = count = 0
        while saved < characters and count < droppable:
            saved += len(order[count]) + 1
            count += 1
        left = len(self.lines) - count
        return replace(self, lines=self.lines[count:] if self.weakest == "first" else self.lines[:left])


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptItem:
    """One item of the stack."""

    key: str
    parts: tuple[Part, ...]
    priority: int
    volatile: bool
    enabled: bool = True
    target: str | None = None
    """The conversation the item was made for; `None`: not said."""

    @property
    def text(self) -> str:
        """The item as it is printed, under its title; empty without content."""
        body = _GAP.join(text for part in self.parts if (text := part.text))
        title = slot_of(self.key).title
        return f"## {title}\n{body}" if title and body else body


@dataclass(frozen=True, slots=True)
class Kept:
    """An item that stands in the prompt, and its length."""

    key: str
    characters: int


@dataclass(frozen=True, slots=True)
class Omission:
    """What the budget cost one part of an item."""

    key: str
    part: str
    lines: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPrompt:
    """The system text of a turn, and how it came about (for the trace)."""

    text: str
    stable_text: str
    """The beginning of `text` that does not depend on the turn."""
    kept: tuple[Kept, ...]
    cuts: tuple[Omission, ...]
    left_out: tuple[tuple[str, str], ...]
    """Items with content that were not shown at all: key and why."""
    budget: int


class PromptStack:
    """Collects the items of one turn and renders them. Pure: no clock, no store."""

    def __init__(self, *, target: str | None = None, session_mode: str = "chat") -> None:
        """Start an empty stack.

        Args:
            target: the conversation of the turn; items made for another one are left out.
            session_mode: `agent` leaves persona, memory files and notes out.
        """
        self._target = target
        self._agent = session_mode == "agent"
        self._items: dict[str, PromptItem] = {}

    def put(
        self,
        key: str,
        content: str | Iterable[Part],
        *,
        priority: int | None = None,
        volatile: bool | None = None,
        enabled: bool = True,
        target: str | None = None,
    ) -> None:
        """Add an item, or replace the one with this key in its place.

        Args:
            key: one of `slots.SLOTS`, or a name of one's own.
            content: a text that is never cut, or parts.
            priority: small first; the slot's by default.
            volatile: whether it differs from turn to turn; the slot's by default.
            enabled: a disabled item is kept and not shown.
            target: the conversation it was made for.

        Raises:
            ValueError: a part of a stable item has a cut rank, so the stable text would not be stable.
        """
        slot = slot_of(key)
        parts = (Part(name=key, lines=(content,)),) if isinstance(content, str) else tuple(content)
        parts = tuple(_trimmed(part) for part in parts)
        item = PromptItem(
            key=key,
            parts=parts,
            priority=slot.priority if priority is None else priority,
            volatile=slot.volatile if volatile is None else volatile,
            enabled=enabled,
            target=target,
        )
        if not item.volatile and any(part.cut is not None for part in parts):
            raise ValueError(f"stable item {key!r} can't have parts with a cut rank")
        self._items[key] = item

    @property
    def items(self) -> tuple[PromptItem, ...]:
        """Every item in the order of the prompt: stable ones by priority, then volatile ones."""
        return tuple(sorted(self._items.values(), key=lambda item: (item.volatile, item.priority)))

    def render(self, budget: int = BUDGET) -> RenderedPrompt:
        """The system text within the budget, as far as the parts that are never cut allow."""
        reasons = {item.key: self._reason_against(item) for item in self.items if item.text}
        reasons |= self._rival_of_memory([key for key, reason in reasons.items() if not reason])
        shown = [item for item in self.items if reasons.get(item.key) == ""]
        fitted, cuts = _fit(shown, budget)
        return RenderedPrompt(
            text=_join(fitted),
            stable_text=_join([item for item in fitted if not item.volatile]),
            kept=tuple(Kept(item.key, len(item.text)) for item in fitted if item.text),
            cuts=tuple(cuts),
            left_out=tuple((key, reason) for key, reason in reasons.items() if reason),
            budget=budget,
        )

    def _reason_against(self, item: PromptItem) -> str:
        if not item.enabled:
            return "已停用"
        if self._agent and slot_of(item.key).persona:
            return "agent 模式不带人设与记忆"
        if None not in (item.target, self._target) and item.target != self._target:
            return "属于别的会话"
        return ""

    def _rival_of_memory(self, shown: Sequence[str]) -> dict[str, str]:
        """Of the two keys of the memory context, the one that gives way: its target matches less."""
        if not {MEMORY, OLD_MEMORY} <= set(shown):
            return {}
        old_fits = self._items[OLD_MEMORY].target is not None
        new_fits = self._items[MEMORY].target is not None
        stays, goes = (OLD_MEMORY, MEMORY) if old_fits and not new_fits else (MEMORY, OLD_MEMORY)
        return {goes: f"已有 {stays}"}


def _fit(items: Sequence[PromptItem], budget: int) -> tuple[list[PromptItem], list[Omission]]:
    """The items without what the budget has no room for, and what that was."""
    fitted = list(items)
    cuts: list[Omission] = []
    ranked = sorted(
        (part.cut, at, number)
        for at, item in enumerate(items)
        for number, part in enumerate(item.parts)
        if part.cut is not None
    )
    for _, at, number in ranked:
        over = len(_join(fitted)) - budget
        if over <= 0:
            break
        item = fitted[at]
        before = item.parts[number]
        after = before.shorter_by(over)
        fitted[at] = replace(item, parts=(*item.parts[:number], after, *item.parts[number + 1 :]))
        if dropped := len(before.lines) - len(after.lines):
            cuts.append(Omission(item.key, before.name, dropped, len(before.text) - len(after.text)))
    return fitted, cuts


def _trimmed(part: Part) -> Part:
    """The part without blank lines and outer blanks, so that its length is that of its lines."""
    return replace(part, lines=tuple(text for line in part.lines if (text := line.strip())))


def _join(items: Iterable[PromptItem]) -> str:
    return _GAP.join(text for item in items if (text := item.text))
