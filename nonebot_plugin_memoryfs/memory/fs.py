"""The names the seed imports from `memory.fs`."""

from ..errors import InvalidMemoryPath as InvalidMemoryPath
from .categories import Category as Category
from .categories import normalize_memory_category as normalize_memory_category
from .files import MemoryFile as MemoryFile
from .memoryfs import MemoryFS as MemoryFS
from .paths import describe_memory_path as describe_memory_path
from .rendering import format_life_sim_for_prompt as format_life_sim_for_prompt
from .rendering import format_timeline_for_prompt as format_timeline_for_prompt
from .seed import get_memory_fs as get_memory_fs
