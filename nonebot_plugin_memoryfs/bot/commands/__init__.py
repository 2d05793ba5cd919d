"""What people command by name (R7.3): a table of commands as data, and the one place that hooks them in."""

from .heartbeat import HEARTBEAT
from .table import Command

COMMANDS: tuple[Command, ...] = (HEARTBEAT,)
"""Every command there is."""
