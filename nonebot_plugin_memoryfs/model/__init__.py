"""The model: what a turn asks of it, the offline one, and the agent loop around either.

Only `agent.py` imports the model library, and only `load` imports `agent.py`: after start, off the loop.
"""

from .kinds import Answer as Answer
from .kinds import Ask as Ask
from .kinds import BoundTool as BoundTool
from .kinds import Brief as Brief
from .kinds import ChatModel as ChatModel
from .kinds import Exchange as Exchange
from .kinds import Fact as Fact
from .kinds import ModelRequestLog as ModelRequestLog
from .kinds import Question as Question
from .kinds import Reply as Reply
from .kinds import Saying as Saying
from .kinds import ToolCall as ToolCall
from .kinds import ToolResult as ToolResult
from .loading import load_offline as load_offline
