"""The tools as text, for models that are not given them natively (R3.8)."""

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ..graph.tools import Tool
from .slots import TOOLS_TITLE


def tools_text(tools: Iterable[Tool]) -> str:
    """Names, descriptions and arguments under a heading; empty without tools."""
    lines = [line for tool in tools for line in _lines(tool)]
    return "\n".join((f"## {TOOLS_TITLE}", *lines)) if lines else ""


def _lines(tool: Tool) -> Iterator[str]:
    yield f"- {tool.name}：{tool.description}"
    yield from _arguments(tool.arguments)


def _arguments(model: type[BaseModel], indent: str = "  ") -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield f"{indent}- {name}（{_need(field)}）：{field.description}"
        if inner := _model_in(field.annotation):
            yield from _arguments(inner, f"{indent}  ")


def _need(field: FieldInfo) -> str:
    if field.is_required():
        return "必填"
    default = field.get_default(call_default_factory=True, validated_data={})
    return f"默认 {default}" if default else "可不填"


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model in a list of models, if it is one."""
    inside = (part for part in get_args(annotation) if inspect.isclass(part))
    return next((part for part in inside if issubclass(part, BaseModel)), None)
