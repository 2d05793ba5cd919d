"""What stands over a store: made over an open one, which it leaves alone, or over one of its own."""

from pathlib import Path
from typing import Self

from .closing import Closing
from .store import Store


class UsesStore(Closing):
    """Works on a store, and closes it if it owns it."""

    def __init__(self, store: Store, *, owned: bool = False) -> None:
        self._store = store
        self._owned = owned

    def close(self) -> None:
        """Let go of a store of its own; a second call does nothing."""
        if self._owned:
            self._owned = False
            self._store.close()


class OverStore(UsesStore):
    """Made over a store, or with `open` over one of its own; subclasses are made from a store alone."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)

    @classmethod
    def open(cls, data_dir: str | Path | None = None, database_url: str | None = None) -> Self:
        """Open the store of a data directory, or a database elsewhere, for library use.

        Raises:
            ConfigError: neither is given.
            DataDirectoryError: the directory can't be used, or another process holds it.
        """
        store = Store.open(data_dir, database_url)
        try:
            opened = cls(store)
        except BaseException:
            store.close()
            raise
        opened._owned = True
        return opened
