"""The text index: which documents of a place hold which grams.

Invariants:
- rows of the index are written in the transaction of the rows they stand for;
- every document is counted in its shelf, and its postings are exactly `documents.grams`;
- a posting carries its document's length, so ranking reads nothing else.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import IntEnum

from sqlalchemy import Connection, Integer, Text, bindparam, delete, select

from ..storage.table_parameter import table_parameter
from ..storage.tables import documents, postings, shelves
from ..storage.upserts import insert_or_ignore, upsert
from ..text.grams import grams
from .bulk import insert_rows
from .places import chunks

INDEXED_CHARACTERS = 4_000
"""Of a longer text only so much can be found."""


class Kind(IntEnum):
    """What a document is; `ref` is the id of a row of …"""

    LINE = 1
    """… `lines`: something said."""
    NODE = 2
    """… `nodes`: a name, or what a person is called in this place."""
    RELATION = 3
    """… `relations`: the label of an edge."""


_HELD = select(documents.c.ref, documents.c.length, documents.c.grams).where(
    documents.c.place_id == bindparam("place_id"),
    documents.c.kind == bindparam("kind"),
    documents.c.ref.in_(bindparam("refs", expanding=True)),
)
_ADD = insert_or_ignore(
    documents,
    (documents.c.kind, documents.c.ref),
    rows=table_parameter(
        "texts", place_id=Integer(), kind=Integer(), ref=Integer(), length=Integer(), grams=Text()
    ),
)
_POSTING = ("gram", "place_id", "kind", "ref", "count", "length")
_DROP_DOCUMENT = delete(documents).where(
    documents.c.place_id == bindparam("at_place"),
    documents.c.kind == bindparam("of_kind"),
    documents.c.ref == bindparam("of_ref"),
)
_DROP_POSTING = delete(postings).where(
    postings.c.gram == bindparam("of_gram"),
    postings.c.place_id == bindparam("at_place"),
    postings.c.kind == bindparam("of_kind"),
    postings.c.ref == bindparam("of_ref"),
)


_COUNT = upsert(
    shelves,
    ("place_id", "kind"),
    lambda new: {
        "documents": shelves.c.documents + new.documents,
        "length": shelves.c.length + new.length,
    },
)


def put(connection: Connection, place_id: int, texts: Iterable[tuple[Kind, int, str]]) -> None:
    """Index texts that are not indexed yet; those that are, stay as they are.

    Args:
        connection: the transaction that wrote the rows.
        place_id: where they were said.
        texts: what the row is, its id, and its text.
    """
    for chunk in chunks(texts):
        _put_chunk(connection, place_id, {(kind, ref): text for kind, ref, text in chunk})


def replace(connection: Connection, kind: Kind, place_id: int, ref: int, text: str) -> None:
    """Index a text in the place of what was indexed for this row before."""
    remove(connection, kind, place_id, [ref])
    put(connection, place_id, [(kind, ref, text)])


def remove(connection: Connection, kind: Kind, place_id: int, refs: Sequence[int]) -> None:
    """Take documents out; unknown ones are passed over."""
    for chunk in chunks(refs):
        where = {"place_id": place_id, "kind": int(kind), "refs": chunk}
        held = connection.execute(_HELD, where).all()
        if not held:
            continue
        named = {"at_place": place_id, "of_kind": int(kind)}
        connection.execute(
            _DROP_POSTING,
            [{**named, "of_ref": row.ref, "of_gram": gram} for row in held for gram in row.grams.split("\n")],
        )
        connection.execute(_DROP_DOCUMENT, [{**named, "of_ref": row.ref} for row in held])
        _count_in(connection, kind, place_id, -len(held), -sum(row.length for row in held))


def _put_chunk(connection: Connection, place_id: int, texts: dict[tuple[Kind, int], str]) -> None:
    counts = {
        (kind, ref): counted
        for (kind, ref), text in texts.items()
        if (counted := grams(text[:INDEXED_CHARACTERS])) or kind is Kind.NODE  # →, % are found exactly
    }
    rows = [
        (place_id, int(kind), ref, counted.total(), "\n".join(counted))
        for (kind, ref), counted in counts.items()
    ]
    added = connection.execute(_ADD.on(connection), {"texts": rows})
    posting_rows: list[tuple[str, int, int, int, int, int]] = []
    sizes: defaultdict[Kind, list[int]] = defaultdict(list)
    for row in added:
        counted = counts[row.kind, row.ref]
        length = counted.total()
        sizes[row.kind].append(length)
        posting_rows += ((gram, place_id, row.kind, row.ref, n, length) for gram, n in counted.items())
    insert_rows(connection, postings, _POSTING, posting_rows)
    for kind, lengths in sizes.items():
        _count_in(connection, kind, place_id, len(lengths), sum(lengths))


def _count_in(connection: Connection, kind: Kind, place_id: int, number: int, length: int) -> None:
    row = {"place_id": place_id, "kind": int(kind), "documents": number, "length": length}
    connection.execute(_COUNT.on(connection), row)
