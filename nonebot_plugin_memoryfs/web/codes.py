"""One-time codes for signing in: short, for ten minutes, and no faster to guess than by luck (R7.7)."""

import hmac
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

GOOD_FOR = timedelta(minutes=10)
"""How long a code can be used."""
_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits nobody takes for one another."""
_LENGTH = 8
_TRIES, _WITHIN = 10, timedelta(minutes=1)
"""Wrong codes that are looked at, of all clients together: 100 in a code's time, of 8.5e11."""
_KEPT = 5


@dataclass(frozen=True, slots=True)
class _Code:
    letters: str
    until: datetime


class TooManyTries(Exception):
    """So many wrong codes came that no more are looked at for a while."""


class Codes:
    """The codes that are good now. Thread-safe."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._codes: list[_Code] = []
        self._wrong: deque[datetime] = deque(maxlen=_TRIES)
        self._lock = Lock()

    def new(self) -> str:
        """A new code, as people read it: `ABCD-EFGH`. Of more than a few, the oldest is good no more."""
        letters = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        with self._lock:
            self._codes = [*self._codes, _Code(letters, self._clock() + GOOD_FOR)][-_KEPT:]
        return f"{letters[:4]}-{letters[4:]}"

    def use(self, given: str) -> bool:
        """Whether a code is good, which it then is no more; blanks, dashes and case don't matter.

        Raises:
            TooManyTries: it was not looked at.
        """
        letters = "".join(given.split()).replace("-", "").upper().encode()
        with self._lock:
            now = self._clock()
            if len(self._wrong) == _TRIES and now - self._wrong[0] < _WITHIN:
                raise TooManyTries
            self._codes = [code for code in self._codes if now < code.until]
            matching = [c for c in self._codes if hmac.compare_digest(c.letters.encode(), letters)]
            if not matching:
                self._wrong.append(now)
                return False
            self._codes.remove(matching[0])
            return True
