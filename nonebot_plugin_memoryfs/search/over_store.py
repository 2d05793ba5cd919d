"""What stands over a store: made over an open one, or opened by itself and then closed."""

from pathlib import Path
from types import TracebackType
from typing import Self

from ..storage import Store


class OverStore:
    """Made with `open`, it holds its own store and is closed, or used in a `with`.

    Made over a store, it leaves that store alone.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owned = False

    @classmethod
    def open(cls, data_dir: str | Path | None = None, database_url: str | None = None) -> Self:
        """Open the store of a data directory, or a database elsewhere, for library use.

        Raises:
            ConfigError: neither is given.
            DataDirectoryError: the directory can't be used, or another process holds it.
        """
        opened = cls(Store.open(data_dir, database_url))
        opened._owned = True
        return opened

    def close(self) -> None:
        """Let go of the store that `open` opened; a second call does nothing."""
        if self._owned:
            self._owned = False
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
