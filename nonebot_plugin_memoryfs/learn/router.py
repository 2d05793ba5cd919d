"""The one router: files what was learnt under those it is about, linked to its turns (R4.9, R4.12)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..memory import Entry, MemoryFS
from ..memory.learnt import Known
from ..prompt import PromptManager
from ..scope import group_of
from ..text.sentences import gist
from .attribution import Verdict, judge, sources
from .batches import Batch, Line, turn_ids
from .items import Item, selected

_TIMELINE_LINE = 160
_NOTE_DAYS = 7
GUESS = "[推测] "
_GUESSED = re.compile(r"\s*[\[【(（]\s*(?:推测|猜测)\s*[\]】)）]\s*[:：]?\s*")


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
        for item in selected(items, group=batch.in_group):
            person = item.about or _only(batch)
            if item.about and item.about not in batch.speakers:
                filed.refused.append(f"{item.about} 没有说话：{item.title}")
            elif person is None and item.category in ("user_persona", "character_persona"):
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
                texts = list(_theirs(item.content, person, batch.lines, filed))
                path = self._memory.path_user_persona(batch.character_id, person)
                self._put(batch, item, path, texts, (person,), known, filed)
            case "character_persona":
                assert person is not None
                path = self._memory.path_character_persona(batch.character_id, person)
                texts = [_marked(item.content)]
                self._put(batch, item, path, texts, (person,), known, filed)
            case "important_event":
                people = (person,) if item.about and person else tuple(batch.speakers)
                path = self._memory.path_important_events(batch.character_id, batch.conversation_id)
                texts = [_marked(item.content)]
                self._put(batch, item, path, texts, people, known, filed)
                self._put_on_timeline(batch, item, people)
            case "recent_digest":
                everyone = tuple(batch.speakers)
                for reader in (item.about,) if item.about else everyone:
                    path = self._memory.path_recent_digest(batch.character_id, reader)
                    self._put(batch, item, path, [_marked(item.content)], everyone, (), filed, digest=True)
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
            replaced=[one.entry for one in shown if one.path == path],
            title=item.title,
            summary=item.summary,
            importance=item.importance,
            source_event_id=str(max(turn for _, turns in learnt for turn in turns)),
        )
        filed.entries += len(learnt)

    def _put_on_timeline(self, batch: Batch, item: Item, people: tuple[str, ...]) -> None:
        text = gist(_marked(item.content), _TIMELINE_LINE)
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
            _marked(item.content),
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


def _theirs(content: str, person: str, lines: Sequence[Line], filed: Filed) -> Iterable[str]:
    """The lines of a content that are the person's: what another said is left out, guesses are marked."""
    for line in content.splitlines():
        text = _GUESSED.sub("", line).strip(" -·•\t")
        if not text:
            continue
        verdict = judge(text, person, lines)
        if verdict is Verdict.FOREIGN:
            filed.refused.append(f"不是 {person} 说的：{gist(text, 40)}")
        else:
            yield text if verdict is Verdict.THEIRS and not _GUESSED.search(line) else GUESS + text


def _marked(content: str) -> str:
    """A content whose mark of a guess, if it has one, is written the one way (R2.4)."""
    return GUESS + _GUESSED.sub("", content).strip() if _GUESSED.match(content) else content
