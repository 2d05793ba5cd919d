"""The seed's checklist as six booleans, read off what really happened in a turn (R4.3)."""

from dataclasses import dataclass

from ..text.references import mentions_recent, points_back
from .values import Turn


@dataclass(frozen=True, slots=True)
class Checklist:
    """Each true when the step was done, or did not apply."""

    persona_recalled: bool
    chain_recalled: bool
    both_in_last_request: bool
    """Persona and chain stood in the last request to the model."""
    chain_updated: bool
    reference_searched: bool
    """The message points back → older turns were searched."""
    recent_searched: bool
    """刚才, 之前, 上次 → the chain was searched."""

    @property
    def complete(self) -> bool:
        """Whether every step was done."""
        return all(getattr(self, name) for name in self.__slots__)


def check(turn: Turn) -> Checklist:
    """The checklist of a turn, as far as it has come."""
    text = turn.incoming.text
    looked_back = turn.recalled is not None and turn.recalled.back is not None
    return Checklist(
        persona_recalled=turn.recalled is not None,
        chain_recalled=turn.recalled is not None,
        both_in_last_request=_both_in_last_request(turn),
        chain_updated=turn.recorded,
        reference_searched=looked_back or not points_back(text),
        recent_searched=looked_back or not mentions_recent(text),
    )


def _both_in_last_request(turn: Turn) -> bool:
    if turn.recalled is None or turn.answer is None or not turn.answer.requests:
        return False
    request = turn.answer.requests[-1].text
    newest_of_chain = turn.recalled.chain.text.splitlines()[-1]
    return turn.recalled.persona_text in request and newest_of_chain in request
