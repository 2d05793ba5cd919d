"""What people command by name (R7.3): a table of commands as data, and the one place that hooks them in."""

from .character import CHARACTER
from .heartbeat import HEARTBEAT
from .memory import MEMORY
from .operator import OPERATOR
from .prompts import PROMPTS
from .switch import SWITCH
from .table import Command
from .tasks import TASKS

COMMANDS: tuple[Command, ...] = (MEMORY, TASKS, CHARACTER, PROMPTS, SWITCH, HEARTBEAT, OPERATOR)
"""Every command there is."""
