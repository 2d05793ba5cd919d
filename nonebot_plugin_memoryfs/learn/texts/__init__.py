"""The fixed text of the extraction, as a file beside the code."""

from functools import cache
from importlib.resources import files


@cache
def extraction_text() -> str:
    """What a model is told about extracting memories (R4.9)."""
    return files(__name__).joinpath("extraction.md").read_text("utf-8").strip()
