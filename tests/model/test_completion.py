"""R4.13: whatever an endpoint answers is an exact completion, or none and says why."""

from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion

from nonebot_plugin_memoryfs.model.completion import NoCompletion, mended, words_of

KEYS = st.sampled_from(
    ["choices", "message", "content", "refusal", "tool_calls", "function", "name", "arguments", "id", "usage"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "好", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(answer=st.dictionaries(KEYS, JSON, max_size=4), message=st.dictionaries(KEYS, JSON, max_size=4))
def test_r4_13_any_json_is_a_completion_or_none(answer: dict[str, Any], message: dict[str, Any]) -> None:
    for tried in (answer, {**answer, "choices": [{"message": message}]}):
        made = _made(tried)
        if made and isinstance(made["choices"][0]["message"]["content"], str | None):
            ChatCompletion.model_validate(made)


def _made(answer: dict[str, Any]) -> dict[str, Any] | None:
    """The completion, or `None` where the answer says why there is none."""
    with pytest.raises(NoCompletion, match=r".") if not _has_message(answer) else nullcontext():
        return mended(answer)
    return None


def _has_message(answer: dict[str, Any]) -> bool:
    choices = answer.get("choices")
    objects = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
    return isinstance(next((one["message"] for one in objects if one.get("message")), None), dict)


def test_r4_13_the_first_choice_with_a_message_counts() -> None:
    answer = {"choices": [{"message": None}, {"message": {"content": "好"}}, {"message": {"content": "不"}}]}
    assert mended(answer)["choices"][0]["message"]["content"] == "好"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "busy", "code": 1}}, "busy"),
        ({"error": "busy"}, "busy"),
        ({"message": "busy", "type": "x"}, "busy"),
        ({"error": {"code": 7}}, ""),
        ({"error": None, "detail": ["busy"]}, "['busy']"),
        ("busy", "busy"),
        (None, ""),
        ({}, ""),
    ],
)
def test_r4_06_the_endpoint_s_own_words(body: object, words: str) -> None:
    assert words_of(body) == words
