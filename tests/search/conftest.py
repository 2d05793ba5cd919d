"""What was said is found again on both databases."""

from ..postgres import parametrise as pytest_generate_tests  # noqa: F401
