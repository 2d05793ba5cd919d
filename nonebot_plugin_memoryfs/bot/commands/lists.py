"""The numbered lists people were shown: a number means a thing for that viewer, there, for a while (R7.3).

Nothing else leads from what somebody types to what is stored: no id, no path, no name.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ...errors import InvalidInput
from ...own import Item
from ...scope import Scope

KEPT_FOR = timedelta(minutes=10)
"""How long the numbers of a list hold after it was shown."""
_KEPT = 1_000
_DIGITS = 20


@dataclass(slots=True)
class Shown:
    """A list as it was shown to one viewer."""

    items: Sequence[Item]
    at: datetime
    seen: set[int] = field(default_factory=set[int])
    """The numbers that were on a page."""
    paged: bool = False
    """Whether it has further pages: it is the whole of what is kept."""


class Lists:
    """The newest list of each viewer in each conversation. For the event loop's thread alone."""

    def __init__(self) -> None:
        self._shown: OrderedDict[Scope, Shown] = OrderedDict()

    def show(self, scope: Scope, items: Sequence[Item], now: datetime, *, paged: bool = False) -> Shown:
        """Begin a new list for this viewer; the numbers of the one before mean nothing any more."""
        shown = self._shown[scope] = Shown(items, now, paged=paged)
        self._shown.move_to_end(scope)
        if len(self._shown) > _KEPT:
            self._shown.popitem(last=False)
        return shown

    def current(self, scope: Scope, now: datetime) -> Shown | None:
        """The list this viewer was shown last, while its numbers hold."""
        shown = self._shown.get(scope)
        if shown is not None and now - shown.at >= KEPT_FOR:
            del self._shown[scope]
            return None
        return shown

    def drop(self, scope: Scope) -> None:
        """Let the numbers of this viewer's list mean nothing any more."""
        self._shown.pop(scope, None)

    def forget_person(self, user_id: str) -> None:
        """Let go of what one person was shown, wherever."""
        for scope in [scope for scope in self._shown if scope.user_id == user_id]:
            self.drop(scope)

    def forget_place(self, conversation_id: str) -> None:
        """Let go of what people were shown in one conversation."""
        for scope in [scope for scope in self._shown if scope.conversation_id == conversation_id]:
            self.drop(scope)

    def find(self, scope: Scope, text: str, now: datetime) -> Item:
        """The thing a number means.

        Raises:
            InvalidInput: it is no number, of no list of this viewer here, or the list is too old.
        """
        number = whole_number(text)
        if number is None:
            raise InvalidInput(f"编号要写数字，收到的是 {text[:20]!r}；先用 /记忆 查看 看编号")
        shown = self.current(scope, now)
        if shown is None:
            minutes = int(KEPT_FOR.total_seconds() // 60)
            raise InvalidInput(
                f"先用 /记忆 查看 或 /记忆 搜索 看编号（编号只在你自己看过的 {minutes} 分钟里有效）"
            )
        if number not in shown.seen:
            raise InvalidInput(f"刚才给你看的里面没有 {number} 号；再用 /记忆 查看 看一下")
        return shown.items[number - 1]

    def spend(self, scope: Scope, text: str) -> None:
        """A number whose thing is gone means nothing any more."""
        if scope in self._shown:
            self._shown[scope].seen.discard(int(text))


def whole_number(text: str) -> int | None:
    """What somebody typed as a number, full-width digits too; `None` where it is none."""
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else None
