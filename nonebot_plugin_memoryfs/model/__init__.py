"""The model: what a turn asks of it, the offline one, and the agent loop around either.

Only `agent`, `run`, `wire`, `connect` and `failures` import the model library, and only `loading` imports
those: after start, off the loop.
"""

from .endpoint import Endpoint as Endpoint
from .kinds import Answer as Answer
from .kinds import Ask as Ask
from .kinds import BoundTool as BoundTool
from .kinds import Brief as Brief
from .kinds import ChatModel as ChatModel
from .kinds import Exchange as Exchange
from .kinds import Fact as Fact
from .kinds import ModelRequestLog as ModelRequestLog
from .kinds import Purpose as Purpose
from .kinds import Question as Question
from .kinds import Reply as Reply
from .kinds import Saying as Saying
from .kinds import ToolCall as ToolCall
from .kinds import ToolResult as ToolResult
from .loading import Models as Models
from .loading import load_models as load_models
from .loading import load_offline as load_offline
from .patience import Health as Health
from .patience import Patience as Patience
