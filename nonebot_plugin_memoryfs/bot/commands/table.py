"""The form of a command: names, who may, help and handler of each action, as data (R7.3)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

from ...app import App
from ...errors import InvalidInput
from ...scope import Scope
from .confirming import Confirmations, Question
from .lists import Lists

_ECHOED = 20
"""Characters of a misspelt word that are told back."""


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
    account: str = ""
    """The bot account it was given to."""
    message_id: str = ""
    """The platform's id of the message."""
    words: str = ""
    """What stands behind the action's name."""
    lists: Lists = field(default_factory=Lists)
    """The numbered lists people were shown."""
    confirmations: Confirmations["Asked"] = field(default_factory=Confirmations)
    """What waits for somebody's 确认."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """Who may do something, and what the others are told."""

    who: str
    """In the README."""
    refusal: str
    allows: Callable[[Asked], bool]


EVERYONE = Permission(who="所有人", refusal="", allows=lambda _: True)
MANAGERS = Permission(
    who="群主、管理员、机器人主人",
    refusal="这个要群主、群管理员或机器人主人才能用。",
    allows=lambda asked: asked.role >= (Role.SUPERUSER if asked.scope.private else Role.MANAGER),
)
"""In a group its managers; elsewhere superusers alone."""
SUPERUSERS = Permission(
    who="机器人主人",
    refusal="这个只有机器人主人能用。",
    allows=lambda asked: asked.role is Role.SUPERUSER,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """An answer that is a file, for clients that can take one."""

    name: str
    data: bytes
    text: str
    """What is sent to those that can't."""


Reply = str | File | Question["Asked"]
"""What a command is answered with: a text, a file, or a question that waits for 确认."""

Handler = Callable[[Asked], Awaitable[Reply]]
"""Carries an action out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing a command can do: `/心跳 开`."""

    name: str
    help: str
    run: Handler
    may: Permission
    aliases: tuple[str, ...] = ()
    takes: str = ""
    """How what stands behind it is called in the help; in brackets where it may be left out, blank where
    nothing may stand there."""
    example: str = ""
    """What may stand there, for the help."""
    private: bool = False
    """Whether its answer is for one reader only, so that it is not given in groups."""

    @property
    def needs_words(self) -> bool:
        """Whether it does nothing alone."""
        return bool(self.takes) and not self.takes.startswith("[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command and its actions."""

    name: str
    aliases: tuple[str, ...]
    title: str
    """What it is about, in the first line of its help."""
    actions: tuple[Action, ...]
    bare: Handler | None = None
    """What it answers alone, before its help."""
    always: bool = False
    """Whether it is answered in a group that is switched off, too."""

    async def answer(self, asked: Asked, text: str) -> Reply:
        """Carry out what stands behind the command; alone it tells how it is used, misspelt what is wrong.

        Args:
            asked: who asks, and where.
            text: what stands behind the command's name.
        """
        name, words = [*text.split(maxsplit=1), "", ""][:2]
        action = next((a for a in self.actions if name.casefold() in (a.name, *a.aliases)), None)
        if not name and self.bare is not None:
            return f"{await self.bare(asked)}\n\n{self.help_for(asked)}"
        if action is None:
            help = self.help_for(asked)
            return f"没有“{name[:_ECHOED]}”这个用法。\n{help}" if name and self._allowed(asked) else help
        if not action.may.allows(asked):
            return action.may.refusal
        if words and not action.takes:
            return f"“{action.name}”后面不用写别的。用法：{self._usage(action)}"
        if action.private and not asked.scope.private:
            return f"这个请私聊我用：/{self.name} {action.name}"
        if action.needs_words and not words.strip():
            return f"用法：{self._usage(action)}"
        try:
            return await action.run(replace(asked, words=words.strip()))
        except InvalidInput as error:
            return f"没有做：{error}"

    def help_for(self, asked: Asked) -> str:
        """What this person can do with it here; the refusal where that is nothing."""
        allowed = self._allowed(asked)
        if not allowed:
            return self.actions[0].may.refusal
        return "\n".join([self.title, *(f"{self._usage(a)}" for a in allowed)])

    def _allowed(self, asked: Asked) -> list[Action]:
        return [action for action in self.actions if action.may.allows(asked)]

    def _usage(self, action: Action) -> str:
        """One line of the help: how it is written, what it does, an example."""
        written = " ".join(filter(None, (f"/{self.name}", action.name, action.takes)))
        example = f"（如 /{self.name} {action.name} {action.example}）" if action.example else ""
        return f"{written}：{action.help}{example}"
