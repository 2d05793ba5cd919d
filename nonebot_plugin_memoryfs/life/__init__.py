"""Life: what a character does while nobody is there, written silently by a heartbeat (R5.1–R5.9)."""

from .day import DayLine as DayLine
from .day import Status as Status
from .heart import Beat as Beat
from .heart import Life as Life
from .heart import Outcome as Outcome
from .rules import Rules as Rules
