"""What there is to import below a path, recognised by name and form; nothing is written here (R6.6).

The upstream's `memory_fs.json`, `memories.json` (new and old form), `resources/prompts/`, `personality.json`,
`custom_personality_presets.json` and its plain config bundle, which holds these; a TrulyMEM `memory.db`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any, cast

from ..errors import InvalidInput
from ..prompt.manager import FOLDER as PROMPTS
from ..storage.face_file import parse

KNOWN_FORMS = (
    "memory_fs.json、memories.json、personality.json、custom_personality_presets.json、"
    "不加密的配置包（.json 或 .nbotcfg）、resources/prompts 或 TrulyMEM 的 memory.db"
)
_FOLDERS = ("", "web", "data", "data/web")
"""Where the upstream keeps its files, below the folder that is given."""
_PERSONALITY, _PRESETS = "personality.json", "custom_personality_presets.json"
_NAMES = ("memory_fs.json", "memories.json", _PRESETS)
_BUNDLE = "nbot_config_bundle"
_SUFFIXES = (".json", ".nbotcfg", ".db")
_PACKED = (b"PK\x03\x04", b"PK\x05\x06")
_OF_A_CARD = ("systemPrompt", "basicInfo", "personality", "spec")


class Kind(Enum):
    """What a part of a source is."""

    FILES = auto()
    """Memory files: path → record."""
    NOTES = auto()
    """A list of notes."""
    CARDS = auto()
    """A list of character cards."""
    PROMPTS = auto()
    """A folder of prompt files."""
    GRAPH = auto()
    """A `memory.db`."""
    UNUSED = auto()
    """Names of what is not taken: settings of the other program."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to import."""

    kind: Kind
    source: Path
    data: Any = None
    """What was parsed; nothing for a folder or a database."""


def parts_of(path: Path) -> list[Part]:
    """All there is to import of a file or folder, read and recognised.

    Raises:
        InvalidInput: there is nothing of a known form, or something that can't be read; says what is allowed.
    """
    if not path.exists():
        raise InvalidInput(f"没有 {path} 这个文件或目录")
    found = [part for source in _sources(path) for part in _parts(source)]
    if not any(part.kind is not Kind.UNUSED for part in found):
        raise InvalidInput(f"{path} 里没有认识的记忆：{KNOWN_FORMS}")
    return found


def _sources(path: Path) -> Iterator[Path]:
    if path.is_file():
        if path.suffix.lower() == ".zip":
            raise InvalidInput(_packed(path))
        yield from [path] if path.suffix.lower() in _SUFFIXES else []
    elif _is_prompts(path):
        yield path
    else:
        files = (path / folder / name for folder in _FOLDERS for name in _NAMES)
        yield from filter(Path.is_file, files)
        yield from filter(Path.is_dir, [path / PROMPTS])


def _is_prompts(folder: Path) -> bool:
    files = any((folder / name).is_file() for name in ("neko.txt", _PERSONALITY))
    return files or (folder / "user").is_dir() or (folder / "group").is_dir()


def _parts(source: Path) -> Iterator[Part]:
    if source.is_dir():
        yield Part(Kind.PROMPTS, source)
        if (card := source / _PERSONALITY).is_file():
            yield Part(Kind.CARDS, card, [_parsed(card)])
    elif source.suffix.lower() == ".db":
        yield Part(Kind.GRAPH, source)
    else:
        yield from _recognised(source, _parsed(source))


def _recognised(source: Path, data: dict[str, Any] | list[Any]) -> Iterator[Part]:
    if isinstance(data, list):
        yield Part(Kind.CARDS if source.name == _PRESETS else Kind.NOTES, source, data)
    elif data.get("type") == _BUNDLE:
        yield from _of_bundle(source, data)
    elif source.name == _PERSONALITY or _is_card(data):
        yield Part(Kind.CARDS, source, [data])
    else:
        yield Part(Kind.FILES, source, data)


def _is_card(data: Mapping[str, Any]) -> bool:
    named = "name" in data or "data" in data
    return named and any(name in data for name in _OF_A_CARD)


def _of_bundle(source: Path, bundle: Mapping[str, Any]) -> Iterator[Part]:
    """The parts of a config bundle that are memory; its keys and models are the other program's own."""
    if bundle.get("encrypted") or "payload" in bundle:
        raise InvalidInput(f"{source} 是加密的配置包，打不开：请在原来的程序里导出一份不加密的")
    configs = bundle.get("configs")
    if not isinstance(configs, dict):
        raise InvalidInput(f"{source} 里的 configs 应是一个 JSON 对象")
    held = {str(k): v for k, v in cast(dict[Any, Any], configs).items() if v not in (None, "", [], {})}
    forms: tuple[tuple[str, Kind, type], ...] = (
        ("memory_fs", Kind.FILES, dict),
        ("memories", Kind.NOTES, list),
        ("personality", Kind.CARDS, dict),
        ("custom_personality_presets", Kind.CARDS, list),
    )
    for name, kind, form in forms:
        if (data := held.pop(name, None)) is None:
            continue
        if not isinstance(data, form):
            allowed = " JSON 对象" if form is dict else "列表"
            raise InvalidInput(f"{source} 里的 configs.{name} 应是一个{allowed}")
        yield Part(kind, source, [data] if kind is Kind.CARDS and form is dict else data)
    if held:
        yield Part(Kind.UNUSED, source, sorted(held))


def _parsed(source: Path) -> dict[str, Any] | list[Any]:
    raw = _bytes(source)
    if raw.startswith(_PACKED):
        raise InvalidInput(_packed(source))
    try:
        data = parse(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source} 读不了：{error}") from None
    if not isinstance(data, dict | list):
        raise InvalidInput(f"{source} 应是一个 JSON 对象或列表")
    return cast(dict[str, Any] | list[Any], data)


def _bytes(source: Path) -> bytes:
    try:
        return source.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{source} 读不了：{error}") from None


def _packed(source: Path) -> str:
    return f"{source} 是压缩包，请先解开；能导入的是：{KNOWN_FORMS}"
