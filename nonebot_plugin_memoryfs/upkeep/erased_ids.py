"""Who, or which group, was erased, without their ids: what a restored backup must let go of again (R6.5).

A digest keeps an id out of sight and in no file; it does not hide a short number from somebody who tries all.
"""

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from ..errors import InvalidInput
from ..storage.face_file import create, replace
from ..storage.tables import erasures

FILE = "erasures.json"
"""Beside the backups: a backup is older than the erasures that must be applied to it."""


@dataclass(frozen=True, slots=True)
class SealedId:
    """A person, or a group's conversation, that was erased."""

    salt: str
    digest: str
    at: datetime

    def is_of(self, user_id: str) -> bool:
        """Whether it is this person."""
        return self.digest == _digest(self.salt, user_id)


def sealed(user_id: str, at: datetime) -> dict[str, Any]:
    """The row that stands for a person who is erased now."""
    salt = secrets.token_hex(8)
    return {"salt": salt, "digest": _digest(salt, user_id), "at": at}


def sealed_ids(connection: Connection) -> list[SealedId]:
    """Everybody who was erased."""
    query = select(erasures.c.salt, erasures.c.digest, erasures.c.at).order_by(erasures.c.at)
    return [SealedId(*row) for row in connection.execute(query)]


def write_sealed(path: Path, ids: Sequence[SealedId]) -> None:
    """Write them down beside the backups."""
    rows = [{"salt": one.salt, "digest": one.digest, "at": one.at.isoformat()} for one in ids]
    temporary = path.with_name(f".{path.name}.tmp")
    with create(temporary) as file:
        file.write(json.dumps(rows, indent=1).encode())
    replace(path, temporary)


def read_sealed(path: Path) -> list[SealedId]:
    """Those written down in a file; none where there is no file.

    Raises:
        InvalidInput: it is no such file.
    """
    try:
        rows: Any = json.loads(path.read_bytes())
        return [
            SealedId(str(row["salt"]), str(row["digest"]), datetime.fromisoformat(row["at"])) for row in rows
        ]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"{path} 不是清除记录，读不了：{error!r}") from None


def erased_since(user_ids: Iterable[str], ids: Sequence[SealedId], since: datetime) -> list[str]:
    """Those of these people who were erased after a time."""
    late = [one for one in ids if one.at >= since]
    return [user_id for user_id in user_ids if any(one.is_of(user_id) for one in late)]


def _digest(salt: str, user_id: str) -> str:
    return hashlib.blake2b(user_id.encode("utf-8", "surrogatepass"), salt=salt.encode()[:16]).hexdigest()[:64]
