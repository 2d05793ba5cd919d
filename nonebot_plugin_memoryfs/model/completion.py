"""What an endpoint answers, made a chat completion where it nearly is one (R4.13).

The client library checks nothing it receives, and the model library takes nothing that is not exact.
Endpoints that call themselves compatible leave out, or spell otherwise, what a turn has no use for; what it
needs is never made up. Pure: a parsed answer in, one out.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

_ERRORS = ("error", "error_msg", "message", "msg", "detail")
"""Where endpoints say what went wrong."""


class NoCompletion(Exception):
    """An endpoint answered with something else than a chat completion; the message is its own words."""


def mended(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The first choice of an answer as an exact chat completion; fields that say nothing to a turn are set.

    Raises:
        NoCompletion: there is no message in it.
    """
    choice = next((item for item in _objects(answer.get("choices")) if item.get("message")), None)
    message = choice and choice["message"]
    if not choice or not isinstance(message, dict):
        raise NoCompletion(words_of(dict(answer)) or "没有 choices 或 message")
    finish = choice.get("finish_reason")
    return {
        "id": "",
        "object": "chat.completion",
        "created": 0,
        "model": "",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish if isinstance(finish, str) else "stop",
                "message": _message(cast("dict[str, Any]", message)),
            }
        ],
        "usage": _usage(answer.get("usage")),
    }


def words_of(body: object) -> str:
    """What a refusal or a strange answer says, in the endpoint's own words; empty where it says nothing."""
    if not isinstance(body, dict):
        return "" if body is None else str(body)
    told = cast("dict[str, object]", body)
    return next((words for key in _ERRORS if (words := words_of(told.get(key)))), "")


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """What was said, thought and called; a refusal is what was said."""
    thoughts = {
        key: value for key in ("reasoning", "reasoning_content") if isinstance(value := message.get(key), str)
    }
    return {
        "role": "assistant",
        "content": message.get("content") or message.get("refusal"),
        "tool_calls": list(_calls(message.get("tool_calls"))) or None,
        **thoughts,
    }


def _calls(calls: object) -> Iterator[dict[str, Any]]:
    """The calls that name a function; without an id they get one from the model library."""
    for call in _objects(calls):
        function = call.get("function")
        if isinstance(function, dict) and isinstance(
            name := cast("dict[str, Any]", function).get("name"), str
        ):
            arguments = cast("dict[str, Any]", function).get("arguments")
            text = (
                arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
            )
            id = call.get("id")
            yield {
                "id": id if isinstance(id, str) else "",
                "type": "function",
                "function": {"name": name, "arguments": text},
            }


def _usage(told: object) -> dict[str, int] | None:
    """The two counts, where they are counts; else they are estimated."""
    usage = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    sent, written = (usage.get(name) for name in ("prompt_tokens", "completion_tokens"))
    if not (_is_count(sent) and _is_count(written)):
        return None
    sent, written = cast("tuple[int, int]", (sent, written))
    return {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**53


def _objects(value: object) -> list[dict[str, Any]]:
    """The JSON objects of a list; nothing of anything else."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]
