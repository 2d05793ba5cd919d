"""The heartbeats in the database: what is due, claimed with an expiry, followed from the turns (R5.1).

Every function works inside a transaction of the caller.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, or_, select, update

from ..character import Rhythm
from ..scope import kind_of
from ..storage.life_tables import heartbeats, life_state
from ..storage.tables import turns
from ..storage.upserts import insert_or_ignore
from .rules import Pulse, Rules

CLAIM = timedelta(minutes=10)
"""How long a claim holds; a process that died leaves it behind."""

_STATE = 1
_FREE = or_(heartbeats.c.claimed_until.is_(None), heartbeats.c.claimed_until <= bindparam("now"))
_THIS = (
    heartbeats.c.character_id == bindparam("of_character"),
    heartbeats.c.conversation_id == bindparam("of_conversation"),
)

_READ_STATE = select(life_state)
_BEGIN = insert_or_ignore(life_state)
_NEWEST_ID = select(func.coalesce(func.max(turns.c.id), 0))
_ANY_DUE = select(heartbeats.c.due_at).where(heartbeats.c.due_at <= bindparam("now"), _FREE).limit(1)
_DUE = (
    select(heartbeats)
    .where(heartbeats.c.due_at <= bindparam("now"), _FREE)
    .order_by(heartbeats.c.due_at)
    .limit(1)
)
_HEARD = (
    select(turns.c.character_id, turns.c.conversation_id, func.max(turns.c.opened_at).label("at"))
    .where(turns.c.id > bindparam("after"), turns.c.id <= bindparam("until"))
    .group_by(turns.c.character_id, turns.c.conversation_id)
)
_NEWEST_TURN = (
    select(turns.c.opened_at)
    .where(
        turns.c.character_id == bindparam("of_character"),
        turns.c.conversation_id == bindparam("of_conversation"),
    )
    .order_by(turns.c.id.desc())
    .limit(1)
)
_ONE = select(heartbeats).where(*_THIS)
_NEW = insert_or_ignore(heartbeats)
_STATE_OF_PULSE = ("seen_at", "last_at", "backoff", "day", "today", "failures", "due_at")
_KEEP = update(heartbeats).where(*_THIS).values({name: bindparam(f"new_{name}") for name in _STATE_OF_PULSE})
_CLAIM = (
    update(heartbeats).where(*_THIS, _FREE).values(claim=bindparam("token"), claimed_until=bindparam("until"))
)
_RELEASE = (
    update(heartbeats)
    .where(*_THIS, heartbeats.c.claim == bindparam("token"))
    .values(claim=None, claimed_until=None)
)
_CHOOSE = update(heartbeats).where(*_THIS).values(chosen=bindparam("on"))
_COUNT_SHORT = update(heartbeats).where(*_THIS).values(short=heartbeats.c.short + 1)
_REFUSE = (
    update(heartbeats)
    .where(*_THIS)
    .values(dropped=heartbeats.c.dropped + 1, refusal=bindparam("why"), refused_at=bindparam("now"))
)
_FORGET = delete(heartbeats).where(heartbeats.c.chosen.is_(None), heartbeats.c.seen_at < bindparam("before"))


@dataclass(frozen=True, slots=True)
class Claim:
    """One heartbeat that this process, and no other, may answer until the claim ends."""

    pulse: Pulse
    token: str
    at: datetime
    by_hand: bool = False
    """Whether a person asked for it (`/心跳 立即`), who need not be absent."""


@dataclass(frozen=True, slots=True)
class Pulses:
    """Reads and writes of heartbeats by these rules."""

    rules: Rules
    rhythm_of: Callable[[str], Rhythm]
    """Character id → its clock."""
    web_on: bool
    """Whether web chats have a life where nobody chose (R5.2)."""

    # ---- the tick

    def begin(self, connection: Connection) -> None:
        """Take note of where the turns stand, the first time."""
        newest = connection.scalar(_NEWEST_ID)
        row = {"id": _STATE, "enabled": True, "turn_id": newest, "failures": 0, "quiet_until": None}
        connection.execute(_BEGIN.on(connection), row)

    def anything(self, connection: Connection, now: datetime) -> bool:
        """Whether a tick has anything to do: a few look-ups in indexes, whatever the number of chats."""
        state = connection.execute(_READ_STATE).one()
        if not state.enabled or (state.quiet_until and now < state.quiet_until <= now + self.rules.longest):
            return False
        if connection.scalar(_NEWEST_ID) > state.turn_id:
            return True
        return connection.scalar(_ANY_DUE, {"now": now}) is not None

    def claim(self, connection: Connection, now: datetime, token: str) -> Claim | None:
        """The longest overdue heartbeat, claimed; `None` where nothing is due."""
        self.follow(connection)
        while (row := connection.execute(_DUE, {"now": now}).one_or_none()) is not None:
            pulse = self._pulse(row)
            if pulse.on and pulse.due(self.rules, self.rhythm_of(pulse.character_id)) <= now:
                self._take(connection, pulse, now, token)
                return Claim(pulse, token, now)
            self.keep(connection, pulse)  # the rules, or what is on by default, changed since
        return None

    def claim_by_hand(self, connection: Connection, row: Row[Any], now: datetime, token: str) -> Claim | None:
        """This heartbeat, claimed though it is not due; `None` while somebody works on it."""
        pulse = self._pulse(row)
        return Claim(pulse, token, now, by_hand=True) if self._take(connection, pulse, now, token) else None

    def follow(self, connection: Connection) -> None:
        """Take the turns since the last time into account: who spoke is not absent (R5.2)."""
        state = connection.execute(_READ_STATE).one()
        until = connection.scalar(_NEWEST_ID) or 0
        if until <= state.turn_id:
            return
        for heard in connection.execute(_HEARD, {"after": state.turn_id, "until": until}).all():
            row = self.find(connection, heard.character_id, heard.conversation_id)
            if row is None and self.web_on and kind_of(heard.conversation_id) == "web":
                row = self._create(connection, heard.character_id, heard.conversation_id, heard.at)
            if row is not None:
                self.keep(connection, self._pulse(row).heard(heard.at))
        connection.execute(update(life_state).values(turn_id=until))

    # ---- what came of a claim

    def settle(self, connection: Connection, claim: Claim) -> Pulse | None:
        """Give a claim back; the pulse as it stands now, if something may still come of the claim.

        `None` where it was lost to another process, where it was switched off meanwhile, or where somebody
        is back who was absent.
        """
        key = _key(claim.pulse)
        if connection.execute(_RELEASE, {**key, "token": claim.token}).rowcount == 0:
            return None
        self.follow(connection)
        pulse = self._pulse(connection.execute(_ONE, key).one())
        back = pulse.seen_at > claim.pulse.seen_at and not claim.by_hand
        return pulse if pulse.on and not back and self.enabled(connection) else None

    def written(self, connection: Connection, pulse: Pulse, claim: Claim, *, short: bool) -> None:
        """After a fragment was stored."""
        rhythm = self.rhythm_of(pulse.character_id)
        self.keep(connection, pulse.written(claim.at, rhythm, by_hand=claim.by_hand))
        if short:
            connection.execute(_COUNT_SHORT, _key(pulse))

    def dropped(self, connection: Connection, pulse: Pulse, at: datetime, why: str) -> None:
        """After every try was refused: counted, and the next one follows an interval later (R5.5)."""
        connection.execute(_REFUSE, {**_key(pulse), "why": why, "now": at})
        self._keep(connection, pulse, at + self.rules.interval)

    def failed(self, connection: Connection, pulse: Pulse | None, at: datetime) -> int:
        """After the model gave no answer: it and this chat wait. How often in a row it failed."""
        failures: int = connection.execute(_READ_STATE).one().failures + 1
        quiet_until = at + self.rules.pause(failures)
        connection.execute(update(life_state).values(failures=failures, quiet_until=quiet_until))
        if pulse is not None:
            waiting = replace(pulse, failures=pulse.failures + 1)
            self._keep(connection, waiting, at + self.rules.gap(pulse.failures))
        return failures

    def answered(self, connection: Connection) -> int:
        """After the model answered; how often in a row it had failed before."""
        failures: int = connection.execute(_READ_STATE).one().failures
        if failures:
            connection.execute(update(life_state).values(failures=0, quiet_until=None))
        return failures

    # ---- switches

    def paused_until(self, connection: Connection) -> datetime | None:
        """Until when a failing model is left alone."""
        return connection.execute(_READ_STATE).one().quiet_until

    def enabled(self, connection: Connection) -> bool:
        """The global switch (R5.7)."""
        return bool(connection.execute(_READ_STATE).one().enabled)

    def enable(self, connection: Connection, on: bool) -> None:
        """Turn the global switch."""
        connection.execute(update(life_state).values(enabled=on))

    def choose(
        self, connection: Connection, character_id: str, conversation_id: str, on: bool, now: datetime
    ) -> None:
        """Switch one heartbeat on or off; absence counts from the last turn, else from now, at the latest."""
        self.follow(connection)
        row = self.find(connection, character_id, conversation_id)
        if row is None:
            key = {"of_character": character_id, "of_conversation": conversation_id}
            seen = connection.scalar(_NEWEST_TURN, key) or now
            row = self._create(connection, character_id, conversation_id, seen)
        pulse = self._pulse(row)
        connection.execute(_CHOOSE, {**_key(pulse), "on": on})
        chosen = self._pulse(self.find(connection, character_id, conversation_id))
        self.keep(connection, chosen.not_after(now))

    def find(self, connection: Connection, character_id: str, conversation_id: str) -> Row[Any] | None:
        """The row of a heartbeat."""
        key = {"of_character": character_id, "of_conversation": conversation_id}
        return connection.execute(_ONE, key).one_or_none()

    def is_on(self, row: Row[Any] | None) -> bool:
        """Whether a heartbeat is on: as chosen, or by default."""
        if row is None:
            return False
        return bool(row.chosen) if row.chosen is not None else self._on_by_default(row.conversation_id)

    def forget(self, connection: Connection, before: datetime) -> int:
        """Drop heartbeats nobody chose where nobody has spoken since; how many."""
        return connection.execute(_FORGET, {"before": before}).rowcount

    def keep(self, connection: Connection, pulse: Pulse) -> None:
        """Store a pulse with the time it is due by the rules."""
        due = pulse.due(self.rules, self.rhythm_of(pulse.character_id)) if pulse.on else None
        self._keep(connection, pulse, due)

    # ---- rows

    def _on_by_default(self, conversation_id: str) -> bool:
        return self.web_on and kind_of(conversation_id) == "web"

    def _create(
        self, connection: Connection, character_id: str, conversation_id: str, seen: datetime
    ) -> Row[Any]:
        row = {
            "character_id": character_id,
            "conversation_id": conversation_id,
            "seen_at": seen,
            "backoff": 0,
            "day": "",
            "today": 0,
            "failures": 0,
            "short": 0,
            "dropped": 0,
            "refusal": "",
        }
        connection.execute(_NEW.on(connection), row)
        key = {"of_character": character_id, "of_conversation": conversation_id}
        return connection.execute(_ONE, key).one()

    def _take(self, connection: Connection, pulse: Pulse, now: datetime, token: str) -> bool:
        values = {**_key(pulse), "now": now, "token": token, "until": now + CLAIM}
        return connection.execute(_CLAIM, values).rowcount == 1

    def _keep(self, connection: Connection, pulse: Pulse, due: datetime | None) -> None:
        values = {f"new_{name}": getattr(pulse, name) for name in _STATE_OF_PULSE if name != "due_at"}
        connection.execute(_KEEP, {**_key(pulse), **values, "new_due_at": due})

    def _pulse(self, row: Row[Any] | None) -> Pulse:
        assert row is not None
        return Pulse(
            character_id=row.character_id,
            conversation_id=row.conversation_id,
            on=self.is_on(row),
            seen_at=row.seen_at,
            last_at=row.last_at,
            backoff=row.backoff,
            day=row.day,
            today=row.today,
            failures=row.failures,
        )


def _key(pulse: Pulse) -> dict[str, Any]:
    return {"of_character": pulse.character_id, "of_conversation": pulse.conversation_id}
