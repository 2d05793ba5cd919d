"""Loads the model library in a worker thread: it takes seconds and must delay neither start nor chats."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Any

from ..concurrency import in_thread
from .endpoint import Endpoint
from .kinds import ChatModel, Purpose
from .patience import Patience


async def _nothing() -> None:
    """There is nothing to close."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """A model for each purpose (R4.13)."""

    chat: ChatModel
    learning: ChatModel
    life: ChatModel
    close: Callable[[], Awaitable[None]] = _nothing
    """Ends the connections."""

    def of(self, purpose: Purpose) -> ChatModel:
        """The model of a purpose."""
        match purpose:
            case "chat":
                return self.chat
            case "learning":
                return self.learning
            case "life":
                return self.life


async def load_offline() -> ChatModel:
    """The rule-based model that needs no key and no server (R4.14)."""
    return (await _module("agent")).offline_model()


async def load_models(
    endpoint: Endpoint | None,
    names: Mapping[Purpose, str],
    *,
    clock: Callable[[], datetime],
    patience: Patience,
) -> Models:
    """The models that settings ask for: behind an endpoint, or the offline one for everything.

    Args:
        endpoint: where they are; `None` for the offline model.
        names: the model of each purpose.
        clock: the time, for the status.
        patience: how failures are waited out.
    """
    if endpoint is None:
        offline = await load_offline()
        return Models(chat=offline, learning=offline, life=offline)
    connect = (await _module("connect")).connect
    return await in_thread(connect, endpoint, names, clock=clock, patience=patience)


async def _module(name: str) -> Any:
    return await in_thread(import_module, f"{__package__}.{name}")
