"""The fixed texts of the system prompt, as files beside the code."""

from functools import cache
from importlib.resources import files
from typing import Literal


@cache
def fixed_text(name: Literal["safety", "behavior"]) -> str:
    """The text of a stack item that is the same in every turn."""
    return files(__name__).joinpath(f"{name}.md").read_text("utf-8").strip()
