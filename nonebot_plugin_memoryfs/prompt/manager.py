"""The seed's PromptManager: which text is the base of a prompt (R3.1–R3.3)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..character import Card
from ..errors import ConfigError
from ..storage import Store
from ..storage.over_store import UsesStore
from .folder import PromptFolder
from .layers import Layers, Level

FOLDER = Path("resources", "prompts")
"""Where the upstream's files are, below the data directory."""


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """The layer a base prompt comes from."""

    level: Level | Literal["card"]
    source: Literal["store", "file", "card"]
    """`prompts.json`, the upstream's folder, or the card that was passed in."""
    text: str


class PromptManager(UsesStore):
    """Layered prompts of a data directory. Thread-safe."""

    def __init__(
        self,
        data_dir: str | Path | None = None,
        *,
        store: Store | None = None,
        card: Card | None = None,
    ) -> None:
        """Open the prompts of a directory, or of a store that is open already.

        Args:
            data_dir: where `prompts.json` and `resources/prompts/` are.
            store: used instead of opening one; its owner closes it.
            card: the character bound; without it `personality.json` of the folder counts.

        Raises:
            ConfigError: neither a directory nor a store is given.
        """
        if store is None and not data_dir:
            raise ConfigError("PromptManager 需要数据目录 data_dir，或一个已打开的 store")
        super().__init__(store or Store.open(data_dir), owned=store is None)
        directory = Path(data_dir).expanduser() if data_dir else self._store.directory
        self._folder = PromptFolder(directory / FOLDER if directory else None, self._store.report)
        self._card = card
        try:
            self.layers = Layers(self._store)
        except BaseException:
            self.close()
            raise

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
            card: the character of this conversation, where it is not the manager's.
            user_name: what `{{user}}` in a card becomes.
        """
        candidates = self._candidates(_id(user_id), _id(group_id), card or self._card, user_name)
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

    def folder_card(self) -> Card | None:
        """The card of `resources/prompts/personality.json`, if there is a usable one."""
        return self._folder.card()

    def _candidates(
        self, user_id: str, group_id: str, card: Card | None, user_name: str
    ) -> Iterator[BaseLayer]:
        """Every layer in order, lazily; at each level the store before the file."""
        targets: tuple[tuple[Level, str], ...] = (("user", user_id), ("group", group_id), ("default", ""))
        for level, target_id in targets:
            if target_id or level == "default":
                yield BaseLayer(level, "store", self.layers.get(level, target_id).strip())
                yield BaseLayer(level, "file", self._folder.text(level, target_id))
        if card:
            yield BaseLayer("card", "card", card.filled(user_name).system_prompt)
        elif found := self._folder.card():
            yield BaseLayer("card", "file", found.filled(user_name).system_prompt)


def _id(value: str | int | None) -> str:
    """An id as text; blank counts as not given."""
    return "" if value is None else str(value).strip()
