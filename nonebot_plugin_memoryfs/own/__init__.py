"""What a person sees of what is kept about them, where they are (R7.3)."""

from .items import Item as Item
from .items import Kind as Kind
from .own_memory import OwnMemory as OwnMemory
