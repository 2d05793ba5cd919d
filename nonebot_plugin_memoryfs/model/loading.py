"""Loads the model library in a worker thread: it takes seconds and must delay neither start nor chats."""

from importlib import import_module

from ..concurrency import in_thread
from .kinds import ChatModel


async def load_offline() -> ChatModel:
    """The rule-based model that needs no key and no server (R4.14)."""
    agent = await in_thread(import_module, f"{__package__}.agent")
    return agent.offline_model()
