"""The synchronous steps of a turn, each one crossing to a thread: hear, recall (and prompt), record (R4.1).

`hear` and `record` are one transaction each: a kill between any two steps loses nothing a person said.
"""

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from sqlalchemy import Connection

from ..graph.recall import Search
from ..prompt import ChosenNotes
from ..scope import Scope, group_of
from ..storage.erased import erased_since
from ..storage.pauses import paused_among
from ..storage.presence import viewer_of
from ..storage.usage import CHAT, Spent, first_notice
from ..text.folding import fold_sentence
from ..text.references import points_back, without_reference_words
from ..text.statements import Statement, recognise
from .prompting import build_prompt, identity_of, persona_text
from .repeats import repeated_facts
from .rooms import Rooms
from .trace import save_trace, trace_of
from .values import Incoming, Recalled, Turn

_SAYINGS = 5
_LOOKED_THROUGH = 100
"""Lines among which a message that points back finds older ones: in a lively group most are newer."""
_AT_ONCE = 20


def hear(rooms: Rooms, incoming: Incoming) -> Turn:
    """Steps 1 and 2: who may see what here, and the turn row with what was said."""
    scope = incoming.scope
    with rooms.store.database.write() as connection:
        if paused_among(connection, [scope.user_id]):
            return Turn(incoming=incoming, turn_id=0, viewer=viewer_of(connection, scope), kept=False)
        turn_id = rooms.graph.open_turn(
            scope, incoming.speaker, incoming.text, incoming.source_ids, at=incoming.at
        )
        viewer = viewer_of(connection, scope)
    return Turn(incoming=incoming, turn_id=turn_id, viewer=viewer)


def close_left_open(rooms: Rooms) -> int:
    """Close the turns a stop cut off as unanswered; what was stated in them is kept (R4.1, R4.5).

    Returns:
        How many there were.
    """
    with rooms.store.database.write():
        left = rooms.graph.open_turns()
        for turn in left:
            forgotten = list(_forgotten(turn.said, rooms.graph.stated_in(turn.id)))
            _commit(rooms, turn.scope, turn.speaker, turn.id, turn.said, forgotten)
        rooms.graph.close_unanswered()
    return len(left)


def recall(rooms: Rooms, turn: Turn) -> Turn:
    """Steps 3 to 6: persona, task chain, facts and older turns, memory files, notes; then the stack."""
    turn = _joined(rooms, turn)
    incoming, scope = turn.incoming, turn.incoming.scope
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
        spent = rooms.learning.budget.is_spent(connection, rooms.clock())
        search = rooms.graph.searching(connection, scope)
        persona = rooms.graph.persona(scope, search)
        chain = rooms.graph.task_chain(scope)
        facts = rooms.graph.recall_facts(scope, incoming.text, search=search)
        shown = {turn.turn_id, *(past.id for past in chain.newest)}
        back, asked, most = None, incoming.text, _SAYINGS + 2 * len(shown)
        if looks_back := points_back(incoming.text):
            asked, most = without_reference_words(incoming.text) or incoming.text, _LOOKED_THROUGH
        found = rooms.log.search_for(connection, turn.viewer, asked, most)
        if looks_back:
            back = rooms.graph.recall_back(scope, incoming.text, search, newest=chain.newest, found=found)
        sayings = rooms.graph.with_corrections(
            scope, [hit for hit in found if hit.turn_id not in shown][:_SAYINGS], search
        )
        notes = _with_corrections(rooms, scope, notes, search)
        relationship = rooms.learning.relationship(turn.viewer)
    recalled = Recalled(
        persona=persona,
        persona_text=persona_text(persona, card),
        identity=identity_of(persona, card),
        relationship=relationship,
        chain=chain,
        back=back,
        facts=facts,
        repeated=repeated_facts(facts.facts, memory, scope.user_id, incoming.speaker),
        sayings=tuple(sayings),
        memory=memory,
        notes=notes,
        card=card,
        layer=f"{layer.level}/{layer.source}" if layer else "",
    )
    now = rooms.clock().astimezone(rooms.zone)
    prompt = build_prompt(turn, recalled, layer.text if layer else "", now)
    return replace(turn, recalled=recalled, prompt=prompt, spent=spent)


