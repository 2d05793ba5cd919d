"""The one background thread of a store: writes the JSON files some moments after a change (R6.2)."""

import logging
import threading

from .json_face import JsonFace

logger = logging.getLogger("nonebot_plugin_memoryfs")

_DELAY_SECONDS = 1.0
"""Changes within this time share one write; R6.2 allows 5 s in all."""


class Follower:
    """Writes every marked face, one after another, at most 5 % of the time (see `JsonFace.follow`)."""

    def __init__(self) -> None:
        self._faces: list[JsonFace] = []
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, face: JsonFace) -> None:
        """Follow this face from now on."""
        face.when_marked = self._changed.set
        self._faces.append(face)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="memoryfs-json", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread; a write under way is finished without pauses first."""
        self._stopped.set()
        self._changed.set()
        for face in self._faces:
            face.hurry()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._changed.wait()
            self._stopped.wait(_DELAY_SECONDS)
            self._changed.clear()
            for face in self._faces:
                if self._stopped.is_set():
                    return
                try:
                    face.follow()
                except Exception:
                    logger.exception("写入 %s 失败，稍后再试", face.name)
                    self._changed.set()
