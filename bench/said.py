"""What the bench of retrieval reads, and a store in which all of it was said."""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nonebot_plugin_memoryfs.scope import Scope, group_conversation, private_conversation
from nonebot_plugin_memoryfs.search import TurnLog
from nonebot_plugin_memoryfs.search.places import chunks
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import note_presence

LIMIT = 10
"""What is asked of the search, as the bot does."""

_CHARACTER = "neko"
_NOISE = group_conversation("noise")
_START = datetime(2026, 1, 1, tzinfo=UTC)
_TRANSACTION = 5_000


@dataclass(frozen=True, slots=True)
class Document:
    """Something said in a scope."""

    scope: str
    id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question asked in a scope, and the documents that answer it."""

    scope: str
    text: str
    gold: frozenset[str]
    type: str


def read(path: Path) -> tuple[list[Document], list[Question]]:
    """The documents and questions of a file of JSON lines."""
    documents: list[Document] = []
    questions: list[Question] = []
    with path.open(encoding="utf-8") as file:
        for record in map(json.loads, file):
            if record["kind"] == "doc":
                documents.append(
                    Document(record["scope"], record["id"], record["speaker"] or "", record["text"])
                )
            else:
                gold = frozenset(record["gold"])
                questions.append(Question(record["scope"], record["text"], gold, str(record["type"])))
    return documents, questions


class Loaded:
    """A store with documents in it, and who asks."""

    def __init__(self, store: Store) -> None:
        self._database = store.database
        self._log = TurnLog(store)
        self._ids: dict[int, str] = {}
        self._lines = 0

    def add(self, documents: Iterable[tuple[Scope, Document]]) -> None:
        """Add what was said, a minute apart, in large transactions."""
        for some in chunks(documents, _TRANSACTION):
            with self._database.write():
                for scope, document in some:
                    self._lines += 1
                    at = _START + timedelta(minutes=self._lines)
                    line = self._log.add(scope, document.speaker, document.text, at)
                    self._ids[line] = document.id

    def add_noise(self, documents: Iterable[Document], people: Iterable[str]) -> None:
        """Add what everybody in one group said, where these people were before anything was said."""
        self.add((Scope(_CHARACTER, _NOISE, "passer-by", False), document) for document in documents)
        with self._database.write() as connection:
            for person in people:
                note_presence(connection, person, _NOISE, _START)

    def ask(self, person: str, text: str) -> tuple[list[str], float]:
        """Ids of what the bot finds for a person in their chat, best first, and how long it took, in ms."""
        started = time.perf_counter()
        hits = self._log.search(private_scope(person), text, LIMIT)
        ms = (time.perf_counter() - started) * 1000
        return [self._ids[hit.id] for hit in hits], ms


def private_scope(person: str) -> Scope:
    """A person's private chat with the character."""
    return Scope(_CHARACTER, private_conversation(person), person, True)


def own(documents: Iterable[Document]) -> Iterable[tuple[Scope, Document]]:
    """Each document where it was said."""
    return ((private_scope(document.scope), document) for document in documents)
