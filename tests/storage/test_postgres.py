"""R6.1, R2.18 on PostgreSQL: one view for a read, one writer at a time, several processes on one database."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from nonebot_plugin_memoryfs.errors import ConfigError, DatabaseUnusable
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.memory import MemoryFS
from nonebot_plugin_memoryfs.prompt import PromptManager
from nonebot_plugin_memoryfs.scope import Scope, private_conversation
from nonebot_plugin_memoryfs.search import TurnLog
from nonebot_plugin_memoryfs.storage import Database, Store
from nonebot_plugin_memoryfs.storage.presence import note_presence
from nonebot_plugin_memoryfs.storage.prompt_tables import layers
from nonebot_plugin_memoryfs.storage.store import open_beside
from nonebot_plugin_memoryfs.storage.tables import edges, lines, presence, upgrades

from ..conftest import Clock
from ..postgres import GUARDED, PASSWORD, POSTGRESQL, Server

HERE = Path()
PRESENT = select(func.count()).select_from(presence)
PROCESSES = 4
ROOT = Path(__file__).parents[2]

on_postgresql = pytest.mark.parametrize("database_url", [POSTGRESQL], indirect=True)


@pytest.fixture
def url(database_url: str | None) -> str:
    assert database_url
    return database_url


@pytest.fixture
def empty(postgres_server: Server) -> Iterator[str]:
    with postgres_server.empty_database() as url:
        yield url


def speak(store: Store, user: str) -> None:
    with store.database.write() as c:
        note_presence(c, user, "qq_group_1", store.clock())


def at_once(url: str, code: str) -> list[str]:
    """What processes answer that run this code at the same time, with `url`, `number` and `ready()`."""
    program = f"""
import sys
url, number = sys.argv[1], int(sys.argv[2])
def ready():
    print("ready", flush=True)
    sys.stdin.readline()
{code}
"""
    command = [sys.executable, "-c", program, url]
    running = [
        subprocess.Popen(
            [*command, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for number in range(PROCESSES)
    ]
    try:
        for process in running:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        for process in running:
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
        answers = [process.communicate(timeout=120)[0] for process in running]
        assert [process.returncode for process in running] == [0] * PROCESSES
    finally:
        for process in running:
            process.kill()
    return answers


# ---- transactions


@on_postgresql
def test_r6_01_a_read_is_one_view(store: Store, url: str) -> None:
    speak(store, "1")
    other = open_beside(HERE, url)
    with other.read() as reader:
        assert reader.scalar(PRESENT) == 1
        speak(store, "2")
        assert reader.scalar(PRESENT) == 1
    with other.read() as reader:
        assert reader.scalar(PRESENT) == 2
    other.close()


@on_postgresql
def test_r6_01_reads_cannot_write_and_leave_writes_as_they_were(store: Store) -> None:
    with pytest.raises(DBAPIError, match="read-only"), store.database.read() as c:
        c.execute(delete(presence))
    for user in "123":
        speak(store, user)
        with store.database.read() as c:
            assert c.scalar(PRESENT) == int(user)


@on_postgresql
def test_r6_09_no_statement_is_compiled_before_it_is_run(store: Store) -> None:
    """Rows that come as one parameter are taken for a hundred: dear enough to be compiled, each time anew."""
    with store.database.read() as c:
        assert c.scalar(text("SHOW jit")) == "off"


@on_postgresql
def test_r6_03_beside_nothing_can_be_written(store: Store, url: str) -> None:
    beside = open_beside(HERE, url)
    with pytest.raises(RuntimeError, match="reading only"), beside.write():
        pass
    with pytest.raises(DBAPIError, match="read-only"), beside.read() as c:
        c.execute(delete(presence))
    beside.close()


@on_postgresql
def test_r2_18_a_writer_that_stands_still_is_not_waited_for_for_ever(store: Store) -> None:
    with store.database.write() as c:
        limits = [c.scalar(text(f"SHOW {name}")) for name in _LIMITS]
    assert limits == ["30s", "20s"]
    with store.database.read() as c:
        assert [c.scalar(text(f"SHOW {name}")) for name in _LIMITS] == ["0", "0"]


_LIMITS = ("lock_timeout", "idle_in_transaction_session_timeout")


@on_postgresql
def test_r6_01_a_lost_connection_is_replaced(store: Store) -> None:
    speak(store, "1")
    with store.database.read() as c:
        mine, address = c.scalar(text("SELECT pg_backend_pid()")), c.engine.url
    killer = Database.url(address)
    with killer.write() as k:
        assert k.scalar(text("SELECT pg_terminate_backend(:pid, 20000)"), {"pid": mine})
    killer.close()
    speak(store, "2")
    with store.database.read() as c:
        assert c.scalar(PRESENT) == 2


# ---- several processes


def test_r6_01_processes_that_start_together_make_the_tables_once(empty: str) -> None:
    at_once(
        empty,
        """
