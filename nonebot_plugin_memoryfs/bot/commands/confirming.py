"""What waits for a bare 确认: of the same person, in the same place, as their next message (R7.3)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

WORD = "确认"
WAITS = timedelta(seconds=60)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """An answer that asks back."""

    text: str
    """What would be done."""
    run: Callable[[T], Awaitable[str]]
    """Does it."""
    asked: T


@dataclass(frozen=True, slots=True)
class _Waiting(Generic[T]):
    question: Question[T]
    conversation_id: str
    at: datetime


class Confirmations(Generic[T]):
    """At most one question waits for each person. For the event loop's thread alone."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], _Waiting[T]] = {}

    def ask(
        self, account: str, user_id: str, conversation_id: str, question: Question[T], now: datetime
    ) -> None:
        """Wait for somebody's confirmation; one asked for before lapses."""
        self._waiting[account, user_id] = _Waiting(question, conversation_id, now)

    def waits_for(self, account: str, user_id: str) -> bool:
        """Whether something waits for this person."""
        return (account, user_id) in self._waiting

    def hear(
        self, account: str, user_id: str, conversation_id: str, text: str | None, now: datetime
    ) -> Question[T] | None:
        """What a message confirms; whatever it says, and wherever, nothing waits for its sender after it.

        Args:
            account: the bot account that heard it.
            user_id: who says it.
            conversation_id: where.
            text: what it says, if it is nothing but text.
            now: the time.
        """
        waiting = self._waiting.pop((account, user_id), None)
        if waiting is None or waiting.conversation_id != conversation_id:
            return None
        in_time = now - waiting.at < WAITS
        return waiting.question if in_time and text is not None and text.strip() == WORD else None
