"""Who plays: the card of each character, and what it says of itself in the graph (R2.7, R3.11)."""

from collections.abc import Callable, Iterable

from ..character import Card, Roster
from ..errors import InvalidInput
from ..graph import MemoryGraph


class Cast:
    """The cards of a roster; what a card says of its character stands in the graph before it is used.

    So step 1 of a turn finds it there, also right after a card file was edited. Thread-safe.
    """

    def __init__(self, roster: Roster, graph: MemoryGraph, report: Callable[[str], None]) -> None:
        self._roster = roster
        self._graph = graph
        self._report = report
        self._learnt: dict[str, object] = {}

    def card(self, character_id: str) -> Card:
        """The card of a character, as it is now."""
        card = self._roster.card(character_id)
        says = card.name, card.identity
        if self._learnt.get(character_id) != says:
            self._learn(card)
            self._learnt[character_id] = says
        return card

    def learn(self, character_ids: Iterable[str] = ()) -> None:
        """Take in the cards of the roster's characters, and of these."""
        for character_id in {*(card.id for card in self._roster.cards()), *character_ids}:
            self.card(character_id)

    def _learn(self, card: Card) -> None:
        try:
            self._graph.set_card_persona(card.id, dict(card.filled().identity))
        except InvalidInput as error:
            self._report(f"角色 {card.id!r} 的角色卡 identity 未采用：{error}")
