"""CQ strings and segments say the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .payloads import at, from_cq, overridden, plain_text, reply, text, to_cq, to_segments

SEGMENTS = st.lists(st.builds(text, st.text(min_size=1)) | st.builds(at, st.text()), max_size=5)


@settings(deadline=None, max_examples=50)
@given(SEGMENTS)
def test_cq_round_trip(segments: list[dict[str, object]]) -> None:
    merged = from_cq(to_cq(segments))
    assert to_cq(merged) == to_cq(segments)
    assert plain_text(merged) == plain_text(segments)
    assert [s for s in merged if s["type"] == "at"] == [s for s in segments if s["type"] == "at"]


@pytest.mark.parametrize(
    ("segments", "code"),
    [
        ([text("a,b")], "a,b"),
        ([text("[CQ:at,qq=1]")], "&#91;CQ:at,qq=1&#93;"),
        ([text("&#91;")], "&amp;#91;"),
        ([reply(7), at("all", name="a,b]"), text(" x")], None),
    ],
)
def test_escaping(segments: list[dict[str, object]], code: str | None) -> None:
    expected = "[CQ:reply,id=7][CQ:at,qq=all,name=a&#44;b&#93;] x" if code is None else code
    assert to_cq(segments) == expected
    assert from_cq(expected) == segments


@pytest.mark.parametrize("message", [7, None, ["x"], [{"type": "text"}], {"data": {}}])
def test_no_segment(message: object) -> None:
    with pytest.raises(ValueError, match="not a message segment"):
        to_segments(message)


def test_one_segment_is_a_message() -> None:
    assert to_segments(text("x")) == [text("x")]


def test_overriding_a_sender_keeps_the_rest() -> None:
    payload = {"time": 1, "sender": {"nickname": "a", "age": 0}}
    changed = overridden(payload, {"time": 2, "sender": {"age": 9}})
    assert changed == {"time": 2, "sender": {"nickname": "a", "age": 9}}
