"""What every part of the graph's face needs: the store, the rules, and who asks."""

from collections.abc import Iterable
from datetime import datetime, tzinfo

from sqlalchemy import Connection

from ..scope import Policy, Scope, check_scope
from ..search.places import place_of
from ..search.turn_log import ISOLATED, TurnLog
from ..storage import Store
from ..storage.over_store import OverStore
from ..storage.presence import note_presence
from ..text.folding import fold_name
from ..text.statements import single_valued as statement_relations
from .recall import Search, search_for
from .who import note_alias

SINGLE_VALUED: frozenset[str] = frozenset(statement_relations)
"""Relations that hold one value at a time unless others are given (R2.5)."""


class OverGraph(OverStore):
    """A store, seen as a graph under a policy."""

    def __init__(
        self,
        store: Store,
        policy: Policy = ISOLATED,
        single_valued: Iterable[str] = SINGLE_VALUED,
    ) -> None:
        super().__init__(store)
        self._policy = policy
        self._single_valued = frozenset(map(fold_name, single_valued))
        self._log = TurnLog(store, policy)

    def _enter(self, connection: Connection, scope: Scope, speaker: str | None, at: datetime) -> int:
        """Somebody speaks somewhere: their presence, their name there, and the place."""
        note_presence(connection, scope.user_id, scope.conversation_id, at)
        place_id = place_of(connection, scope.character_id, scope.conversation_id)
        if speaker:
            note_alias(connection, scope, place_id, speaker, at)
        return place_id

    def searching(self, connection: Connection, scope: Scope) -> Search:
        """Who asks and what they reach, worked out once for several recalls in one transaction."""
        check_scope(scope)
        return self._search(connection, scope)

    def _search(self, connection: Connection, scope: Scope) -> Search:
        return search_for(connection, scope, self._policy, self._single_valued)

    def _zone(self) -> tzinfo | None:
        return self._store.clock().tzinfo
