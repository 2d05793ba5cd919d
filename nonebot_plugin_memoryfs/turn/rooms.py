"""The rooms a turn works with, opened elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ..character import Card
from ..graph import MemoryGraph
from ..learn import Learning
from ..memory import MemoryFS
from ..prompt import PromptManager
from ..search import TurnLog
from ..storage import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """Everything a turn reads and writes."""

    store: Store
    graph: MemoryGraph
    log: TurnLog
    memory: MemoryFS
    prompts: PromptManager
    learning: Learning
    card_of: Callable[[str], Card]
    """Character id → its card; reads files, so not on the event loop."""
    zone: ZoneInfo
    """The zone in which times are shown."""

    @property
    def clock(self) -> Callable[[], datetime]:
        """The time, timezone-aware."""
        return self.store.clock
