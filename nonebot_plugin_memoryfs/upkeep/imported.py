"""What an import is asked for, and what came of it (R6.6)."""

from dataclasses import dataclass, field

from ..scope import Scope


@dataclass(slots=True)
class Imported:
    """What an import did, or would do."""

    new: dict[str, int] = field(default_factory=dict[str, int])
    known: int = 0
    """What was here already, and stays as it is."""
    refused: list[str] = field(default_factory=list[str])
    """What could not be taken, and why."""
    hints: list[str] = field(default_factory=list[str])
    """What people should know besides."""
    cards: dict[str, str] = field(default_factory=dict[str, str])
    """The cards that were looked at: the character's id, and what it says."""

    def add(self, what: str, count: int = 1) -> None:
        """Count something that is new."""
        if count:
            self.new[what] = self.new.get(what, 0) + count

    @property
    def text(self) -> str:
        """For people."""
        told = "，".join(f"{name} {count}" for name, count in self.new.items()) or "没有新的"
        lines = [f"新的：{told}；已有 {self.known}；不能采用 {len(self.refused)}"]
        return "\n".join([*lines, *(f"- {reason}" for reason in self.refused[:20]), *self.hints])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How something is to be imported."""

    dry_run: bool = False
    """Count only."""
    scope: Scope | None = None
    """Whose the facts of a `memory.db` are, and where they count as said: it knows one user only."""
    trust_untagged: bool = False
    """Whether what says in no way where it was said may be known everywhere (R1.17 d)."""


AS_IT_IS = Wish()
"""Written, of nobody in particular, nothing trusted."""
