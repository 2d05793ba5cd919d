"""R3.11: cards in PNG files, whole ones and hostile ones."""

import struct
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.character import load_card
from nonebot_plugin_memoryfs.character.png import MAX_TEXT, texts_of
from nonebot_plugin_memoryfs.errors import InvalidInput, TooLong

from .making import chunk, in_base64, png, text, v2, v3

V2, V3 = in_base64(v2()), in_base64(v3())


def compressed(keyword: str, content: bytes) -> bytes:
    return chunk(b"zTXt", keyword.encode() + b"\0\0" + zlib.compress(content))


def international(keyword: str, content: bytes, *, packed: bool) -> bytes:
    head = keyword.encode() + (b"\0\1\0" if packed else b"\0\0\0") + b"zh\0" + "角色".encode() + b"\0"
    return chunk(b"iTXt", head + (zlib.compress(content) if packed else content))


@pytest.mark.parametrize(
    "chunks",
    [
        [text("chara", V2)],
        [text("Comment", b"hi"), text("chara", V2)],
        [text("chara", V2[:100] + b"\r\n" + V2[100:] + b"\n")],
        [compressed("chara", V2)],
        [international("chara", V2, packed=False)],
        [international("chara", V2, packed=True)],
        [text("chara", V2), text("chara", b"second")],
        [chunk(b"prIv", b"\xff" * 5000), text("chara", V2)],
    ],
)
def test_r3_11_a_card_is_found_in_a_png(chunks: list[bytes]) -> None:
    card = load_card(png(*chunks), "bookshop")
    assert (card.id, card.name) == ("bookshop", "林晚")


def test_r3_11_of_two_cards_in_a_png_the_newer_form_counts() -> None:
    for chunks in ([text("chara", V2), text("ccv3", V3)], [text("ccv3", V3), text("chara", V2)]):
        assert load_card(png(*chunks)).name == "阿晚"


def test_r3_11_the_text_may_stand_behind_the_picture() -> None:
    data = png(end=False) + text("chara", V2) + chunk(b"IEND", b"") + b"whatever follows"
    assert load_card(data).name == "林晚"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (png(), "没有角色卡（ccv3 或 chara"),
        (png(text("Chara", V2)), "没有角色卡"),
        (png() + text("chara", V2), "没有角色卡"),
        (png(text("chara", V2))[:300], "PNG 不完整"),
        (png(end=False) + b"\0\0", "PNG 不完整：第 55 字节"),
        (png(end=False) + struct.pack(">I4s", 2**32 - 1, b"tEXt"), "PNG 不完整"),
        (png(chunk(b"tEXt", b"chara\0" + V2, crc=1)), "tEXt 数据块校验不符"),
        (png(text("chara", b"!!!")), "chara 不是 base64"),
        (png(text("ccv3", b"abc")), "ccv3 不是 base64"),
        (png(text("chara", b"/////w==")), "chara 不是 base64 编码的 UTF-8"),
        (png(text("chara", b"")), "JSON"),
        (png(chunk(b"zTXt", b"chara\0\0not deflate")), "chara 解不开"),
        (png(chunk(b"zTXt", b"chara")), "JSON"),
        (png(chunk(b"iTXt", b"chara\0\1")), "JSON"),
        (b"\x89PNG\r\n\x1a\n", "没有角色卡"),
        (b"\x89PNG", "UTF-8"),
        (b"\xff\xd8\xff\xe0 a photo", "UTF-8"),
    ],
)
def test_r3_11_a_png_without_a_usable_card_is_refused(data: bytes, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        load_card(data)


@pytest.mark.parametrize("bomb", [compressed, lambda k, c: international(k, c, packed=True)])
def test_r3_11_a_small_chunk_that_unpacks_to_gigabytes_is_refused(bomb: object) -> None:
    assert callable(bomb)
    data = png(bomb("chara", b"\0" * 50_000_000))
    assert len(data) < 60_000
    with pytest.raises(TooLong, match=f"chara 超过 {MAX_TEXT} 字节"):
        load_card(data)


def test_r3_11_a_huge_plain_text_is_refused() -> None:
    with pytest.raises(TooLong, match="chara"):
        load_card(png(text("chara", b"A" * (MAX_TEXT + 1))))


@given(data=st.binary(max_size=300))
def test_r3_11_any_bytes_are_a_card_or_a_clear_error(data: bytes) -> None:
    for start in (b"", b"\x89PNG\r\n\x1a\n", png(end=False)):
        with suppress(InvalidInput):
            load_card(start + data)


@given(at=st.integers(0, len(png(text("chara", V2))) - 1), byte=st.integers(1, 255))
def test_r3_11_a_damaged_png_never_gives_another_card(at: int, byte: int) -> None:
    whole = png(text("chara", V2))
    damaged = whole[:at] + bytes([whole[at] ^ byte]) + whole[at + 1 :]
    try:
        card = load_card(damaged, "c")
    except InvalidInput:
        return
    assert card == load_card(whole, "c")


@given(content=st.binary(max_size=200))
def test_r3_11_texts_come_out_as_they_went_in(content: bytes) -> None:
    for made in (
        text("ccv3", content),
        compressed("ccv3", content),
        international("ccv3", content, packed=True),
        international("ccv3", content, packed=False),
    ):
        assert texts_of(png(made), ["ccv3"]) == {"ccv3": content}
