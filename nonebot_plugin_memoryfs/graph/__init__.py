"""The memory graph: facts as triplets, tasks, personas, the chain of turns (R2.x)."""

from .memory import MemoryGraph as MemoryGraph
from .nodes import CHARACTER as CHARACTER
from .nodes import SPEAKER as SPEAKER
from .results import Answer as Answer
from .results import BackRecall as BackRecall
from .results import ChainTask as ChainTask
from .results import CommitResult as CommitResult
from .results import Fact as Fact
from .results import ImportResult as ImportResult
from .results import PurgeResult as PurgeResult
from .results import RecallResult as RecallResult
from .results import TaskChain as TaskChain
from .results import TaskResult as TaskResult
from .review import FactReview as FactReview
from .review import KnownPerson as KnownPerson
from .review import StoredFact as StoredFact
from .tools import TOOLS as TOOLS
from .tools import Tool as Tool
from .triplets import Triplet as Triplet
