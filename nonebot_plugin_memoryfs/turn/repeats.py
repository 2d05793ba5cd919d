"""Facts that a memory entry in the prompt says already, and that need no line of their own (R3.10).

Precision before recall: a clause of the entry must say the fact, of the right person, and nothing else.
"""

import re
from collections.abc import Iterable

from ..graph import SPEAKER, Fact
from ..memory import Entry, MemoryContext
from ..text.folding import fold_sentence

_CLAUSE_END = re.compile(r"[，,。；;！!？?\n]+")
_ONESELF = ("", SPEAKER, "他", "她", "TA")
"""How an entry about the speaker begins."""


def repeated_facts(facts: Iterable[Fact], memory: MemoryContext, user_id: str, name: str) -> frozenset[int]:
    """The ids of the facts that the entries shown say already.

    Args:
        facts: facts as the speaker is told them.
        memory: the memory files of the prompt.
        user_id: the speaker.
        name: what they are called.
    """
    shown = [(section.kind, entry) for section in memory.sections for entry in section.entries]
    said = _clauses(entry for _, entry in shown)
    own = _clauses(e for kind, e in shown if kind == "user_persona" or e.people == (user_id,))
    oneself = tuple(map(fold_sentence, (*_ONESELF, name)))

    def is_said(fact: Fact) -> bool:
        states = f"{fact.relation}{fact.object}"
        if fact.subject != SPEAKER:
            return fold_sentence(f"{fact.subject}{states}") in said
        folded = fold_sentence(states)
        return any(f"{who}{folded}" in own for who in oneself)

    return frozenset(fact.id for fact in facts if is_said(fact))


def _clauses(entries: Iterable[Entry]) -> frozenset[str]:
    return frozenset(fold_sentence(clause) for entry in entries for clause in _CLAUSE_END.split(entry.text))
