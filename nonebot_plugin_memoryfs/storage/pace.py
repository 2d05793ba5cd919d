"""Work in the background that leaves the time to others: short slices, with pauses in between (R6.2)."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

SHARE = 0.05
"""The part of the time that paced work may take."""
SLICE_SECONDS = 0.002
"""How long it goes on before it pauses."""

T = TypeVar("T")


class Pace:
    """Keeps the work of one thread to its share.

    What counts is the processor's time: a thread that waits for the disk, or for its turn, bothers nobody.
    """

    def __init__(self, pause: Callable[[float], object]) -> None:
        """Begin a first slice; `pause` waits so many seconds, or less when somebody is in a hurry."""
        self._pause = pause
        self._since = time.thread_time()

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """The same items, with a pause after each slice of the work that is done on them."""
        for item in items:
            yield item
            if time.thread_time() - self._since >= SLICE_SECONDS:
                self.rest()

    def rest(self) -> None:
        """Pause for the work done since the last pause."""
        self._pause((time.thread_time() - self._since) * (1 / SHARE - 1))
        self._since = time.thread_time()
