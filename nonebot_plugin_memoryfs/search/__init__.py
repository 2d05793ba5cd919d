"""The one text index, and the search over what was said (R2.21)."""

from .turn_log import Hit as Hit
from .turn_log import TurnLog as TurnLog
