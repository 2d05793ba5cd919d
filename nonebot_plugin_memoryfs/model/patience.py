"""How long a failing model is tried again, and whether it failed last time (R4.6)."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TypeVar

from ..errors import MemoryFSError

T = TypeVar("T")

NONE = 0
"""Retries of what only a person can mend."""
FEW = 2
"""Retries of an answer that can't be used: it was answered, so it was paid for."""
MANY = 30
"""Retries of what was not answered: time is the limit."""


class ModelFailure(MemoryFSError):
    """The model gave no usable answer; the message is one line for the log, without any secret."""

    def __init__(self, message: str, retries: int, *, retry_after: float = 0.0) -> None:
        """Tell what went wrong.

        Args:
            message: one line in Chinese.
            retries: how many further tries it is worth.
            retry_after: seconds the endpoint asks to wait.
        """
        super().__init__(message)
        self.retries = retries
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How failures are waited out."""

    seconds: float = 60.0
    """What failed tries and the waits between them may cost one turn in all."""
    first_wait: float = 1.0
    """Doubled after each try."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(slots=True)
class Health:
    """What was seen of a model last, for the status."""

    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    down: bool = False
    """Whether it failed last time in a way that may pass."""
    last_error: str = ""
    last_error_at: datetime | None = None

    def failed(self, failure: ModelFailure) -> None:
        """Note a failure that was given up on."""
        self.down = failure.retries > NONE
        self.last_error, self.last_error_at = str(failure), self.clock()

    def answered(self) -> None:
        """Note an answer; the last error stays to be read."""
        self.down = False


@dataclass(slots=True)
class Tries:
    """The tries of one turn or question: together they lose no more time than `Patience` allows."""

    patience: Patience
    health: Health
    _lost: float = field(default=0.0, init=False)

    async def run(self, attempt: Callable[[float], Awaitable[T]]) -> T:
        """Try until it succeeds or nothing is left to wait for.

        A model that is down is tried once per turn, so that an outage is no storm of requests.

        Args:
            attempt: one try, given the seconds that are left for it: no limit while nothing was lost.

        Raises:
            ModelFailure: of the last try.
        """
        patience, wait = self.patience, self.patience.first_wait
        most = NONE if self.health.down else MANY
        for tried in count():
            started = patience.clock()
            try:
                answer = await attempt(patience.seconds - self._lost if self._lost else math.inf)
            except ModelFailure as failure:
                self._lost += patience.clock() - started
                pause = max(wait, failure.retry_after)
                if tried >= min(most, failure.retries) or self._lost + pause >= patience.seconds:
                    self.health.failed(failure)
                    raise
            else:
                self.health.answered()
                return answer
            await patience.sleep(pause)
            self._lost += pause
            wait *= 2
        raise AssertionError("count() ends")
