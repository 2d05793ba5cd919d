"""The synchronous steps of a turn, each one crossing to a thread: hear, recall (and prompt), record (R4.1).

`hear` and `record` are one transaction each: a kill between any two steps loses nothing a person said.
"""

import time
from collections.abc import Collection, Iterable
from dataclasses import replace

from ..graph.chain import first_line, newest_turns
from ..scope import Scope
from ..storage.presence import note_presence, viewer_of
from ..text.folding import fold_sentence
from ..text.references import points_back
from ..text.statements import Statement, recognise
from .prompting import build_prompt, persona_text
from .rooms import Rooms
from .trace import save_trace, trace_of
from .values import Incoming, OverheardLine, Recalled, Turn

PERSONA_QUERY = "AI,人设,角色,性格,语气,说话风格"
"""The seed's forced query of step 1."""
_SAYINGS = 5


def hear(rooms: Rooms, incoming: Incoming, overheard: tuple[OverheardLine, ...]) -> Turn:
    """Steps 1 and 2: who may see what here, and the turn row with what was said."""
    scope = incoming.scope
    with rooms.store.database.write() as connection:
        note_presence(connection, scope.user_id, scope.conversation_id, incoming.at)
        turn_id = rooms.graph.open_turn(scope, incoming.speaker, incoming.text, incoming.source_ids)
        viewer = viewer_of(connection, scope)
    return Turn(incoming=incoming, turn_id=turn_id, viewer=viewer, overheard=overheard)


def recall(rooms: Rooms, turn: Turn) -> Turn:
    """Steps 3 to 6: persona, task chain, facts and older turns, memory files; then the stack."""
    incoming, scope = turn.incoming, turn.incoming.scope
    card = rooms.card_of(scope.character_id)
    user_name = incoming.speaker if scope.private else ""
    layer = rooms.prompts.layer_for(scope.user_id, _group_of(scope), card=card, user_name=user_name)
    memory = rooms.memory.build_context(turn.viewer)
    with rooms.store.database.read() as connection:
        persona = rooms.graph.memory_recall(scope, PERSONA_QUERY)
        chain = rooms.graph.task_chain(scope)
        back = rooms.graph.recall_back(scope, incoming.text) if points_back(incoming.text) else None
        facts = rooms.graph.memory_recall(scope, incoming.text)
        newest = newest_turns(connection, scope)
        shown = first_line(connection, (turn.turn_id, *(past.id for past in newest)))
        sayings = rooms.log.search_for(connection, turn.viewer, incoming.text, _SAYINGS, before=shown)
    recalled = Recalled(
        persona=persona,
        persona_text=persona_text(persona, card),
        chain=chain,
        back=back,
        facts=facts,
        sayings=tuple(sayings),
        newest=tuple(newest),
        memory=memory,
        layer=f"{layer.level}/{layer.source}" if layer else "",
    )
    now = rooms.clock().astimezone(rooms.zone)
    prompt = build_prompt(turn, recalled, card, layer.text if layer else "", now)
    return replace(turn, recalled=recalled, prompt=prompt)


def record(rooms: Rooms, turn: Turn, committed: Collection[str]) -> Turn:
    """Step 9: complete the row, commit what the model forgot (R4.5), and keep the trace."""
    started = time.perf_counter()
    scope = turn.incoming.scope
    forgotten = list(_forgotten(turn, committed))
    with rooms.store.database.write() as connection:
        if turn.reply is None:
            rooms.graph.leave_unanswered(turn.turn_id)
        else:
            name = rooms.card_of(scope.character_id).name
            rooms.graph.complete_turn(turn.turn_id, reply=turn.reply, speaker=name)
        if forgotten:
            rooms.graph.memory_commit(
                scope,
                [{"subject": "用户", "relation": s.relation, "object": s.object} for s in forgotten],
                speaker_name=turn.incoming.speaker,
                turn_id=turn.turn_id,
                said=turn.incoming.text,
            )
        spent = round((time.perf_counter() - started) * 1000, 2)
        turn = replace(
            turn,
            committed=tuple(f"{s.relation}：{s.object}" for s in forgotten),
            recorded=True,
            timings=(*turn.timings, ("recorded", spent)),
        )
        save_trace(connection, turn, trace_of(turn))
    return turn


def _forgotten(turn: Turn, committed: Collection[str]) -> Iterable[Statement]:
    """Recognised statements whose object stands in no triplet committed in this turn, nor the reverse."""
    kept = [fold_sentence(thing) for thing in committed]
    for statement in recognise(turn.incoming.text):
        thing = fold_sentence(statement.object)
        if not any(thing in known or known in thing for known in kept):
            yield statement


def _group_of(scope: Scope) -> str | None:
    return scope.conversation_id.removeprefix("qq_group_") if not scope.private else None
