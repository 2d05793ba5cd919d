"""Many facts at once: checked one by one, written in chunks of one transaction each (R2.20)."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, cast

from sqlalchemy import Connection

from ..errors import InvalidInput
from ..scope import Scope, check_scope
from ..search.places import place_of
from ..storage import Store
from ..storage.presence import note_presence
from .commit import Said, write_triplets
from .results import ImportResult
from .triplets import Triplet, check

_CHUNK = 400
_CHECKPOINT_EVERY = 20
_REASONS, _REASON = 5, 200


def import_triplets(
    store: Store, triplets: Iterable[tuple[Scope, Any]], single_valued: frozenset[str]
) -> ImportResult:
    """Write what can be taken, count and pass over the rest."""
    written, refused, chunks = 0, 0, 0
    reasons: list[str] = []
    rest = iter(triplets)
    while chunk := list(islice(rest, _CHUNK)):
        by_scope: dict[Scope, list[Triplet]] = {}
        for pair in chunk:
            checked = _checked(pair)
            if not isinstance(checked, str):
                by_scope.setdefault(checked[0], []).append(checked[1])
                written += 1
            else:
                refused += 1
                reasons = [*reasons, checked][:_REASONS]
        with store.database.write() as connection:
            for scope, some in by_scope.items():
                _write(connection, store, scope, some, single_valued)
        chunks += 1
        if chunks % _CHECKPOINT_EVERY == 0:
            store.database.checkpoint()
    return ImportResult(written=written, refused=tuple(reasons), refused_count=refused)


def _checked(pair: Any) -> tuple[Scope, Triplet] | str:
    """The scope and the triplet of a pair, or the reason (Chinese) why it can't be taken."""
    if not isinstance(pair, tuple) or len(pair) != 2:  # pyright: ignore[reportUnknownArgumentType]
        return f"需要是 (Scope, 三元组)，收到的是 {pair!r}"[:_REASON]
    scope, raw = cast(tuple[Any, Any], pair)
    try:
        check_scope(scope)
    except InvalidInput as error:
        return str(error)[:_REASON]
    checked = check(raw)
    return checked if isinstance(checked, str) else (scope, checked)


def _write(
    connection: Connection,
    store: Store,
    scope: Scope,
    some: list[Triplet],
    single_valued: frozenset[str],
) -> None:
    now = store.clock()
    note_presence(
        connection, scope.user_id, scope.conversation_id, min(triplet.at or now for triplet in some)
    )
    place_id = place_of(connection, scope.character_id, scope.conversation_id)
    write_triplets(connection, place_id, Said(scope=scope, at=now), some, single_valued)
