"""Ids in paths (R1.4) and in tags (R1.7): reversible, readable, never structure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.text.ids import decode_segment, decode_tag, encode_segment, encode_tag

ANY_ID = st.one_of(st.text(), st.text(alphabet="%./\\AF2 09,][\n\u2028\ud800", max_size=12))


@given(ANY_ID)
def test_r1_04_every_id_comes_back_from_its_segment(value: str) -> None:
    assert decode_segment(encode_segment(value)) == value


@given(ANY_ID, ANY_ID)
def test_r1_04_two_ids_never_share_a_segment(one: str, other: str) -> None:
    assert (encode_segment(one) == encode_segment(other)) == (one == other)


@given(ANY_ID)
def test_r1_04_a_segment_is_one_plain_path_segment(value: str) -> None:
    segment = encode_segment(value)
    assert segment
    assert segment not in {".", ".."}
    assert not segment.startswith(".")
    assert not set(segment) & set("/\\\n\r\x00\x7f\u2028\u2029")
    segment.encode()


@pytest.mark.parametrize("value", ["neko", "长门有希", "10001", "group_123", "a b", "猫·娘", "a.b"])
def test_r1_04_readable_ids_stay_readable(value: str) -> None:
    assert encode_segment(value) == value


@pytest.mark.parametrize(
    ("value", "segment"),
    [("a/b", "a%2Fb"), ("..", "%2E%2E"), (".x", "%2Ex"), ("50%", "50%25"), ("", "%")],
)
def test_r1_04_what_would_be_structure_is_encoded(value: str, segment: str) -> None:
    assert encode_segment(value) == segment


@given(ANY_ID)
def test_r1_07_every_id_comes_back_from_its_tag(value: str) -> None:
    assert decode_tag(encode_tag(value)) == value


@given(ANY_ID)
def test_r1_07_a_tag_holds_no_bracket_comma_or_blank(value: str) -> None:
    tag = encode_tag(value)
    assert tag
    assert not set(tag) & set("[],")
    assert not any(c.isspace() for c in tag)


@given(st.text())
def test_r1_04_any_text_can_be_decoded(text: str) -> None:
    assert isinstance(decode_segment(text), str)
    assert isinstance(decode_tag(text), str)


@pytest.mark.parametrize("text", ["%FF", "a%C3", "100%FF", "%E9%95", "%"])
def test_r1_04_what_is_no_encoding_of_ours_is_itself_the_id(text: str) -> None:
    assert decode_tag(text) in (text, "")
    assert decode_segment(text) in (text, "")
