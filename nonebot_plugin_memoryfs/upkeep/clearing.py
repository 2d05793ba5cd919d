"""Clearing the memory of a group: everything that was said there, and what came of it (R7.3).

It is the group's, not a person's: whoever said it, to whichever character. What was said in private or in
other groups stays, and so does how the group wants things: its prompt, its character, its switches. What the
character itself wrote elsewhere goes where it repeats words that were said in this group alone.
"""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from ..memory import MemoryFS
from ..prompt import note_rows
from ..scope import Policy
from ..storage.life_tables import heartbeats
from ..storage.tables import edges, erasures, presence
from .erased_ids import sealed
from .erasing import Erasure, erase_held
from .facts import erase_facts_of, erase_names, erase_repeated_facts, erase_repeated_tasks
from .holdings import HOLDINGS, Way
from .note_rows import erase_notes, notes_of
from .others import digest_repeating, erase_from_others, gather_words
from .person import Whose, around, within_reach
from .words import Words

_SEEN = HOLDINGS[presence.name].title
_FACTS, _NOTES, _ENTRIES = "事实", "便签", "记忆文件里的条目"


def clear_rows(
    connection: Connection, memory: MemoryFS, policy: Policy, conversation_id: str, now: datetime
) -> tuple[Erasure, Words]:
    """Erase a conversation from the tables; what was erased, and what tells its words in other files.

    Args:
        connection: a write.
        memory: the memory files.
        policy: what may pass from one conversation to another (R1.17).
        conversation_id: the conversation.
        now: the time.
    """
    here = Whose(conversations=frozenset({conversation_id}))
    reach = within_reach(connection, here, policy)
    words = Words("", {})
    gone = erase_facts_of(connection, here)
    gather_words(connection, here, words, gone.things, around(connection, reach))
    gone += erase_repeated_facts(connection, words, reach)
    gone += erase_repeated_tasks(connection, here, words, reach)
    counts = {_FACTS: len(gone.edges)}
    erase_from_others(connection, here, words, reach)
    counts[_NOTES] = erase_notes(connection, notes_of(connection, here))
    counts |= erase_held(connection, here, settings=False)
    _let_go(connection, here)
    erase_names(connection, gone)
    counts[_ENTRIES] = memory.count_of_conversation(conversation_id)
    memory.erase_conversation(conversation_id, digest_repeating(words, reach))
    connection.execute(insert(erasures), sealed(conversation_id, now))
    return Erasure(_told(counts)), words


def count_rows(connection: Connection, memory: MemoryFS, conversation_id: str) -> Mapping[str, int]:
    """How many of what clearing a conversation would erase, by its Chinese name; only what there is."""
    here = Whose(conversations=frozenset({conversation_id}))
    theirs = notes_of(connection, here)
    counts = {
        _FACTS: connection.scalar(select(func.count()).select_from(edges).where(here.edges)) or 0,
        _NOTES: sum(map(theirs, note_rows.all_notes(connection))),
    }
    for holding in HOLDINGS.values():
        if holding.way is Way.ROWS and holding.theirs is not None and holding.title and not holding.setting:
            query = select(func.count()).select_from(holding.table).where(holding.theirs(here))
            counts[holding.title] = connection.scalar(query) or 0
    counts[_ENTRIES] = memory.count_of_conversation(conversation_id)
    return _told(counts)


def _told(counts: Mapping[str, int]) -> dict[str, int]:
    """What people are told of: only what there is, and not that somebody was seen, since who asks is."""
    return {name: count for name, count in counts.items() if count and name != _SEEN}


def _let_go(connection: Connection, here: Whose) -> None:
    """Let a fragment that is being written on what was there come to nothing (R5.1)."""
    theirs = heartbeats.c.conversation_id.in_(here.conversations)
    connection.execute(update(heartbeats).where(theirs).values(claim=None, claimed_until=None))
