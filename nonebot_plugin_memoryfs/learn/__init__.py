"""Learning: counting turns, batches, extraction, review, and the one router of it all (R4.8–R4.12)."""

from .budget import Budget as Budget
from .items import Extraction as Extraction
from .items import Item as Item
from .items import RelationshipChange as RelationshipChange
from .items import ReviewOutput as ReviewOutput
from .learner import Learner as Learner
from .learning import Learning as Learning
from .router import Filed as Filed
