"""What a character feels for a person: three figures per conversation, told in stable words (R4.12).

The words stand in the stable part of a prompt, so they change only where a figure crosses a threshold.
"""

from dataclasses import astuple, dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from ..scope import Origin, Policy, Viewer, may_see, reachable
from ..storage.learning_tables import relationships
from ..storage.upserts import upsert

LIMIT = 1_000
"""No figure leaves −1,000 to 1,000."""


@dataclass(frozen=True, slots=True)
class Relationship:
    """How a character stands to a person, or how that changed."""

    affection: int = 0
    trust: int = 0
    familiarity: int = 0

    def __add__(self, other: "Relationship") -> "Relationship":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Relationship(*(max(-LIMIT, min(LIMIT, mine + more)) for mine, more in pairs))


_AFFECTION = (
    (-30, "有些不愉快"),
    (-10, "有点别扭"),
    (15, ""),
    (60, "有好感"),
    (160, "很亲近"),
    (None, "非常亲密"),
)
_TRUST = ((-10, "不太敢相信对方"), (15, ""), (60, "信得过对方"), (None, "很信任对方"))
_FAMILIARITY = ((8, "刚认识"), (40, "认识一阵子了"), (150, "很熟"), (None, "老朋友了"))
"""Below which figure which words hold; `None` is no limit, and no words say nothing."""


def stages(state: Relationship) -> tuple[str, ...]:
    """A relationship in words, those that say something."""
    told = (
        _word(state.familiarity, _FAMILIARITY),
        _word(state.affection, _AFFECTION),
        _word(state.trust, _TRUST),
    )
    return tuple(word for word in told if word)


def _word(figure: int, table: tuple[tuple[int | None, str], ...]) -> str:
    return next(word for below, word in table if below is None or figure < below)


_OF_PERSON = select(relationships).where(
    relationships.c.character_id == bindparam("of_character"),
    relationships.c.user_id == bindparam("of_user"),
)
_KEEP = upsert(
    relationships,
    ("character_id", "user_id", "conversation_id"),
    ("affection", "trust", "familiarity", "updated_at"),
)


def relationship_for(connection: Connection, viewer: Viewer, policy: Policy) -> Relationship:
    """How the character stands to the viewer's user, as far as this conversation may feel it (R1.17)."""
    where = {"of_character": viewer.character_id, "of_user": viewer.user_id}
    reached = reachable(viewer, policy)
    total = Relationship()
    for row in connection.execute(_OF_PERSON, where):
        origin = Origin(row.conversation_id, (row.user_id,), row.updated_at)
        if row.conversation_id in reached and may_see(viewer, origin, policy):
            total += Relationship(row.affection, row.trust, row.familiarity)
    return total


def change_relationship(connection: Connection, viewer: Viewer, change: Relationship, at: datetime) -> None:
    """Let something happen between the character and the viewer's user in this conversation."""
    where = {"of_character": viewer.character_id, "of_user": viewer.user_id}
    rows = {row.conversation_id: row for row in connection.execute(_OF_PERSON, where)}
    held = rows.get(viewer.conversation_id)
    new = (Relationship(held.affection, held.trust, held.familiarity) if held else Relationship()) + change
    connection.execute(
        _KEEP.on(connection),
        {
            "character_id": viewer.character_id,
            "user_id": viewer.user_id,
            "conversation_id": viewer.conversation_id,
            "affection": new.affection,
            "trust": new.trust,
            "familiarity": new.familiarity,
            "updated_at": at,
        },
    )
