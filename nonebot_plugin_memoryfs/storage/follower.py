"""The one background thread of a store: what may follow a write some moments later.

It copies the WAL back, so that no commit has to (R6.1), and writes the JSON files (R6.2).
"""

import logging
import threading

from .database import Database
from .json_face import JsonFace

logger = logging.getLogger("nonebot_plugin_memoryfs")

_DELAY_SECONDS = 0.5
"""Changes within this time share one write; R6.2 allows 5 s in all."""

_RETRY_SECONDS = 30.0


class Follower:
    """Wakes after writes; takes at most 5 % of the time for the files (see `Pace`)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._faces: list[JsonFace] = []
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memoryfs-follower", daemon=True)
        self._thread.start()
        database.when_written = self._changed.set

    def add(self, face: JsonFace) -> None:
        """Follow this face from now on."""
        face.when_marked = self._changed.set
        self._faces.append(face)

    def stop(self) -> None:
        """End the thread; a file being written is finished without pauses first."""
        self._stopped.set()
        self._changed.set()
        for face in self._faces:
            face.hurry()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._changed.wait()
            self._stopped.wait(_DELAY_SECONDS)
            self._changed.clear()
            try:
                self._database.checkpoint()
                for face in self._faces:
                    if not self._stopped.is_set():
                        face.follow()
            except Exception:
                logger.exception("后台写入失败，%d 秒后再试", _RETRY_SECONDS)
                self._stopped.wait(_RETRY_SECONDS)
                self._changed.set()
