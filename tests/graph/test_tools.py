"""R2.8–R2.12: the tools as data fit the methods that run them."""

import inspect

import pytest
from pydantic import ValidationError

from nonebot_plugin_memoryfs.graph import TOOLS, MemoryGraph, Tool

REWRITE = "context_rewrite"
NAMES = ["memory_commit", "memory_recall", "memory_purge", "task_create", "task_set_state", REWRITE]


def test_r2_08_the_tools_are_named_as_in_the_seed() -> None:
    assert [tool.name for tool in TOOLS] == NAMES


@pytest.mark.parametrize("tool", [t for t in TOOLS if t.name != REWRITE], ids=lambda tool: tool.name)
def test_r2_20_arguments_are_those_of_the_method(tool: Tool) -> None:
    parameters = inspect.signature(getattr(MemoryGraph, tool.name)).parameters
    assert list(parameters)[1] == "scope"
    assert set(tool.arguments.model_fields) <= set(parameters)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_r2_08_tools_and_arguments_are_described_in_short(tool: Tool) -> None:
    schema = tool.arguments.model_json_schema()
    assert all("description" in field for field in schema["properties"].values())
    assert len(tool.description) < 80


def test_r2_08_arguments_are_checked() -> None:
    commit = TOOLS[0].arguments
    good = {"triplets": [{"subject": "用户", "relation": "喜欢", "object": "摇滚"}]}
    assert commit.model_validate(good)
    long = {"subject": "x" * 65, "relation": "r", "object": "o"}
    refused: list[dict[str, list[dict[str, str]]]] = [{}, {"triplets": []}, {"triplets": [long]}]
    for bad in refused:
        with pytest.raises(ValidationError):
            commit.model_validate(bad)
    with pytest.raises(ValidationError):
        TOOLS[4].arguments.model_validate({"task_id": "Task_1", "state": "归档"})


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_r2_08_the_schema_is_made_once(tool: Tool) -> None:
    assert tool.schema == tool.arguments.model_json_schema()
    assert tool.schema is tool.schema
