"""From what was recalled to what the model is given: the stack (step 6) and the one user message (R4.2)."""

from collections.abc import Collection, Iterable
from datetime import datetime, tzinfo

from ..character import Card, profile_text
from ..graph import TOOLS, RecallResult
from ..graph.chain import NOTHING_YET
from ..graph.render import as_data
from ..memory import MemoryContext
from ..prompt import ChosenNotes, Cut, Part, PromptStack, RenderedPrompt, fixed_text
from ..prompt.note_choice import HEADING as NOTES_HEADING
from ..search import Hit
from ..text.neutral import neutralise, quote_line
from ..text.sentences import gist
from .values import MAX_TEXT, OverheardLine, Recalled, Turn

_CUTS = {
    "timeline": Cut.TIMELINE,
    "life_sim": Cut.LIFE,
    "important_event": Cut.EVENTS,
    "plot": Cut.EVENTS,
    "recent_digest": Cut.DIGEST,
}
"""Memory sections the budget may cost; the personas stay (R3.10)."""

_SAYING_CHARACTERS = 200
_QUOTE_CHARACTERS = 300
_WEEKDAYS = "一二三四五六日"


def build_prompt(turn: Turn, recalled: Recalled, base: str, now: datetime) -> RenderedPrompt:
    """The system text of a turn.

    Args:
        turn: the turn so far.
        recalled: what steps 3 to 5 found.
        base: the base prompt from the layers (R3.2).
        now: local time.
    """
    scope = turn.incoming.scope
    stack = PromptStack(target=scope.conversation_id)
    stack.put("safety", fixed_text("safety"))
    stack.put("base", base)
    stack.put("behavior", _behavior(recalled.card.tools))
    stack.put(
        "character.profile", profile_text(recalled.card, turn.incoming.speaker if scope.private else "")
    )
    stack.put("graph.persona", recalled.persona_text)
    stack.put("character.relationship", recalled.relationship)
    stack.put("memory_fs.context", list(_memory_parts(recalled.memory)), target=scope.conversation_id)
    stack.put("memories", list(_note_parts(recalled.notes)))
    stack.put("graph.tasks", list(_chain_parts(recalled)))
    stack.put("graph.facts", list(_fact_parts(recalled, now.tzinfo)))
    stack.put("time", _now_text(turn, now))
    return stack.render()


def persona_text(persona: RecallResult, card: Card) -> str:
    """What step 1 found; without persona facts the card's identity (R2.7)."""
    if persona.facts:
        return persona.text
    return "\n".join(as_data(f"- {attribute}：{value}") for attribute, value in identity_of(persona, card))


def identity_of(persona: RecallResult, card: Card) -> tuple[tuple[str, str], ...]:
    """Attribute and value of the persona, from where `persona_text` has it."""
    found = tuple((fact.relation, fact.object) for fact in persona.facts)
    return found or card.filled().identity


def build_message(turn: Turn) -> str:
    """The user message: what others said meanwhile, the message replied to, and what was said (R4.2)."""
    incoming = turn.incoming
    pieces: list[str] = []
    if turn.overheard:
        pieces.append("（你上次说话之后，别人说的：\n" + "\n".join(map(_quoted, turn.overheard)) + "）")
    if incoming.quoted is not None:
        pieces.append(f"（回复的消息：{_quoted(incoming.quoted)}）")
    pieces.append(_said(turn))
    return "\n\n".join(pieces)


def _behavior(tools: Collection[str] | None) -> str:
    """How to talk, without the lines about tools that the card leaves out (R3.8)."""
    missing = [tool.name for tool in TOOLS if tools is not None and tool.name not in tools]
    lines = fixed_text("behavior").splitlines()
    return "\n".join(line for line in lines if not any(name in line for name in missing))


def _said(turn: Turn) -> str:
    incoming = turn.incoming
    text = incoming.text[:MAX_TEXT] or "（叫了你一声）"
    if len(incoming.text) > MAX_TEXT:
        text += f"\n（消息太长，这里只有前 {MAX_TEXT} 字，共 {len(incoming.text)} 字）"
    return text if incoming.scope.private else neutralise(f"{quote_line(incoming.speaker)}：") + text


def _quoted(line: OverheardLine) -> str:
    return neutralise(f"{quote_line(line.speaker)}：{gist(line.text, _QUOTE_CHARACTERS)}")


def _memory_parts(memory: MemoryContext) -> Iterable[Part]:
    for section in memory.sections:
        if section.text:
            yield Part(name=section.kind, lines=(section.text,), cut=_CUTS.get(section.kind))


def _note_parts(notes: ChosenNotes) -> Iterable[Part]:
    yield Part(name="notes", heading=NOTES_HEADING, lines=notes.lines, cut=Cut.NOTES, weakest="last")


def _chain_parts(recalled: Recalled) -> Iterable[Part]:
    chain = recalled.chain
    yield Part(name="tasks", lines=chain.task_lines)
    if recalled.back is not None:
        yield Part(name="back", lines=tuple(recalled.back.text.splitlines()))
    lines = chain.turn_blocks or ((NOTHING_YET,) if not chain.task_lines else ())
    yield Part(name="turns", lines=lines, cut=Cut.OLDER_TURNS, keep=2)


def _fact_parts(recalled: Recalled, zone: tzinfo | None) -> Iterable[Part]:
    lines = recalled.facts.text.splitlines() if recalled.facts.facts else ()
    told = {at for at, fact in enumerate(recalled.facts.facts) if fact.id in recalled.repeated}
    facts = tuple(line for at, line in enumerate(lines) if at not in told)
    yield Part(name="facts", lines=facts, cut=Cut.FACTS, weakest="last")
    shown = recalled.back.line_ids if recalled.back else ()
    sayings = tuple(_saying(hit, zone) for hit in recalled.sayings if hit.id not in shown)
    yield Part(name="sayings", heading="以前说过：", lines=sayings, cut=Cut.FACTS, weakest="last")


def _saying(hit: Hit, zone: tzinfo | None) -> str:
    at = hit.at.astimezone(zone)
    text = gist(hit.text, _SAYING_CHARACTERS)
    return neutralise(f"{at:%Y-%m-%d} {quote_line(hit.speaker)}：{text}")


def _now_text(turn: Turn, now: datetime) -> str:
    where = "私聊" if turn.incoming.scope.private else "群聊"
    name = quote_line(turn.incoming.speaker)
    day = f"{now:%Y-%m-%d %H:%M} 星期{_WEEKDAYS[now.weekday()]}"
    return neutralise(f"现在是 {day}，{where}，正在和你说话的是 {name}（{turn.incoming.scope.user_id}）。")