def _joined(rooms: Rooms, turn: Turn) -> Turn:
    """The turn as one row, without the messages that were taken back since they were joined (R4.4, R4.11)."""
    if not turn.joined:
        return turn
    with rooms.store.database.write():
        rows = (turn.turn_id, *turn.joined)
        left = [row for row in rows if rooms.graph.open_text(row) is not None]
        if not left:
            return turn
        rooms.graph.join_turns(left[0], left[1:])
        said = rooms.graph.open_text(left[0]) or ""
    incoming = turn.incoming if len(left) == len(rows) else replace(turn.incoming, text=said)
    return replace(turn, turn_id=left[0], incoming=incoming)


def tell_once(rooms: Rooms, turn: Turn) -> bool:
    """Whether this conversation is to be told today that the budget is spent; from then on it was (R4.4)."""
    day = rooms.learning.budget.day(rooms.clock())
    with rooms.store.database.write() as connection:
        return first_notice(connection, *turn.key, day)


def _with_corrections(rooms: Rooms, scope: Scope, notes: ChosenNotes, search: Search) -> ChosenNotes:
    """Notes as they may be shown now (R1.19)."""
    turn_ids = {one.text: turn for one in notes.shown if (turn := one.note.source_turn) is not None}
    texts = rooms.graph.corrected_texts(scope, turn_ids, search)
    return notes.with_texts(texts.get(one.text, one.text) for one in notes.shown)


def record(rooms: Rooms, turn: Turn, committed: Collection[str], keep_text: Callable[[], bool]) -> Turn:
    """Steps 9 and 10: complete the row, commit what the model forgot (R4.5), review, keep the trace.

    Of a turn whose message was taken back meanwhile, nothing is kept (R4.11); of one during which anybody was
    erased, neither the answer nor the trace: they may tell what was known of that person (R7.4).

    Args:
        rooms: what is written.
        turn: a turn that was answered.
        committed: the objects of what the model committed.
        keep_text: whether the text of the request may be kept, as of now.
    """
    started = time.perf_counter()
    with rooms.store.database.write() as connection:
        _count(rooms, connection, turn)
        if not turn.kept:
            return turn
        said = rooms.graph.open_text(turn.turn_id)
        if said is None:
            rooms.graph.withdraw_facts(turn.turn_id, turn.incoming.at)
            return replace(turn, errors=(*turn.errors, "消息已经撤回"))
        erased = erased_since(connection, turn.incoming.at)
        if turn.reply is None or erased:
            rooms.graph.leave_unanswered(turn.turn_id)
        else:
            assert turn.recalled is not None
            rooms.graph.complete_turn(turn.turn_id, reply=turn.reply, speaker=turn.recalled.card.name)
            _review(rooms, turn, said)
        speaker, forgotten = turn.incoming.speaker, list(_forgotten(said, committed))
        written = _commit(rooms, turn.incoming.scope, speaker, turn.turn_id, said, forgotten)
        spent = round((time.perf_counter() - started) * 1000, 2)
        turn = replace(
            turn,
            committed=tuple(f"{s.relation}：{s.object}" for s in written),
            recorded=True,
            timings=(*turn.timings, ("recorded", spent)),
        )
        if not erased:
            save_trace(connection, turn, trace_of(turn), keep_text=keep_text())
    return turn


def _count(rooms: Rooms, connection: Connection, turn: Turn) -> None:
    """Count what the model was used for (R4.4)."""
    if answer := turn.answer:
        spent = Spent(len(answer.requests), answer.input_tokens + answer.output_tokens)
        rooms.learning.budget.count(connection, rooms.clock(), CHAT, spent)


def _review(rooms: Rooms, turn: Turn, said: str) -> None:
    incoming = turn.incoming
    rooms.learning.review_turn(incoming.scope, turn.turn_id, said, incoming.speaker, incoming.at)


def _commit(
    rooms: Rooms, scope: Scope, speaker: str, turn_id: int, said: str, forgotten: list[Statement]
) -> list[Statement]:
    """Write statements, a few at a time; those that were taken."""
    written: list[Statement] = []
    for start in range(0, len(forgotten), _AT_ONCE):
        some = forgotten[start : start + _AT_ONCE]
        result = rooms.graph.memory_commit(
            scope,
            [{"subject": "用户", "relation": s.relation, "object": s.object} for s in some],
            speaker_name=speaker,
            turn_id=turn_id,
            said=said,
        )
        written += some if result.ok else []
    return written


def _forgotten(said: str, committed: Collection[str]) -> Iterable[Statement]:
    """Recognised statements whose object stands in no triplet committed in this turn, nor the reverse."""
    kept = [fold_sentence(thing) for thing in committed]
    for statement in recognise(said):
        thing = fold_sentence(statement.object)
        if not any(thing in known or known in thing for known in kept):
            yield statement