from nonebot_plugin_memoryfs.storage import Store
ready()
with Store.open(database_url=url) as store, store.database.write() as c:
    pass
""",
    )
    with Store.open(database_url=empty) as store, store.database.read() as c:
        assert list(c.scalars(select(upgrades.c.number))) == [1]


@on_postgresql
def test_r2_18_four_processes_lose_nothing(url: str) -> None:
    commits = 25
    at_once(
        url,
        f"""
from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope
with MemoryGraph.open(database_url=url) as graph:
    ready()
    for n in range({commits}):
        scope = Scope("neko", "qq_group_1", str(number), False)
        said = [("大家", "喜欢", "歌"), ("用户", "喜欢", f"歌{{number}}-{{n}}")]
        said.append(("用户", "所在地", f"城{{n}}"))
        assert graph.memory_commit(scope, said, speaker_name=f"昵称{{n % 12}}").ok
        graph.task_create(scope, f"Task_{{number}}-{{n}}", "一件事")
        turn = graph.open_turn(scope, "小明", "早")
        graph.complete_turn(turn, reply="早", speaker="猫娘")
""",
    )
    scope = Scope("neko", "qq_group_1", "1", False)
    with MemoryGraph.open(database_url=url) as graph, Store.open(database_url=url) as store:
        everyone = [f for f in graph.memory_recall(scope, "大家", 1).facts if f.subject == "大家"]
        assert [f.sightings for f in everyone] == [PROCESSES * commits]
        assert [t.state for t in graph.task_chain(scope).tasks].count("进行中") == 1
        with store.database.read() as c:
            live = select(func.count()).select_from(edges).where(edges.c.valid_to.is_(None))
            assert c.scalar(live.where(edges.c.relation == "喜欢")) == PROCESSES * commits + 1
            assert c.scalar(live.where(edges.c.relation == "所在地")) == PROCESSES
            assert c.scalar(select(func.count()).select_from(lines)) == 2 * PROCESSES * commits


@on_postgresql
def test_r2_18_processes_that_read_then_write_lose_nothing(url: str) -> None:
    at_once(
        url,
        """
from sqlalchemy import delete, insert, select
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.prompt_tables import layers
with Store.open(database_url=url) as store:
    ready()
    for _ in range(50):
        with store.database.write() as c:
            value = int(c.scalar(select(layers.c.content)) or 0)
            c.execute(delete(layers))
            row = dict(level="user", target_id="1", content=str(value + 1), updated_at=store.clock())
            c.execute(insert(layers), row)
