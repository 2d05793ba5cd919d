"""Erasing a person, or a conversation, from the notes (R7.3, R7.4).

A person's are the notes for them, those said in their own chats and those that come from their turns; a
group's note is about them when its text is (see `words`), and somebody else's when it repeats what only they
said. A conversation's are those that were said there.
"""

from collections.abc import Callable

from sqlalchemy import Connection

from ..prompt import note_rows
from ..prompt.note import Note, user_target
from ..scope import group_of
from .person import Person, Whose
from .words import Words

OfWhom = Callable[[Note], bool]
"""Whether a note is theirs."""


def erase_notes(connection: Connection, theirs: OfWhom) -> int:
    """Delete notes with their past; how many."""
    gone = [note.id for note in note_rows.all_notes(connection) if theirs(note)]
    note_rows.erase(connection, gone)
    note_rows.forget(connection, [note.id for note in note_rows.former_forms(connection) if theirs(note)])
    return len(gone)


def notes_of_person(connection: Connection, person: Person, words: Words, reach: frozenset[str]) -> OfWhom:
    """Tells a person's notes."""
    there = notes_of(connection, person)

    def theirs(note: Note) -> bool:
        if note.target_id == user_target(person.user_id) or there(note):
            return True
        origin = note.origin.conversation_id
        text = f"{note.title}\n{note.summary}\n{note.content}"
        if origin not in reach:
            return False
        return words.repeated(text) or (group_of(origin or "") is not None and words.named(origin, text))

    return theirs


def notes_of(connection: Connection, whose: Whose) -> OfWhom:
    """Tells the notes that were said in conversations, or come from their turns."""
    turns = set(connection.scalars(whose.turns))
    return lambda note: note.origin.conversation_id in whose.conversations or note.source_turn in turns
