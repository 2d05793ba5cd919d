"""Scopes and a graph, on both databases."""

import pytest

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope, group_conversation, private_conversation
from nonebot_plugin_memoryfs.storage import Store

from ..postgres import parametrise as pytest_generate_tests  # noqa: F401


def private(user: str = "1", character: str = "neko") -> Scope:
    return Scope(character, private_conversation(user), user, True)


def group(number: str = "9", user: str = "1", character: str = "neko") -> Scope:
    return Scope(character, group_conversation(number), user, False)


def fact(subject: str, relation: str, object: str, **more: object) -> dict[str, object]:
    return {"subject": subject, "relation": relation, "object": object, **more}


def said(graph: MemoryGraph, scope: Scope, query: str, depth: int = 1) -> set[tuple[str, str, str]]:
    """The facts a recall answers with, as plain triplets."""
    found = graph.memory_recall(scope, query, depth).facts
    return {(f.subject, f.relation, f.object) for f in found}


def corrected_turns(graph: MemoryGraph, scope: Scope, turn_ids: list[int], text: str) -> set[int]:
    """Of these turns, those of which this text shows as corrected."""
    return {turn for turn in turn_ids if graph.corrected_texts(scope, {text: turn}) != {text: text}}


@pytest.fixture
def graph(store: Store) -> MemoryGraph:
    return MemoryGraph(store)