""",
    )
    with Store.open(database_url=url) as store, store.database.read() as c:
        assert c.scalar(select(layers.c.content)) == str(50 * PROCESSES)


@on_postgresql
def test_r6_01_what_another_process_writes_is_seen_at_once(url: str, clock: Clock) -> None:
    """Two graphs and logs, each with what it remembers, take turns."""
    scope = Scope("neko", private_conversation("1"), "1", True)
    with Store.open(database_url=url, clock=clock) as one:
        other = _second_store(url, clock)
        graphs, logs = [MemoryGraph(one), MemoryGraph(other)], [TurnLog(one), TurnLog(other)]
        for turn in range(6):
            mine, theirs = turn % 2, 1 - turn % 2
            clock.advance(minutes=1)
            graphs[mine].memory_commit(
                scope, [("用户", "所在地", f"城{turn}"), ("小红", "喜欢", f"歌{turn}")]
            )
            assert f"城{turn}" in graphs[theirs].memory_recall(scope, "所在地").text
            assert f"城{turn - 1}" not in graphs[theirs].memory_recall(scope, "所在地").text
            assert f"歌{turn}" in graphs[theirs].memory_recall(scope, "小红").text
            logs[mine].add(scope, "小明", f"第{turn}次说起香蕉", clock())
            assert len(logs[theirs].search(scope, "香蕉")) == turn + 1
        other.close()


def _second_store(url: str, clock: Clock) -> Store:
    """A store as another process has it: `Store.open` would share the first."""
    from sqlalchemy import make_url

    store = Store(None, make_url(url), clock, None)
    store._holders = 1
    return store


@on_postgresql
def test_r6_02_directories_that_share_a_database_do_not_take_each_others_file_for_an_edit(
    url: str, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "a", url) as a:
        PromptManager(store=a).layers.save("user", "1", "旧")
        with Store.open(tmp_path / "b", url) as b:
            assert PromptManager(store=b).layers.get("user", "1") == "旧"
    with Store.open(tmp_path / "a", url) as a:
        PromptManager(store=a).layers.save("user", "1", "新")
    with Store.open(tmp_path / "b", url) as b:
        manager = PromptManager(store=b)
        assert manager.layers.get("user", "1") == "新"
        manager.layers.save("user", "2", "二")
        written = json.loads((tmp_path / "b" / "prompts.json").read_text("utf-8"))
        assert "新" in json.dumps(written, ensure_ascii=False)


@on_postgresql
def test_r6_02_the_memory_files_of_two_directories_agree(url: str, tmp_path: Path) -> None:
    path = "characters/neko/users/1/user_persona.md"
    for number in range(4):
        with Store.open(tmp_path / "ab"[number % 2], url) as store:
            memory = MemoryFS(store)
            assert (file := memory.read(path)) is None or file.content == f"第{number - 1}版"
            memory.write(path, content=f"第{number}版")


# ---- what an operator is told


def test_r6_01_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=re.escape("nonebot-plugin-memoryfs[postgres]")):
        Store.open(database_url="postgresql+psycopg://me:hunter2@localhost/memories")


@pytest.mark.parametrize(
    "open_it", [lambda url: Store.open(database_url=url), lambda url: open_beside(HERE, url)]
)
def test_r6_01_a_server_that_is_not_there_is_named(open_it: object) -> None:
    assert callable(open_it)
    with pytest.raises(DatabaseUnusable) as told:
        open_it("postgresql+psycopg://me:hunter2@127.0.0.1:1/memories")
    _check_told(str(told.value), "127.0.0.1:1", "memories", "hunter2")


@pytest.mark.parametrize("password", ["hunter2", None])
def test_r6_01_a_wrong_password_is_said_and_not_shown(postgres_server: Server, password: str | None) -> None:
    with pytest.raises(DatabaseUnusable) as told:
        Store.open(database_url=postgres_server.url("postgres", GUARDED, password))
    _check_told(str(told.value), str(postgres_server.socket), "postgres", "hunter2")
    assert "password" in str(told.value)


def test_r6_01_no_such_database_and_no_right_to_make_tables(postgres_server: Server) -> None:
    with pytest.raises(DatabaseUnusable, match="nowhere"):
        Store.open(database_url=postgres_server.url("nowhere"))
    with postgres_server.empty_database() as url:
        name = url.rsplit("/", 1)[1].split("?")[0]
        postgres_server.run("REVOKE CREATE ON SCHEMA public FROM public", name)
        with pytest.raises(DatabaseUnusable, match="public"):
            Store.open(database_url=postgres_server.url(name, GUARDED, PASSWORD))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://me:hun@ter2@host/db",
        "postgresql+psycopg://me:hun@ter2/1@host/db",
        "postgresql+psycopg://me:hunter2@host:port/db",
        "mysql+pymysql://me:hunter2@host/db",
        "nothing://me:hunter2@host/db",
    ],
)
def test_r6_01_an_address_that_cannot_be_right_is_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError, match=re.escape("postgresql+psycopg://")) as told:
        Store.open(database_url=url)
    assert "ter2" not in str(told.value)


def test_r6_01_a_database_that_cannot_hold_chinese_is_refused(postgres_server: Server) -> None:
    name = "latin"
    postgres_server.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'")
    with pytest.raises(ConfigError, match="LATIN1"):
        Store.open(database_url=postgres_server.url(name))


def _check_told(message: str, host: str, database: str, password: str) -> None:
    assert "\n" not in message
    assert host in message
    assert database in message
    assert password not in message


@on_postgresql
def test_r6_01_the_address_may_leave_the_driver_out(url: str) -> None:
    with Store.open(database_url=url.replace("+psycopg", "")) as store, store.database.write() as c:
        c.execute(insert(presence).values(user_id="1", conversation_id="c", first_at=store.clock()))
