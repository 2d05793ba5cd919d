"""One database holds everything; JSON files beside it are its readable, editable face (R6.1, R6.2)."""

from .database import Database as Database
from .store import Store as Store
