"""MemoryFS: what a character remembers for long, as path-organised files of entries (R1)."""

from ..errors import InvalidMemoryPath as InvalidMemoryPath
from .categories import Category as Category
from .categories import normalize_memory_category as normalize_memory_category
from .context import MemoryContext as MemoryContext
from .context import Section as Section
from .entries import Entry as Entry
from .files import MemoryFile as MemoryFile
from .history import HistoryLimits as HistoryLimits
from .memoryfs import MemoryFS as MemoryFS
from .paths import describe_memory_path as describe_memory_path
from .rendering import format_life_sim_for_prompt as format_life_sim_for_prompt
from .rendering import format_timeline_for_prompt as format_timeline_for_prompt
from .seed import close_memory_fs as close_memory_fs
from .seed import get_memory_fs as get_memory_fs
from .seed import provide_memory_fs as provide_memory_fs
from .seed import withdraw_memory_fs as withdraw_memory_fs
