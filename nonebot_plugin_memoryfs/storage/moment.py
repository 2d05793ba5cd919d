"""Times in the database: ISO-8601 text in UTC with microseconds, which sorts as text everywhere."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator


class Moment(TypeDecorator[datetime]):
    """A timezone-aware time, kept as sortable UTC text."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """Aware time → UTC text. Raises `ValueError` for a naive one."""
        return None if value is None else moment_text(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """UTC text → aware time."""
        return None if value is None else datetime.fromisoformat(value)


def moment_text(value: datetime) -> str:
    """Aware time → UTC text, as it is stored. Raises `ValueError` for a naive one."""
    if value.tzinfo is None:
        raise ValueError(f"a stored time needs a time zone, got {value!r}")
    return value.astimezone(UTC).isoformat(timespec="microseconds")
