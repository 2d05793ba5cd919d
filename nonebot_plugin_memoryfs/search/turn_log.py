"""The search over what was said: shared by recall, `/记忆 搜索`, the web page and the bench (R2.21)."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from ..errors import InvalidInput
from ..scope import Policy, Scope, Viewer, check_scope
from ..storage import Store
from ..storage.over_store import OverStore
from ..storage.presence import note_presence, viewer_of
from ..text.cleaning import clean
from ..text.given import not_text, not_whole
from .index import Kind
from .lines import FirstLines, Line, add_line, lines_by_id, searchable
from .neighbours import lift_neighbours
from .questions import evidence
from .ranking import MOST, Match, rank, shelves_of
from .recipes import LINES, Recipe

ISOLATED = Policy()
"""Nothing crosses from one conversation to another that the default rule keeps apart."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that answers a query."""

    id: int
    score: float
    """Comparable within one search only."""
    text: str
    at: datetime
    """When it was said, timezone-aware."""
    speaker: str
    """The name of who said it, as it was then."""
    conversation_id: str
    by_character: bool
    user_id: str
    """Who said it, or to whom the character said it."""
    turn_id: int | None
    """The turn it belongs to, where it was said in one."""


class TurnLog(OverStore):
    """What was said, by whom, when and where; found again by words.

    `TurnLog.open(data_dir)` for library use; over an open store in the bot.
    """

    def __init__(self, store: Store, policy: Policy = ISOLATED, recipe: Recipe = LINES) -> None:
        super().__init__(store)
        self._policy = policy
        self._recipe = recipe
        self._first_lines: FirstLines = {}

    def add(self, scope: Scope, speaker: str, text: str, at: datetime) -> int:
        """Keep something the scope's user said; it can be found when this returns.

        Args:
            scope: who said it where.
            speaker: their name there.
            text: what they said.
            at: when, timezone-aware.

        Returns:
            The line's id, as `Hit.id`.

        Raises:
            InvalidInput: `at` has no time zone, or an argument is not of its type.
        """
        check_scope(scope)
        if wrong := not_text(speaker=speaker, text=text):
            raise InvalidInput(wrong)
        if not isinstance(at, datetime) or at.tzinfo is None:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"时间需要带时区，收到的是 {at!r}")
        with self._store.database.write() as connection:
            note_presence(connection, scope.user_id, scope.conversation_id, at)
            return add_line(connection, scope, speaker, text, at)

    def search(self, scope: Scope, query: str, limit: int = 10) -> list[Hit]:
        """What was said about this, best first; nothing when nothing answers.

        With the usual recipe the lines beside a match come along, behind it; a list for people to read
        is made with `WORDS_ALONE`. Only what may be used in the scope's conversation is looked at (R1.17).

        Args:
            scope: who asks where.
            query: a question or some words.
            limit: at most so many hits.

        Raises:
            InvalidInput: an argument is not of its type.
        """
        check_scope(scope)
        if wrong := not_text(query=query) or not_whole(limit=limit):
            raise InvalidInput(wrong)
        with self._store.database.read() as connection:
            viewer = viewer_of(connection, scope)
            return self.search_for(connection, viewer, query, limit)

    def search_for(
        self,
        connection: Connection,
        viewer: Viewer,
        query: str,
        limit: int = 10,
        *,
        before: int | None = None,
    ) -> list[Hit]:
        """The same inside a transaction, for a viewer that is known already.

        Args:
            connection: a read or a write.
            viewer: for whom.
            query: a question or some words.
            limit: at most so many hits.
            before: only lines older than this one (R2.16).
        """
        since = searchable(connection, viewer, self._policy, self._first_lines)
        shelves = shelves_of(connection, Kind.LINE, since)
        matches = rank(connection, self._recipe, shelves, evidence(clean(query)), max(MOST, 2 * limit))
        matches = lift_neighbours(connection, self._recipe, Kind.LINE, matches)
        if before is not None:
            matches = [match for match in matches if match.ref < before]
        hits: list[Hit] = []
        while matches and len(hits) < limit:
            some, matches = matches[: limit - len(hits)], matches[limit - len(hits) :]
            seen = lines_by_id(connection, viewer, self._policy, (match.ref for match in some))
            hits += (_hit(match, seen[match.ref]) for match in some if match.ref in seen)
        return hits


def _hit(match: Match, line: Line) -> Hit:
    return Hit(
        id=line.id,
        score=round(match.score, 4),
        text=line.text,
        at=line.at,
        speaker=line.speaker,
        conversation_id=line.conversation_id,
        by_character=line.by_character,
        user_id=line.user_id,
        turn_id=line.turn_id,
    )
