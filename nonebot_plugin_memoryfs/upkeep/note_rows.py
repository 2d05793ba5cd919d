"""Erasing a person from the notes (R7.4).

Theirs are the notes for them, those said in their own chats and those that come from their turns; a group's
note is about them when its text is (see `words`), and somebody else's when it repeats what only they said.
"""

from sqlalchemy import Connection

from ..prompt import note_rows
from ..prompt.note import Note, user_target
from ..scope import group_of
from .person import Person
from .words import Words


def erase_notes(connection: Connection, person: Person, words: Words, reach: frozenset[str]) -> int:
    """Delete a person's notes with their past; how many."""
    turns = set(connection.scalars(person.turns))

    def theirs(note: Note) -> bool:
        origin = note.origin.conversation_id
        if note.target_id == user_target(person.user_id) or origin in person.conversations:
            return True
        if note.source_turn in turns:
            return True
        text = f"{note.title}\n{note.summary}\n{note.content}"
        if origin not in reach:
            return False
        return words.repeated(text) or (group_of(origin or "") is not None and words.named(origin, text))

    gone = [note.id for note in note_rows.all_notes(connection) if theirs(note)]
    note_rows.erase(connection, gone)
    note_rows.forget(connection, [note.id for note in note_rows.former_forms(connection) if theirs(note)])
    return len(gone)
