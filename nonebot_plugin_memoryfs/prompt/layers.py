"""The layers of the base prompt: a local JSON store that people may edit while the bot runs (R3.2, R3.3).

`prompts.json` is `{"user": {id: text}, "group": {id: text}, "default": text}`. A blank text is no layer.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast, get_args

from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, delete, insert, select

from ..errors import InvalidInput, Outdated, TooLong
from ..storage import Store
from ..storage.face_source import dump
from ..storage.prompt_tables import layer_history, layers
from ..storage.upserts import upsert
from ..text.cleaning import clean
from ..text.ids import decode_segment, encode_segment

FILE = "prompts.json"
MAX_CHARACTERS = 8000
"""The most one layer may hold."""
MAX_HISTORY = 20
"""Former texts kept of each layer."""

Level = Literal["user", "group", "default"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""The levels, in the order of the file and of the fallback."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer as it is stored."""

    level: Level
    target_id: str
    """Whose it is; empty for the default."""
    content: str
    updated_at: datetime


class Layers:
    """The layers of a store. Thread-safe; not to be called inside a transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._face = store.face(FILE, _LayersFile(store.clock))

    def get(self, level: Level, target_id: str = "") -> str:
        """The text of a layer, edits by hand included; empty where there is none."""
        self._face.pull()
        with self._store.database.read() as connection:
            return _content(connection, level, _target(level, target_id)) or ""

    def save(self, level: Level, target_id: str, content: str, *, expected: str | None = None) -> None:
        """Set a layer; blank removes it. It stands in the file when this returns.

        Args:
            level: which level.
            target_id: whose layer.
            content: its text from now on.
            expected: its text as last seen, empty for none; another one is not overwritten.

        Raises:
            Outdated: it has another text by now.
            InvalidInput: a user or group layer without an id.
            TooLong: the text is over 8,000 characters.
        """
        target_id, content = _target(level, target_id), clean(content)
        _check(level, target_id, content)
        self._face.pull()
        with self._store.database.write() as connection:
            if expected is not None and (_content(connection, level, target_id) or "") != expected:
                raise Outdated("这一层提示词已经变了，什么也没有改；请看看现在的内容")
            _set(connection, level, target_id, content, self._store.clock())
        self._face.push()

    def check(self, level: Level, target_id: str, content: str) -> None:
        """Whether a layer could be set so; nothing is.

        Raises:
            InvalidInput, TooLong: as `save` does.
        """
        _check(level, _target(level, target_id), clean(content))

    def all(self) -> list[Layer]:
        """Every layer, in the order of the file."""
        self._face.pull()
        with self._store.database.read() as connection:
            return list(_all(connection))


class _LayersFile:
    """The table as the records of `prompts.json`: `user/ID`, `group/ID`, `default`."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock

    def rows(self, connection: Connection) -> Iterator[tuple[str, Hashable]]:
        for layer in _all(connection):
            yield _key(layer.level, layer.target_id), layer.content

    def record(self, row: Any) -> Any:
        return row

    def put(self, connection: Connection, key: str, record: Any) -> None:
        level, target_id = _split(key)
        if not isinstance(record, str):
            raise InvalidInput(f"{key} 应是文字，实际是 {type(record).__name__}")
        _check(level, target_id, record)
        _set(connection, level, target_id, record, self._clock())

    def remove(self, connection: Connection, key: str) -> None:
        _set(connection, *_split(key), "", self._clock())

    def unpack(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise InvalidInput(f"应是一个 JSON 对象，键只能是 {'、'.join(LEVELS)}")
        file = cast(dict[str, Any], data)
        for key in file:
            if key not in LEVELS:
                raise InvalidInput(f"不认识的键 {key[:40]!r}，只能是 {'、'.join(LEVELS)}")
        records = {
            _key(level, _target(level, target_id)): text
            for level in LEVELS
            for target_id, text in _by_target(level, file).items()
        }
        return {key: text for key, text in records.items() if not isinstance(text, str) or text.strip()}

    def pack(self, texts: Iterator[tuple[str, str]]) -> Iterator[str]:
        lines: dict[Level, list[str]] = {level: [] for level in LEVELS}
        for key, text in texts:
            level, target_id = _split(key)
            lines[level].append(text if level == "default" else f"    {dump(target_id)}: {text}")
        yield "{\n"
        for level in ("user", "group"):
            yield f'  "{level}": {_block(lines[level])},\n'
        yield f'  "default": {"".join(lines["default"]) or dump("")}\n}}\n'


def _block(lines: list[str]) -> str:
    return "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"


def _by_target(level: Level, file: dict[str, Any]) -> dict[str, Any]:
    """The texts of one level of a parsed file, by target."""
    if level not in file:
        return {}
    texts = file[level]
    if level == "default":
        return {"": texts}
    if not isinstance(texts, dict):
        raise InvalidInput(f"{level} 应是 {{号码: 文字}}，实际是 {type(texts).__name__}")
    return cast(dict[str, Any], texts)


def _target(level: Level, target_id: str) -> str:
    """An id as it is stored."""
    return "" if level == "default" else clean(target_id).strip()


def _key(level: Level, target_id: str) -> str:
    return level if level == "default" else f"{level}/{encode_segment(target_id)}"


def _split(key: str) -> tuple[Level, str]:
    level, _, segment = key.partition("/")
    return cast(Level, level), decode_segment(segment)


def _check(level: Level, target_id: str, content: str) -> None:
    if level != "default" and not target_id:
        raise InvalidInput(f"{level} 的号码不能为空")
    if len(content) > MAX_CHARACTERS:
        raise TooLong(f"{_key(level, target_id)} 的提示词有 {len(content)} 字，最多 {MAX_CHARACTERS} 字")


def _is(table: Table) -> ColumnElement[bool]:
    return and_(table.c.level == bindparam("of_level"), table.c.target_id == bindparam("of_target"))


_CONTENT = select(layers.c.content).where(_is(layers))
_OF_LEVEL = select(layers).where(layers.c.level == bindparam("of_level")).order_by(layers.c.target_id)
_SAVE = upsert(layers, ["level", "target_id"], ["content", "updated_at"])
_REMOVE = delete(layers).where(_is(layers))
_REMEMBER = insert(layer_history)
_newest = (
    select(layer_history.c.id)
    .where(_is(layer_history))
    .order_by(layer_history.c.id.desc())
    .limit(MAX_HISTORY)
)
_TRIM = delete(layer_history).where(_is(layer_history), layer_history.c.id.not_in(_newest))


def _all(connection: Connection) -> Iterator[Layer]:
    for level in LEVELS:
        for row in connection.execute(_OF_LEVEL, {"of_level": level}):
            yield Layer(level, row.target_id, row.content, row.updated_at)


def _content(connection: Connection, level: Level, target_id: str) -> str | None:
    return connection.scalar(_CONTENT, {"of_level": level, "of_target": target_id})


def _set(connection: Connection, level: Level, target_id: str, content: str, now: datetime) -> None:
    """Set or (blank) remove a layer; what it replaces goes into the history."""
    before = _content(connection, level, target_id)
    after = content if content.strip() else None
    if before == after:
        return
    which = {"of_level": level, "of_target": target_id}
    key = {"level": level, "target_id": target_id}
    if before is not None:
        connection.execute(_REMEMBER, {**key, "content": before, "at": now})
        connection.execute(_TRIM, which)
    if after is None:
        connection.execute(_REMOVE, which)
    else:
        connection.execute(_SAVE.on(connection), {**key, "content": after, "updated_at": now})
