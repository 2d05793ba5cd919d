"""Whether what is stored hangs together: schema, counts, dangling edges, the index against rows (R6.5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Column, Connection, Table, and_, func, inspect, select, text
from sqlalchemy.sql.elements import ColumnElement

from ..search.index import INDEXED_CHARACTERS, Kind
from ..storage.tables import documents, edges, lines, nodes, places, postings, relations, shelves, tasks
from ..storage.upgrades import metadata
from ..text.grams import grams

_TOLD = 5
_SOURCES: Mapping[Kind, Table] = {Kind.LINE: lines, Kind.NODE: nodes, Kind.RELATION: relations}


@dataclass(frozen=True, slots=True)
class Report:
    """What was found."""

    counts: Mapping[str, int]
    """Rows of each table."""
    problems: Sequence[str]
    """What is wrong; nothing where all is well."""

    @property
    def ok(self) -> bool:
        """Whether all is well."""
        return not self.problems

    @property
    def text(self) -> str:
        """For people."""
        held = "，".join(f"{name} {count}" for name, count in self.counts.items() if count)
        verdict = "没有发现问题" if self.ok else f"发现 {len(self.problems)} 处问题"
        return "\n".join([f"{verdict}（{held or '还没有数据'}）", *(f"- {told}" for told in self.problems)])


def verify(connection: Connection) -> Report:
    """Look through everything; changes nothing."""
    missing = list(_schema(connection))
    if missing:
        return Report({}, missing)
    counts = {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in metadata.sorted_tables
    }
    return Report(counts, [*_file(connection), *_dangling(connection), *_index(connection)])


def _schema(connection: Connection) -> Iterator[str]:
    inspector = inspect(connection)
    known = set(inspector.get_table_names())
    for table in metadata.sorted_tables:
        if table.name not in known:
            yield f"没有表 {table.name}"
            continue
        held = {column["name"] for column in inspector.get_columns(table.name)}
        if held != set(table.c.keys()):
            yield f"表 {table.name} 的列不对：{'、'.join(sorted(held ^ set(table.c.keys())))}"


def _file(connection: Connection) -> Iterator[str]:
    if connection.dialect.name != "sqlite":
        return
    told = [str(row[0]) for row in connection.execute(text(f"PRAGMA integrity_check({_TOLD})"))]
    yield from (f"数据库文件：{line}" for line in told if line != "ok")
    broken = {str(row[0]) for row in connection.execute(text("PRAGMA foreign_key_check"))}
    yield from (f"表 {name} 有指向不存在的行" for name in sorted(broken))


def _dangling(connection: Connection) -> Iterator[str]:
    ends: tuple[tuple[str, Column[int], Column[int]], ...] = (
        ("事实的主语", edges.c.subject_id, nodes.c.id),
        ("事实的宾语", edges.c.object_id, nodes.c.id),
        ("事实的关系", edges.c.relation_id, relations.c.id),
        ("事实的会话", edges.c.place_id, places.c.id),
        ("任务的节点", tasks.c.node_id, nodes.c.id),
    )
    for what, pointer, target in ends:
        query = select(func.count()).where(pointer.not_in(select(target)))
        if count := connection.scalar(query):
            yield f"{what}有 {count} 处指向不存在的行"


def _index(connection: Connection) -> Iterator[str]:
    for kind, source in _SOURCES.items():
        lost = and_(documents.c.kind == int(kind), documents.c.ref.not_in(select(source.c.id)))
        if count := connection.scalar(select(func.count()).where(lost)):
            yield f"索引里有 {count} 项在 {source.name} 里已经没有"
    if unindexed := _lines_without(connection):
        yield f"有 {unindexed} 句话不在索引里"
    if _words(connection) != connection.scalar(select(func.count()).select_from(postings)):
        yield "索引的词和它的文档对不上"
    held = select(
        documents.c.place_id, documents.c.kind, func.count(), func.sum(documents.c.length)
    ).group_by(documents.c.place_id, documents.c.kind)
    counted = {tuple(map(int, row)) for row in connection.execute(held)}
    filled = select(shelves).where(shelves.c.documents != 0)
    told = {tuple(map(int, row)) for row in connection.execute(filled)}
    if counted != told:
        yield f"索引有 {len(counted ^ told)} 处的计数不对"


def _lines_without(connection: Connection) -> int:
    """Lines that hold words and can't be found."""
    here: ColumnElement[bool] = and_(
        places.c.character_id == lines.c.character_id, places.c.conversation_id == lines.c.conversation_id
    )
    indexed = and_(
        documents.c.place_id == places.c.id,
        documents.c.kind == int(Kind.LINE),
        documents.c.ref == lines.c.id,
    )
    query = (
        select(lines.c.speaker, lines.c.text)
        .outerjoin(places, here)
        .outerjoin(documents, indexed)
        .where(documents.c.ref.is_(None))
    )
    texts = (f"{row.speaker}\n{row.text}"[:INDEXED_CHARACTERS] for row in connection.execute(query))
    return sum(bool(grams(text)) for text in texts)


def _words(connection: Connection) -> int:
    """How many postings there should be."""
    separators = func.length(documents.c.grams) - func.length(func.replace(documents.c.grams, "\n", ""))
    query = select(func.coalesce(func.sum(separators + 1), 0)).where(documents.c.grams != "")
    return int(connection.scalar(query) or 0)
