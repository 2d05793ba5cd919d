"""The synchronous steps of a turn, each one crossing to a thread: hear, recall (and prompt), record (R4.1).

`hear` and `record` are one transaction each: a kill between any two steps loses nothing a person said.
"""

import time
from collections.abc import Collection, Iterable
from dataclasses import replace

from ..graph.chain import newest_turns
from ..prompt import ChosenNotes
from ..scope import Scope, group_of
from ..storage.presence import viewer_of
from ..text.folding import fold_sentence
from ..text.references import points_back
from ..text.statements import Statement, recognise
from .prompting import build_prompt, identity_of, persona_text
from .repeats import repeated_facts
from .rooms import Rooms
from .trace import save_trace, trace_of
from .values import Incoming, Recalled, Turn

_SAYINGS = 5
_AT_ONCE = 20


def hear(rooms: Rooms, incoming: Incoming) -> Turn:
    """Steps 1 and 2: who may see what here, and the turn row with what was said."""
    scope = incoming.scope
    with rooms.store.database.write() as connection:
        turn_id = rooms.graph.open_turn(
            scope, incoming.speaker, incoming.text, incoming.source_ids, at=incoming.at
        )
        viewer = viewer_of(connection, scope)
    return Turn(incoming=incoming, turn_id=turn_id, viewer=viewer)


def recall(rooms: Rooms, turn: Turn) -> Turn:
    """Steps 3 to 6: persona, task chain, facts and older turns, memory files, notes; then the stack."""
    incoming, scope = turn.incoming, turn.incoming.scope
    if turn.joined:
        rooms.graph.join_turns(turn.turn_id, turn.joined)
    card = rooms.card_of(scope.character_id)
    user_name = incoming.speaker if scope.private else ""
    layer = rooms.prompts.layer_for(
        scope.user_id, group_of(scope.conversation_id), card=card, user_name=user_name
    )
    memory = rooms.memory.build_context(turn.viewer)
    notes = rooms.prompts.notes_for(
        turn.viewer,
        incoming.text,
        characters=(scope.character_id, card.name),
        known=[entry.text for section in memory.sections for entry in section.entries],
    )
    with rooms.store.database.read() as connection:
        persona = rooms.graph.persona(scope)
        chain = rooms.graph.task_chain(scope)
        back = rooms.graph.recall_back(scope, incoming.text) if points_back(incoming.text) else None
        facts = rooms.graph.recall_facts(scope, incoming.text)
        newest = newest_turns(connection, scope)
        shown = {turn.turn_id, *(past.id for past in newest)}
        found = rooms.log.search_for(connection, turn.viewer, incoming.text, _SAYINGS + 2 * len(shown))
        sayings = rooms.graph.with_corrections(
            scope, [hit for hit in found if hit.turn_id not in shown][:_SAYINGS]
        )
        notes = _with_corrections(rooms, scope, notes)
    recalled = Recalled(
        persona=persona,
        persona_text=persona_text(persona, card),
        identity=identity_of(persona, card),
        chain=chain,
        back=back,
        facts=facts,
        repeated=repeated_facts(facts.facts, memory, scope.user_id, incoming.speaker),
        sayings=tuple(sayings),
        newest=tuple(newest),
        memory=memory,
        notes=notes,
        card=card,
        layer=f"{layer.level}/{layer.source}" if layer else "",
    )
    now = rooms.clock().astimezone(rooms.zone)
    prompt = build_prompt(turn, recalled, layer.text if layer else "", now)
    return replace(turn, recalled=recalled, prompt=prompt)


def _with_corrections(rooms: Rooms, scope: Scope, notes: ChosenNotes) -> ChosenNotes:
    """Notes as they may be shown now (R1.19)."""
    turn_ids = {one.text: turn for one in notes.shown if (turn := one.note.source_turn) is not None}
    texts = rooms.graph.corrected_texts(scope, turn_ids)
    return notes.with_texts(texts.get(one.text, one.text) for one in notes.shown)


def record(rooms: Rooms, turn: Turn, committed: Collection[str]) -> Turn:
    """Step 9: complete the row, commit what the model forgot (R4.5), and keep the trace."""
    started = time.perf_counter()
    forgotten = list(_forgotten(turn, committed))
    with rooms.store.database.write() as connection:
        if turn.reply is None:
            rooms.graph.leave_unanswered(turn.turn_id)
        else:
            assert turn.recalled is not None
            rooms.graph.complete_turn(turn.turn_id, reply=turn.reply, speaker=turn.recalled.card.name)
        written = _commit(rooms, turn, forgotten)
        spent = round((time.perf_counter() - started) * 1000, 2)
        turn = replace(
            turn,
            committed=tuple(f"{s.relation}：{s.object}" for s in written),
            recorded=True,
            timings=(*turn.timings, ("recorded", spent)),
        )
        save_trace(connection, turn, trace_of(turn))
    return turn


def _commit(rooms: Rooms, turn: Turn, forgotten: list[Statement]) -> list[Statement]:
    """Write statements, a few at a time; those that were taken."""
    written: list[Statement] = []
    for start in range(0, len(forgotten), _AT_ONCE):
        some = forgotten[start : start + _AT_ONCE]
        result = rooms.graph.memory_commit(
            turn.incoming.scope,
            [{"subject": "用户", "relation": s.relation, "object": s.object} for s in some],
            speaker_name=turn.incoming.speaker,
            turn_id=turn.turn_id,
            said=turn.incoming.text,
        )
        written += some if result.ok else []
    return written


def _forgotten(turn: Turn, committed: Collection[str]) -> Iterable[Statement]:
    """Recognised statements whose object stands in no triplet committed in this turn, nor the reverse."""
    kept = [fold_sentence(thing) for thing in committed]
    for statement in recognise(turn.incoming.text):
        thing = fold_sentence(statement.object)
        if not any(thing in known or known in thing for known in kept):
            yield statement
