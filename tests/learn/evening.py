"""The evening of `tests/data/group_evening.txt`: who said what, and what is to be known of each after it."""

import re
from dataclasses import dataclass
from pathlib import Path

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.text.folding import fold_sentence
from nonebot_plugin_memoryfs.text.telling import told

GROUP_ID = "qq_group_9"
SCRIPT = Path(__file__).resolve().parents[1] / "data" / "group_evening.txt"
_SAID = re.compile(r"(\d+) (\S+?)：(.*)")
_EXPECTED = re.compile(r"([<>]) (\d+) (.+?)=(.+)")


def in_group(user_id: str) -> Scope:
    return Scope("neko", GROUP_ID, user_id, private=False)


Stated = tuple[str, str, str]
"""Who, relation, object."""


@dataclass(frozen=True)
class Evening:
    said: tuple[tuple[str, str, str], ...]
    """User id, nickname, text."""
    known: frozenset[Stated]
    corrected: frozenset[Stated]

    @property
    def people(self) -> frozenset[str]:
        return frozenset(user_id for user_id, _, _ in self.said)


def read_evening() -> Evening:
    said: list[tuple[str, str, str]] = []
    expected: dict[str, set[Stated]] = {"<": set(), ">": set()}
    for row in SCRIPT.read_text("utf-8").splitlines():
        if found := _SAID.fullmatch(row):
            said.append((found[1], found[2], found[3]))
        elif found := _EXPECTED.fullmatch(row):
            expected[found[1]].add((found[2], found[3], found[4]))
    return Evening(tuple(said), frozenset(expected[">"]), frozenset(expected["<"]))


def faults(app: App, evening: Evening) -> list[str]:
    """What is not as it should be at the end of the evening, in words."""
    memory, wrong = app.rooms.memory, list[str]()
    for user_id in sorted(evening.people):
        entries = [e.text for e in memory.entries(memory.path_user_persona("neko", user_id))]
        own = {told("", r, o) for who, r, o in evening.known if who == user_id}
        wrong += [f"{user_id} lacks {text}" for text in own - set(entries)]
        wrong += [f"{user_id} has {text}" for text in set(entries) - own]
        wrong += [f"{user_id} has {text} twice" for text in set(entries) if entries.count(text) > 1]
        digests = memory.entries(memory.path_recent_digest("neko", user_id))
        if [entry.conversation_id for entry in digests] != [GROUP_ID]:
            wrong.append(f"{user_id} has {len(digests)} digests")
        wrong += [f"graph of {user_id}: {fault}" for fault in _graph_faults(app, evening, user_id)]
    timeline = [entry.text for entry in memory.entries(memory.path_timeline("neko"))]
    wrong += [] if any("考研" in text for text in timeline) else ["no timeline"]
    wrong += [f"timeline has {text} twice" for text in set(timeline) if timeline.count(text) > 1]
    return wrong


def _graph_faults(app: App, evening: Evening, user_id: str) -> list[str]:
    scope = in_group(user_id)
    own = {(r, o) for who, r, o in evening.known if who == user_id}
    query = "，".join(sorted({thing for _, thing in own} | {"用户"}))
    found: set[tuple[str, str]] = set()
    for piece in (query, *(thing for _, thing in sorted(own))):
        facts = app.rooms.graph.memory_recall(scope, piece).facts
        found |= {(fact.relation, fact.object) for fact in facts if fact.subject == "用户"}
    folded = {(relation, fold_sentence(thing)) for relation, thing in found}
    expected = {(relation, fold_sentence(thing)) for relation, thing in own}
    return [f"lacks {one}" for one in expected - folded] + [f"has {one}" for one in folded - expected]
