"""Words that point back widen the recall (R2.16): paused tasks, older turns, what was named last."""

from collections.abc import Sequence
from datetime import tzinfo

from ..scope import Scope
from ..search.turn_log import Hit, TurnLog
from ..text.references import without_reference_words
from ..text.sentences import gist
from .chain import Turn, chain_task, first_line, task_line
from .corrections import corrected_hits
from .kinds import TaskState
from .match import match
from .recall import Search, spelled
from .render import as_data, somebody
from .results import BackRecall
from .tasks import tasks_in

_PAUSED = 5
_HITS = 5
_NAMED = 6
_WHOLE = 500
_LINE = 160


def look_back(
    search: Search,
    log: TurnLog,
    scope: Scope,
    text: str,
    zone: tzinfo | None,
    newest: Sequence[Turn],
    found: Sequence[Hit] | None,
) -> BackRecall:
    """What a message that points back may mean, with the newest turns behind it."""
    connection = search.connection
    paused = tasks_in(connection, scope, TaskState.PAUSED, _PAUSED)
    words = without_reference_words(text)
    hits: list[Hit] = []
    if words:
        before = first_line(connection, [turn.id for turn in newest])
        if found is None:
            found = log.search_for(connection, search.viewer, words, _HITS, before=before)
        older = [hit for hit in found if before is None or hit.id < before]
        hits = corrected_hits(search, older[:_HITS])
    named = () if words else _named(search, newest[:2])
    told = [
        *(task_line(task, _WHOLE) for task in paused),
        *(_hit_line(hit, zone) for hit in hits),
        *([as_data(f"- 最近提到：{'、'.join(named)}")] if named else []),
    ]
    return BackRecall(
        ok=True,
        text="\n".join(told),
        tasks=tuple(chain_task(task) for task in paused),
        line_ids=tuple(hit.id for hit in hits),
        named=named,
    )


def _named(search: Search, newest: Sequence[Turn]) -> tuple[str, ...]:
    """Names the newest turns hold, those of the last one first."""
    here = [p for p, name in search.places.items() if name == search.viewer.conversation_id]
    found: dict[str, None] = {}
    for turn in newest:
        sides = [side.text for side in (turn.heard, turn.reply) if side]
        said = "\n".join(sides)
        pairs = list(match(search.connection, search.viewer, here, said).nodes)[: _NAMED * 2]
        spellings = {node_id: name for (_, node_id), name in spelled(search, pairs).items()}
        names = spellings | somebody(search, spellings)
        ordered = sorted((n for n in names.values() if n in said), key=said.rfind, reverse=True)
        found.update(dict.fromkeys(ordered))
    return tuple(found)[:_NAMED]


def _hit_line(hit: Hit, zone: tzinfo | None) -> str:
    when = hit.at.astimezone(zone).strftime("%Y-%m-%d %H:%M")
    return as_data(f"- {when} {gist(hit.speaker, 32)}：{gist(hit.text, _LINE)}")
