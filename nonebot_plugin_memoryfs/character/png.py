"""The texts a PNG file carries beside its picture, by keyword; pixels are never decoded.

Only the chunks that may hold a card are looked into, each with its checksum and within a limit: neither a
truncated file nor a small chunk that unpacks to gigabytes does harm.
"""

import struct
import zlib
from collections.abc import Collection, Iterator

from ..errors import InvalidInput, TooLong

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_TEXT = 4_000_000
"""Bytes of one text, unpacked."""

_TEXT_KINDS = (b"tEXt", b"zTXt", b"iTXt")


def texts_of(data: bytes, keywords: Collection[str]) -> dict[str, bytes]:
    """Keyword → text, of these keywords; the first of several counts.

    Raises:
        InvalidInput: the file is damaged, or a text can't be unpacked; the message says where.
        TooLong: a text is over its limit.
    """
    found: dict[str, bytes] = {}
    for kind, body in _chunks(data):
        keyword, _, rest = body.partition(b"\0")
        name = keyword.decode("latin-1")
        if name in keywords and name not in found:
            found[name] = _text(kind, name, rest)
    return found


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and body of each text chunk."""
    at = len(SIGNATURE)
    while at < len(data):
        head = data[at : at + 8]
        length, kind = struct.unpack(">I4s", head) if len(head) == 8 else (0, b"")
        end = at + 8 + length
        if not kind or end + 4 > len(data):
            raise InvalidInput(f"PNG 不完整：第 {at} 字节处的数据块被截断")
        if kind == b"IEND":
            return
        if kind in _TEXT_KINDS:
            if zlib.crc32(data[at + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
                raise InvalidInput(f"PNG 已损坏：第 {at} 字节处的 {kind.decode()} 数据块校验不符")
            yield kind, data[at + 8 : end]
        at = end + 4


def _text(kind: bytes, name: str, rest: bytes) -> bytes:
    """The text behind a keyword and its NUL."""
    packed = kind == b"zTXt"
    if packed:
        rest = rest[1:]  # the method: there is only deflate
    elif kind == b"iTXt":
        packed = rest[:1] == b"\1"
        rest = rest[2:].split(b"\0", 2)[-1]  # behind language and translated keyword
    if packed:
        unpack = zlib.decompressobj()
        try:
            rest = unpack.decompress(rest, MAX_TEXT + 1)
        except zlib.error as error:
            raise InvalidInput(f"PNG 里的 {name} 解不开：{error}") from None
    if len(rest) > MAX_TEXT:
        raise TooLong(f"PNG 里的 {name} 超过 {MAX_TEXT} 字节")
    return rest
