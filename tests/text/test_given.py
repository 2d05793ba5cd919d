"""R2.20: what is wrong with an argument is said by its name, and shortly."""

import pytest

from nonebot_plugin_memoryfs.text.given import (
    not_list,
    not_text,
    not_text_or_none,
    not_texts,
    not_whole,
    not_whole_or_none,
)


@pytest.mark.parametrize("value", [None, 5, b"x", ["a"], object()])
def test_r2_20_what_is_no_text_is_named(value: object) -> None:
    assert not_text(good="", subject=value).startswith("subject 需要是文字")
    assert not_text(subject="文字") == ""


@pytest.mark.parametrize("value", [None, "2", 1.5, True, 10**30, [1]])
def test_r2_20_what_is_no_whole_number_is_named(value: object) -> None:
    assert not_whole(depth=value).startswith("depth 需要是整数")
    assert not_whole(depth=-3) == ""


@pytest.mark.parametrize("value", [None, 5, "abc", b"abc", {"a": 1}])
def test_r2_20_what_is_no_list_is_named(value: object) -> None:
    assert not_list(triplets=value).startswith("triplets 需要是列表")
    assert not_list(triplets=iter("ab")) == not_list(triplets=()) == ""


def test_r2_20_what_may_be_left_out_may_be_none() -> None:
    assert not_text_or_none(a=None, b="x") == not_whole_or_none(a=None, b=1) == ""
    assert not_text_or_none(a=None, b=1).startswith("b")
    assert not_whole_or_none(a=None, b="1").startswith("b")


def test_r2_20_a_long_value_is_told_shortly() -> None:
    assert len(not_text(x=["很长"] * 1_000)) < 80


def test_r2_20_a_number_out_of_range_is_told_the_range() -> None:
    assert "2147483647" in not_whole(depth=10**30)


def test_r2_20_one_that_is_no_text_among_many_is_named() -> None:
    assert not_texts(info_nodes=["a", 5]).startswith("info_nodes 需要是文字")
    assert not_texts(info_nodes=[], source_ids=["a"]) == ""
