"""The one text index, and the search over what was said (R2.21)."""

from .recipes import LINES as LINES
from .recipes import WORDS_ALONE as WORDS_ALONE
from .turn_log import Hit as Hit
from .turn_log import TurnLog as TurnLog
