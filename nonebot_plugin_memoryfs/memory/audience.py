"""Where an entry comes from, and so who may see it (R1.17 d)."""

from collections.abc import Iterable

from ..scope import EVERYWHERE, Origin, Policy, Viewer, kind_of, may_see, private_conversation
from .entries import Entry
from .paths import MemoryPath


def origin_of(place: MemoryPath, entry: Entry) -> Origin:
    """The origin of an entry: its own tags, else what its path says, else nothing (which hides it)."""
    if entry.conversation_id is not None:
        people = entry.people
        if not people and place.user_id is not None and kind_of(entry.conversation_id) == "unknown":
            people = (place.user_id,)
        return Origin(entry.conversation_id, people, entry.at)
    if place.conversation_id is not None:
        where = place.conversation_id if place.conversation_id != EVERYWHERE else None  # only a tag says that
        return Origin(where, entry.people, entry.at)
    if place.user_id is not None:
        return Origin(private_conversation(place.user_id), (place.user_id,), entry.at)
    return Origin(None, entry.people, entry.at)


def visible(
    place: MemoryPath, entries: Iterable[Entry], viewer: Viewer, policy: Policy
) -> list[tuple[int, Entry]]:
    """The entries of a file that this viewer may see, each with its number in the file (from 1)."""
    return [
        (number, entry)
        for number, entry in enumerate(entries, 1)
        if may_see(viewer, origin_of(place, entry), policy)
    ]
