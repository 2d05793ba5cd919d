"""What `graph` is measured against: a bare transaction, and a recall that reads all it can reach."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

_DEPTH = 2
_AT_ONCE = 10_000
_NAME = "CASE key WHEN 'character' THEN 'ai' ELSE substr(key, instr(key, ':') + 1) END"
_NAMED = f"SELECT id FROM nodes WHERE {_NAME} LIKE ?"
_TASKS = "SELECT node_id FROM tasks"
_EDGES = """
SELECT id, subject_id, object_id, subject, relation, object, last_seen, user_id FROM edges
WHERE valid_to IS NULL AND {column} IN ({places})
"""
_TURNS = "SELECT lines.speaker, lines.text, lines.at FROM turns JOIN lines ON lines.turn_id = turns.id"

Edge = tuple[int, int, int, str, str, str, str, str]


class Bare:
    """A database of one table: the least that a durable write can cost here."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "wal_autocheckpoint=0"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")

    def commit(self) -> None:
        """One row, in a transaction of its own."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO bare (body) VALUES (?)", ("用户 喜欢 摇滚",))
        self._connection.execute("COMMIT")

    def checkpoint(self) -> None:
        """Copy the WAL back, as the store does off the reply path."""
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def naive_recall(database: Path, words: Sequence[str], *, tasks: bool = False) -> str:
    """All that can be reached from any name that holds a word, two steps far, as text.

    A scan over the names with `LIKE`, then breadth-first along live edges in both directions, without
    a limit anywhere; with `tasks`, from every task, and all turns with it.
    """
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        frontier = {row[0] for word in words for row in connection.execute(_NAMED, (f"%{word}%",))}
        parts: list[str] = []
        if tasks:
            frontier.update(row[0] for row in connection.execute(_TASKS))
            parts += (f"{speaker}: {text} ({at})" for speaker, text, at in connection.execute(_TURNS))
        seen, edges = set(frontier), dict[int, Edge]()
        for _ in range(_DEPTH):
            reached: set[int] = set()
            for edge in _edges_of(connection, frontier):
                edges[edge[0]] = edge
                reached.update(edge[1:3])
            frontier = reached - seen
            seen |= reached
        parts += (f"{edge[3]} {edge[4]} {edge[5]} ({edge[6]}, {edge[7]})" for edge in edges.values())
        return "\n".join(parts)


def _edges_of(connection: sqlite3.Connection, nodes: Iterable[int]) -> Iterator[Edge]:
    rest = iter(nodes)
    while some := list(islice(rest, _AT_ONCE)):
        places = ",".join("?" * len(some))
        for column in ("subject_id", "object_id"):
            yield from connection.execute(_EDGES.format(column=column, places=places), some)
