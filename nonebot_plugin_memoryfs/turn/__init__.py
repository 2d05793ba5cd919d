"""The turn: recall, answer, record, in an order that is the code's and not the model's (R4.1)."""

from .cast import Cast as Cast
from .past import PastTurn as PastTurn
from .past import last_turns as last_turns
from .past import past_turn as past_turn
from .past import past_turns as past_turns
from .past import turns_by_id as turns_by_id
from .queues import Conversations as Conversations
from .queues import Overheard as Overheard
from .rooms import Rooms as Rooms
from .steps import close_left_open as close_left_open
from .trace import explain as explain
from .trace import latest_trace as latest_trace
from .trace import trace_by_turn as trace_by_turn
from .values import Incoming as Incoming
from .values import OverheardLine as OverheardLine
from .values import Turn as Turn
from .workflow import Workflow as Workflow
