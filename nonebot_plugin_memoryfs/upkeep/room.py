"""The room as others use it: what needs every room (R6.5–R6.6, R7.4). Thread-safe, synchronous."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from sqlalchemy import Connection

from ..errors import ConfigError
from ..memory import MemoryFS
from ..prompt.note import group_target
from ..scope import Policy, group_of
from ..storage import Store
from ..text.folding import fold_name
from .backup import delete_older, newest, write_backup
from .clearing import clear_rows, count_rows
from .erased_ids import FILE as SEALED_FILE
from .erased_ids import sealed_ids, write_sealed
from .erasing import Erasure, erase_rows
from .export import Export, export_person
from .left_files import begin_cleaning, end_cleaning, erase_left, erase_own_prompt, find_left, left_to_clean
from .verify import Report, verify
from .words import Words, id_pattern

logger = logging.getLogger("nonebot_plugin_memoryfs")

BACKUPS = "backups"
"""The folder of backups in a data directory."""
_DAY = timedelta(days=1)

_Erase = Callable[[Connection, MemoryFS, Policy, str, datetime], tuple[Erasure, Words]]
"""Erases somebody, or a conversation, from the tables."""


class Upkeep:
    """Erasing, exporting and keeping safe what one store holds."""

    def __init__(self, store: Store, memory: MemoryFS, policy: Policy, zone: tzinfo) -> None:
        """Look after a store.

        Args:
            store: what is looked after; rooms with JSON files over it are open.
            memory: its memory files.
            policy: what may pass from one conversation to another (R1.17).
            zone: the zone in which times are shown.
        """
        self._store = store
        self._memory = memory
        self._policy = policy
        self._zone = zone

    def erase_person(self, user_id: str) -> Erasure:
        """Erase everything from or about a person, so that nothing of it is left in any file (R7.4).

        Their wish that nothing of them is stored (停记) stays, and a digest of their id, so that no older
        backup brings them back.
        """
        erasure = self._erase(erase_rows, user_id, fold_name(user_id))
        own = erase_own_prompt(self._store.directory, user_id) if self._store.directory else 0
        return erasure.with_files(own)

    def clear_conversation(self, conversation_id: str) -> Erasure:
        """Erase everything that was said in a conversation, of every character, in the same way (R7.3).

        How a group wants things stays (see `clearing`), and a digest of the conversation's id.
        """
        group = group_of(conversation_id)
        return self._erase(clear_rows, conversation_id, group_target(group) if group else conversation_id)

    def count_conversation(self, conversation_id: str) -> Erasure:
        """What `clear_conversation` would erase; nothing is changed."""
        self._store.pull_faces()
        with self._store.database.read() as connection:
            return Erasure(count_rows(connection, self._memory, conversation_id))

    def _erase(self, erase: _Erase, id: str, name: str) -> Erasure:
        """Erase from the tables, then from all files; `name` is what stands for the id in set-aside ones."""
        self._store.pull_faces()
        left: list[Path] = []
        with self._store.database.write() as connection:
            erasure, words = erase(connection, self._memory, self._policy, id, self._store.clock())
            if directory := self._store.directory:  # what tells the words is gone with this transaction
                named = id_pattern(name)
                left = find_left(directory, lambda text: bool(named.search(text)) or words.repeated(text))
                begin_cleaning(directory, left)
        self._clean(left)
        return erasure.with_files(len(left))

    def finish_erasing(self) -> None:
        """Do what an erasure had still to do when it was killed (R7.4); it keeps nobody from starting."""
        if (directory := self._store.directory) and (left := left_to_clean(directory)) is not None:
            try:
                self._clean(left)
            except Exception:
                logger.exception("上次清除后还没收拾完的，这次也没能收拾完，下次启动再试")

    def _clean(self, left: Iterable[Path]) -> None:
        """Let go of what files still hold of rows that are gone: JSON, set aside, the database's own."""
        directory, scrubbed = self._store.directory, False
        try:
            self._store.push_faces()
            if directory:
                erase_left(left)
                self._write_sealed()
        finally:  # whatever became of the files
            scrubbed = self._store.database.scrub()
            if not scrubbed:
                logger.warning("清除之后日志文件还没能清空：有别的进程在读，稍后会再清")
        if directory and scrubbed:
            end_cleaning(directory)

    def export_person(self, user_id: str) -> Export:
        """Everything stored about a person that they may see (R7.4)."""
        self._store.pull_faces()
        with self._store.database.read() as connection:
            return export_person(connection, self._policy, user_id, self._store.clock(), self._zone)

    def backup(self) -> Path:
        """Write a backup now, and delete those older than seven days; where it is (R6.5).

        Raises:
            ConfigError: the store has no directory to put it in.
        """
        directory = self._store.directory
        if directory is None:
            raise ConfigError("备份需要数据目录，这里只有数据库")
        self._store.flush_faces()
        now = self._store.clock()
        path = write_backup(self._store.database, directory, directory / BACKUPS, now)
        delete_older(directory / BACKUPS, now)
        self._write_sealed()
        return path

    def daily(self) -> Path | None:
        """Write today's backup, unless there is one of the last 24 hours; to be called now and then."""
        directory = self._store.directory
        if directory is None:
            return None
        now = self._store.clock()
        last = newest(directory / BACKUPS)
        if last is None or now - last >= _DAY:
            return self.backup()
        delete_older(directory / BACKUPS, now)
        return None

    def verify(self) -> Report:
        """Whether what is stored hangs together (R6.5)."""
        with self._store.database.read() as connection:
            return verify(connection)

    def _write_sealed(self) -> None:
        """Write down who was erased; the tables know it too, and the next backup writes it again."""
        assert self._store.directory is not None
        folder = self._store.directory / BACKUPS
        with self._store.database.read() as connection:
            ids = sealed_ids(connection)
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            write_sealed(folder / SEALED_FILE, ids)
        except OSError as error:
            self._store.report(f"{BACKUPS}/{SEALED_FILE} 没能写出（{error}）；下次备份会再写")
