"""The one router: files what was learnt under those it is about, linked to its turns (R4.9, R4.12)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..memory import Entry, MemoryFS
from ..memory.learnt import Known
from ..prompt import PromptManager
from ..scope import group_of
from ..text.sentences import gist
from .attribution import is_anothers, sources
from .batches import Batch, turn_ids
from .items import Item, selected
from .wording import about_person, is_guess, marked, without_anothers

_TIMELINE_LINE = 160
_NOTE_DAYS = 7


@dataclass(slots=True)
class Filed:
    """What came of some items."""

    entries: int = 0
    notes: int = 0
    refused: list[str] = field(default_factory=list[str])
    """Items, or lines of them, that were not taken, and why."""


class Router:
    """Files items. Every call is part of the caller's transaction."""

    def __init__(self, memory: MemoryFS, prompts: PromptManager) -> None:
        self._memory = memory
        self._prompts = prompts

    def file(self, batch: Batch, items: Iterable[Item], known: Sequence[Known] = ()) -> Filed:
        """File items learnt from a batch.

        Args:
            batch: what was said; only its speakers can be written about.
            items: what was learnt of it.
            known: the entries that `replaces` counts, from 1.
        """
        filed = Filed()
        usable: list[Item] = []
        for item in items:
            about = _whom(item.about, batch.speakers)
            if about is None or about in batch.speakers:
                usable.append(item.model_copy(update={"about": about}))
            else:
                filed.refused.append(f"{gist(about, 32)} 没有说话：{item.title}")
        for item in selected(usable, group=batch.in_group):
            person = item.about or _only(batch)
            if person is None and item.category in ("user_persona", "character_persona"):
                filed.refused.append(f"没有说是谁的：{item.title}")
            elif batch.lines:
                self._file(batch, item, person, known, filed)
        return filed

    def _file(
        self, batch: Batch, item: Item, person: str | None, known: Sequence[Known], filed: Filed
    ) -> None:
        match item.category:
            case "user_persona":
                assert person is not None
                path = self._memory.path_user_persona(batch.character_id, person)
                there = [one.entry.text for one in known if one.path == path]
                worded = about_person(item.content, person, batch.lines, there)
                filed.refused += worded.refused
                self._put(batch, item, path, worded.texts, (person,), known, filed)
            case "character_persona":
                assert person is not None
                path = self._memory.path_character_persona(batch.character_id, person)
                text = without_anothers(marked(item.content), person, batch.spoken, filed.refused)
                self._put(batch, item, path, [text] if text else [], (person,), known, filed)
            case "important_event":
                one = person if item.about and person else None
                theirs = one is not None and not is_anothers(item.content, one, batch.spoken)
                people = (one,) if one is not None and theirs else tuple(batch.speakers)
                path = self._memory.path_important_events(batch.character_id, batch.conversation_id)
                texts = [marked(item.content)]
                self._put(batch, item, path, texts, people, known, filed)
                self._put_on_timeline(batch, item, people)
            case "recent_digest":
                everyone = tuple(batch.speakers)
                for reader in (item.about,) if item.about else everyone:
                    path = self._memory.path_recent_digest(batch.character_id, reader)
                    self._put(batch, item, path, [marked(item.content)], everyone, (), filed, digest=True)
        if item.type == "short":
            filed.notes += self._note(batch, item, person)

    def _put(
        self,
        batch: Batch,
        item: Item,
        path: str,
        texts: Sequence[str],
        people: tuple[str, ...],
        known: Sequence[Known],
        filed: Filed,
        *,
        digest: bool = False,
    ) -> None:
        """Add these texts to a file, in the place of the entries of that file the item replaces."""
        if not texts:
            return
        lines = [line for line in batch.spoken if line.user_id in people]
        learnt = [
            (
                Entry(text, at=lines[-1].at, conversation_id=batch.conversation_id, people=people),
                turn_ids(lines) if digest else sources(text, lines),
            )
            for text in texts
        ]
        shown = [known[n - 1] for n in item.replaces if 0 < n <= len(known)]
        self._memory.learnt.file(
            path,
            learnt,
            replaced=[one.entry for one in shown if one.path == path and _may_replace(learnt, one.entry)],
            title=item.title,
            summary=item.summary,
            importance=item.importance,
            source_event_id=str(max(turn for _, turns in learnt for turn in turns)),
        )
        filed.entries += len(learnt)

    def _put_on_timeline(self, batch: Batch, item: Item, people: tuple[str, ...]) -> None:
        text = gist(marked(item.content), _TIMELINE_LINE)
        lines = [line for line in batch.spoken if line.user_id in people]
        entry = Entry(text, at=lines[-1].at, conversation_id=batch.conversation_id, people=people)
        path = self._memory.path_timeline(batch.character_id)
        self._memory.learnt.file(path, [(entry, sources(text, lines))], importance=item.importance)

    def _note(self, batch: Batch, item: Item, person: str | None) -> bool:
        """A note for the person, or for the group it was said in: nobody else reads it there (R1.17)."""
        group = group_of(batch.conversation_id)
        target = f"group_{group}" if group else person
        if target is None:
            return False
        lines = [line for line in batch.spoken if person in (None, line.user_id)]
        return self._prompts.add_memory(
            item.title,
            marked(item.content),
            target,
            summary=item.summary,
            mem_type="short",
            expire_days=_NOTE_DAYS,
            character_name=batch.character_id,
            conversation_id=batch.conversation_id,
            source_event_id=str(max(sources(item.content, lines))),
        )


def _only(batch: Batch) -> str | None:
    """The speaker, where there is one and nobody else can have spoken."""
    return next(iter(batch.speakers)) if len(batch.speakers) == 1 and not batch.in_group else None


def _may_replace(learnt: Iterable[tuple[Entry, object]], former: Entry) -> bool:
    """Whether these entries may take an entry's place: a guess ends no statement, nobody another's entry."""
    entries = [entry for entry, _ in learnt]
    people = {person for entry in entries for person in entry.people}
    only_guessed = all(is_guess(entry.text) for entry in entries)
    return not people.isdisjoint(former.people) and (is_guess(former.text) or not only_guessed)


def _whom(about: str | None, speakers: Mapping[str, str]) -> str | None:
    """The id of the speaker an item is about; models write names, too, which must then be one person's."""
    if about is None or about in speakers:
        return about
    called = [i for i, name in speakers.items() if about in (name, f"{name}（{i}）", f"{i}（{name}）")]
    return called[0] if len(called) == 1 else about
