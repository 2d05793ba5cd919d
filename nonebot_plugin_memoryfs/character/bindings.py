"""Which character plays where: a chat's own binding, then the account's, then the default one (R3.11)."""

from collections.abc import Iterator, Mapping

from sqlalchemy import bindparam, delete, select

from ..errors import InvalidInput
from ..storage import Store
from ..storage.prompt_tables import bindings
from ..storage.upserts import upsert
from .roster import Roster

_OF = select(bindings.c.character_id).where(bindings.c.conversation_id == bindparam("of_conversation"))
_ALL = select(bindings.c.conversation_id, bindings.c.character_id).order_by(bindings.c.conversation_id)
_BIND = upsert(bindings, ["conversation_id"], ["character_id", "bound_at"])
_UNBIND = delete(bindings).where(bindings.c.conversation_id == bindparam("of_conversation"))


class Bindings:
    """Who is spoken to, by conversation and account. Thread-safe; memory is each character's own."""

    def __init__(self, store: Store, roster: Roster, accounts: Mapping[str, str]) -> None:
        """Read and write the bindings of a store.

        Args:
            store: where they are kept.
            roster: who there is.
            accounts: bot account → character (setting `CHARACTERS`).
        """
        self._store = store
        self._roster = roster
        self._accounts = accounts

    def character_of(self, account: str, conversation_id: str) -> str:
        """The character a bot account plays in a conversation."""
        return self.bound(conversation_id) or self._accounts.get(account, self._roster.default)

    def bound(self, conversation_id: str) -> str | None:
        """The character a conversation itself is bound to."""
        with self._store.database.read() as connection:
            return connection.scalar(_OF, {"of_conversation": conversation_id})

    def all(self) -> dict[str, str]:
        """Conversation → character, of every conversation bound to one."""
        with self._store.database.read() as connection:
            return {row.conversation_id: row.character_id for row in connection.execute(_ALL)}

    def bind(self, conversation_id: str, character_id: str) -> None:
        """Let a character play in a conversation from now on; what was said to others stays theirs.

        Raises:
            InvalidInput: there is no such character; the message names those there are.
        """
        if not conversation_id.strip():
            raise InvalidInput("会话不能为空")
        if character_id not in self._roster:
            raise InvalidInput(f"没有叫 {character_id[:40]!r} 的角色，{self._there_are()}")
        row = {"conversation_id": conversation_id, "character_id": character_id}
        with self._store.database.write() as connection:
            connection.execute(_BIND.on(connection), {**row, "bound_at": self._store.clock()})

    def unbind(self, conversation_id: str) -> bool:
        """Let the account's character play there again; whether there was a binding."""
        with self._store.database.write() as connection:
            return connection.execute(_UNBIND, {"of_conversation": conversation_id}).rowcount > 0

    def problems(self) -> Iterator[str]:
        """What to tell the operator: settings and bindings that name a character without a card."""
        named = {"设置 CHARACTER": self._roster.default}
        named |= {f"设置 CHARACTERS 里账号 {account}": i for account, i in self._accounts.items()}
        named |= {f"会话 {conversation_id} 的绑定": i for conversation_id, i in self.all().items()}
        for where, character_id in named.items():
            if not self._roster.has_card(character_id):
                used = self._roster.card(character_id).name
                yield (
                    f"{where}：角色 {character_id!r} 没有可用的角色卡，先用“{used}”的卡；{self._there_are()}"
                )

    def _there_are(self) -> str:
        return "现有角色：" + "、".join(f"{card.id}（{card.name}）" for card in self._roster.cards())
