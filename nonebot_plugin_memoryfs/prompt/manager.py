"""The seed's PromptManager: base text, notes and tools of a prompt (R3.1–R3.8)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ..character import Card
from ..errors import ConfigError
from ..graph.tools import TOOLS
from ..scope import Policy, Scope, Viewer, group_conversation, private_conversation
from ..storage import Store
from ..storage.over_store import UsesStore
from ..storage.presence import viewer_of
from ..text.cleaning import clean
from .folder import PromptFolder
from .layers import Layers, Level
from .note import EXPIRE_DAYS
from .note_choice import ChosenNotes, choose_notes
from .notes import Notes
from .tools_text import tools_text

FOLDER = Path("resources", "prompts")
"""Where the upstream's files are, below the data directory."""
DEFAULT_TIMEZONE = ZoneInfo("Asia/Shanghai")


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """The layer a base prompt comes from."""

    level: Level | Literal["card"]
    source: Literal["store", "file", "card"]
    """`prompts.json`, the upstream's folder, or the card."""
    text: str


class PromptManager(UsesStore):
    """Layered prompts, notes and the tools prompt of a data directory. Thread-safe."""

    def __init__(
        self,
        data_dir: str | Path | None = None,
        *,
        store: Store | None = None,
        card_of: Callable[[str], Card | None] | None = None,
        timezone: tzinfo = DEFAULT_TIMEZONE,
        policy: Policy = Policy(),  # noqa: B008  (frozen)
    ) -> None:
        """Open the prompts of a directory, or of a store that is open already.

        Args:
            data_dir: where `prompts.json`, `memories.json` and `resources/prompts/` are.
            store: used instead of opening one; its owner closes it.
            card_of: the card of who plays in a conversation, or (`""`) where none is named; by default
                `personality.json` of the folder.
            timezone: the zone times of notes are shown in.
            policy: what the operator allows beyond the default isolation (R1.17).

        Raises:
            ConfigError: neither a directory nor a store is given.
        """
        if store is None and not data_dir:
            raise ConfigError("PromptManager 需要数据目录 data_dir，或一个已打开的 store")
        super().__init__(store or Store.open(data_dir), owned=store is None)
        directory = Path(data_dir).expanduser() if data_dir else self._store.directory
        self._folder = PromptFolder(directory / FOLDER if directory else None, self._store.report)
        self._card_of = card_of
        self._timezone = timezone
        self._policy = policy
        try:
            self.layers = Layers(self._store)
            self.notes = Notes(self._store, timezone)
        except BaseException:
            self.close()
            raise

    # ---- the base text

    def load_base_prompt(self, user_id: str | int | None = None, group_id: str | int | None = None) -> str:
        """The text of the first layer that has one: user, group, default, card; else empty."""
        layer = self.layer_for(user_id, group_id)
        return layer.text if layer else ""

    def layer_for(
        self,
        user_id: str | int | None = None,
        group_id: str | int | None = None,
        *,
        card: Card | None = None,
        user_name: str = "",
    ) -> BaseLayer | None:
        """The first layer that has a text, and where it comes from.

        Args:
            user_id: the person spoken to.
            group_id: the group spoken in.
            card: the character spoken to; by default who plays there.
            user_name: what `{{user}}` in a card becomes.
        """
        candidates = self._candidates(_id(user_id), _id(group_id), card, user_name)
        return next((layer for layer in candidates if layer.text), None)

    def save_prompt(
        self,
        content: str,
        user_id: str | int | None = None,
        group_id: str | int | None = None,
    ) -> bool:
        """Set the layer of a user, else of a group, else the default; blank removes it.

        Raises:
            InvalidInput: an id is given and blank.
            TooLong: the text is over 8,000 characters.
        """
        if user_id is not None:
            self.layers.save("user", str(user_id), content)
        elif group_id is not None:
            self.layers.save("group", str(group_id), content)
        else:
            self.layers.save("default", "", content)
        return True

    # ---- the whole prompt

    def load_prompt(
        self,
        user_id: str | int | None = None,
        group_id: str | int | None = None,
        include_memories: bool = True,
        include_tools: bool = True,
        *,
        text: str = "",
        tools: Collection[str] | None = None,
    ) -> str:
        """Base text, notes and tools, joined by blank lines (R3.8).

        Args:
            user_id: the person spoken to.
            group_id: the group spoken in.
            include_memories: whether the notes are part of it.
            include_tools: whether the tools are part of it.
            text: what is being talked about: notes about it come first.
            tools: as for `load_tools_prompt`, but by default what the card of who plays there says.
        """
        card = self._card_in(_where(_id(user_id), _id(group_id)))
        if tools is None and card:
            tools = card.tools
        parts = (
            self.load_base_prompt(user_id, group_id),
            self.load_memories(user_id, group_id, text=text) if include_memories else "",
            self.load_tools_prompt(tools) if include_tools else "",
        )
        return "\n\n".join(filter(None, parts))

    def load_tools_prompt(self, tools: Collection[str] | None = None) -> str:
        """The tools of the registry that are allowed; empty without any (R3.8).

        Args:
            tools: their names; by default what the card says, and without a card that does, all.
        """
        card = self._card_in("")
        allowed = card.tools if tools is None and card else tools
        return tools_text(tool for tool in TOOLS if allowed is None or tool.name in allowed)

    # ---- notes

    def load_memories(
        self,
        user_id: str | int | None = None,
        group_id: str | int | None = None,
        character_name: str | None = None,
        *,
        text: str = "",
    ) -> str:
        """The notes for a person's prompt in a group, or in private, under `【重要记忆】`; empty without any.

        At most 8 and 800 characters, the relevant and the newest first, and only what may be told there
        (R1.17, R3.5).

        Args:
            user_id: the person spoken to.
            group_id: the group spoken in; without it, the person's private chat.
            character_name: whose notes, beside those of no character; `None` means whosever.
            text: what is being talked about: notes about it come first.
        """
        user, group = clean(_id(user_id)), clean(_id(group_id))
        if not user and not group:
            return ""
        with self._store.database.read() as connection:
            viewer = viewer_of(connection, Scope("", _where(user, group), user, not group))
        names = None if character_name is None else (character_name,)
        return self.notes_for(viewer, text, characters=names).text

    def notes_for(
        self,
        viewer: Viewer,
        text: str = "",
        *,
        characters: Collection[str] | None = None,
        known: Collection[str] = (),
    ) -> ChosenNotes:
        """The notes for a viewer's prompt (R3.5).

        Args:
            viewer: the user and conversation it is for (R1.17).
            text: what is being talked about.
            characters: the names the character goes by; `None` takes the notes of all.
            known: texts that stand in the prompt already, and need no note (R3.10).
        """
        notes = self.notes.visible_to(viewer, self._policy, characters)
        return choose_notes(notes, text, self._timezone, known)

    def add_memory(
        self,
        title: str,
        content: str,
        target_id: str | int,
        summary: str | None = None,
        mem_type: str = "long",
        expire_days: int = EXPIRE_DAYS,
        character_name: str | None = None,
        *,
        conversation_id: str | None = None,
        source_event_id: str | None = None,
    ) -> bool:
        """Keep a note; it stands in `memories.json` when this returns `True`.

        Args:
            title: what it is about.
            content: what it says.
            target_id: for whom: `user_123` (or `123`) or `group_9`.
            summary: in short; by default the first 100 characters of the content.
            mem_type: `long`, or `short` for one that ends.
            expire_days: after how many times 24 hours a `short` one ends.
            character_name: the character it belongs to; by default all.
            conversation_id: where it was said; by default its person's private chat, or its group (R1.17).
            source_event_id: the turn it comes from.

        Raises:
            InvalidInput: a value of a wrong kind; names it and what is allowed.
            TooLong: a text over its limit.
        """
        self.notes.add(
            {
                "title": title,
                "content": content,
                "target_id": target_id,
                "summary": summary,
                "type": mem_type,
                "expire_days": expire_days,
                "character_name": character_name,
                "conversation_id": conversation_id,
                "source_event_id": source_event_id,
            }
        )
        return True

    def delete_memory(self, memory_id: str) -> bool:
        """Delete a note; whether there was one."""
        return self.notes.delete(memory_id)

    def update_memory(self, memory_id: str, updates: Mapping[str, Any]) -> bool:
        """Change fields of a note, but not its id; whether there was one.

        Raises:
            InvalidInput: an unknown field, or a value of a wrong kind.
            TooLong: a text over its limit.
        """
        return self.notes.update(memory_id, updates)

    def clear_memories(self, target_id: str | int | None = None) -> bool:
        """Delete the notes of a person or group, or (`None`) all of them; whether there were any."""
        return self.notes.clear(None if target_id is None else str(target_id)) > 0

    def get_memories(
        self,
        target_id: str | int | None = None,
        mem_type: str | None = None,
        character_name: str | None = None,
    ) -> list[dict[str, Any]]:
        """The notes for which all that is given holds, as they stand in the file: the operator's view."""
        target = None if target_id is None else str(target_id)
        found = self.notes.find(target, mem_type, character_name)
        return [note.to_record(self._timezone) for note in found]

    def _candidates(
        self, user_id: str, group_id: str, card: Card | None, user_name: str
    ) -> Iterator[BaseLayer]:
        """Every layer in order, lazily; at each level the store before the file."""
        targets: tuple[tuple[Level, str], ...] = (("user", user_id), ("group", group_id), ("default", ""))
        for level, target_id in targets:
            if target_id or level == "default":
                yield BaseLayer(level, "store", self.layers.get(level, target_id).strip())
                yield BaseLayer(level, "file", self._folder.text(level, target_id))
        if card := card or self._card_in(_where(user_id, group_id)):
            yield BaseLayer("card", "card", card.filled(user_name).system_prompt)

    def _card_in(self, conversation_id: str) -> Card | None:
        return self._card_of(conversation_id) if self._card_of else self._folder.card()


def _where(user_id: str, group_id: str) -> str:
    """The conversation that these ids mean; empty for none."""
    if group_id:
        return group_conversation(group_id)
    return private_conversation(user_id) if user_id else ""


def _id(value: str | int | None) -> str:
    """An id as text; blank counts as not given."""
    return "" if value is None else str(value).strip()
