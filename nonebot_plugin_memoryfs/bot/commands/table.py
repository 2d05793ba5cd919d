"""The form of a command: names, who may, help and handler of each action, as data (R7.3)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from enum import IntEnum

from ...app import App
from ...scope import Scope


class Role(IntEnum):
    """What a person may do here, the more the higher."""

    EVERYONE = 0
    MANAGER = 1
    """Owner or administrator of the group."""
    SUPERUSER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A command as somebody gave it."""

    app: App
    scope: Scope
    role: Role
    words: str = ""
    """What stands behind the action's name."""


Handler = Callable[[Asked], Awaitable[str]]
"""Carries an action out; the text it gives is the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing a command can do: `/心跳 开`."""

    name: str
    help: str
    run: Handler
    may: Callable[[Asked], bool]
    aliases: tuple[str, ...] = ()
    takes: str = ""
    """How what stands behind it is called in the help; blank where nothing may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command and its actions."""

    name: str
    aliases: tuple[str, ...]
    title: str
    """What it is about, in the first line of its help."""
    refusal: str
    """What somebody is told who may not."""
    actions: tuple[Action, ...]

    async def answer(self, asked: Asked, text: str) -> str:
        """Carry out what stands behind the command; alone, or misspelt, it tells how it is used.

        Args:
            asked: who asks, and where.
            text: what stands behind the command's name.
        """
        name, words = [*text.split(maxsplit=1), "", ""][:2]
        action = next((a for a in self.actions if name.casefold() in (a.name, *a.aliases)), None)
        if action is None or (words and not action.takes):
            return self.help_for(asked)
        return await action.run(replace(asked, words=words)) if action.may(asked) else self.refusal

    def help_for(self, asked: Asked) -> str:
        """What this person can do with it here; the refusal where that is nothing."""
        lines = [
            " ".join(filter(None, (f"/{self.name}", action.name, action.takes))) + f"：{action.help}"
            for action in self.actions
            if action.may(asked)
        ]
        return "\n".join([self.title, *lines]) if lines else self.refusal
