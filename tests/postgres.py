"""A PostgreSQL server for the tests: private, started on demand, gone with the test process."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.tables import metadata, upgrades
from nonebot_plugin_memoryfs.storage.upgrades import UPGRADES

SQLITE, POSTGRESQL = "sqlite", "postgresql"
BOTH = (SQLITE, POSTGRESQL)
on_both = pytest.mark.parametrize("database_url", BOTH, indirect=True)
"""Runs one test on both databases; a room or module that always does has `parametrise`."""

GUARDED, PASSWORD = "guarded", "swordfish-7"
"""A role that must give its password."""

_OWNER = "memoryfs"
_UPGRADED = "upgraded"
_WAIT_SECONDS = 60
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/opt/postgresql*/bin")
_HBA = f"local all {GUARDED} scram-sha-256\nlocal all all trust\n"
_FAST = ("fsync=off", "full_page_writes=off", "autovacuum=off", "max_connections=200")
_USES = 30
"""Deleted rows stay on disk: a database is emptied so often before a new copy is cheaper."""
_KEPT = {upgrades.name: f" WHERE number > {UPGRADES[-1].number}"}
_EMPTY = [f"DELETE FROM {table}{_KEPT.get(table.name, '')}" for table in reversed(metadata.sorted_tables)]
_COUNT_ANEW = "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"
_CLEAN = ";".join(["SET lock_timeout = '20s'", *_EMPTY, _COUNT_ANEW])
_UNTIL_TOLD = 'home=$1; shift; "$@" & server=$!; read -r _; kill -INT $server; wait $server; rm -rf "$home"'
"""Runs a server until standard input ends: it does, too, when the tests are killed. Leaves nothing behind."""


def server_binaries() -> Path | None:
    """The folder of the newest server that is installed."""
    found = [Path("/", name) for place in _PLACES for name in Path("/").glob(place[1:])]
    found += [Path(path).parent] if (path := shutil.which("initdb")) else []
    usable = [folder for folder in found if (folder / "initdb").exists() and (folder / "postgres").exists()]
    return max(usable, key=lambda folder: [int(n) for n in folder.parts if n.isdigit()], default=None)


class Server:
    """A running server; reached by its socket alone."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self._numbers = count()
        self._clean: list[tuple[str, int]] = []

    def url(self, name: str, user: str = _OWNER, password: str | None = None) -> str:
        """The address of one of its databases."""
        query = {"host": str(self.socket)}
        url = URL.create("postgresql+psycopg", user, password, database=name, query=query)
        return url.render_as_string(hide_password=False)

    @contextmanager
    def database(self) -> Generator[str]:
        """The address of a database of this version without a row in it."""
        name, uses = self._clean.pop() if self._clean else (self._create(_UPGRADED), 0)
        yield self.url(name)
        if uses < _USES:
            self.run(_CLEAN, name)
            self._clean.append((name, uses + 1))
        else:
            self._drop(name)

    @contextmanager
    def empty_database(self) -> Generator[str]:
        """The address of a database without tables."""
        name = self._create("template0")
        yield self.url(name)
        self._drop(name)

    def _create(self, template: str) -> str:
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def _drop(self, name: str) -> None:
        self.run(f"DROP DATABASE {name} WITH (FORCE)")

    def run(self, sql: str, database: str = "postgres") -> None:
        """One statement, as the owner of everything."""
        with psycopg.connect(host=str(self.socket), user=_OWNER, dbname=database, autocommit=True) as c:
            c.execute(sql.encode())

    def prepare(self) -> None:
        """Make what tests copy and log in as."""
        self.run(f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'")
        self.run(f"CREATE DATABASE {_UPGRADED}")
        Store.open(database_url=self.url(_UPGRADED)).close()


@contextmanager
def serve(binaries: Path) -> Generator[Server]:
    """A server of one's own in a directory of its own; not as root, which it refuses."""
    home = Path(tempfile.mkdtemp(prefix="memoryfs-pg-"))
    identity = _unprivileged()
    data, log = home / "data", home / "log"
    try:
        if identity:
            os.chown(home, identity["user"], identity["group"])
        create = [
            f"{binaries}/initdb",
            "-D",
            data,
            "-U",
            _OWNER,
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]
        made = subprocess.run(create, cwd=home, capture_output=True, text=True, timeout=120, **identity)
        assert made.returncode == 0, made.stderr
        (data / "pg_hba.conf").write_text(_HBA)
        options = [word for option in (*_FAST, "listen_addresses=") for word in ("-c", option)]
        command = [f"{binaries}/postgres", "-D", data, "-k", home, *options]
        with log.open("wb") as out:
            process = subprocess.Popen(
                ["sh", "-c", _UNTIL_TOLD, "sh", home, *command],
                cwd=home,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                start_new_session=True,
                **identity,
            )
        try:
            server = Server(home)
            _wait_until_ready(server, log)
            server.prepare()
            yield server
        finally:
            process.communicate(timeout=_WAIT_SECONDS)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _unprivileged() -> dict[str, Any]:
    """Whom to run the server as where it is not whoever runs the tests: arguments of `Popen`."""
    if os.geteuid() != 0:
        return {}
    import pwd  # POSIX alone has it

    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _wait_until_ready(server: Server, log: Path) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            return server.run("SELECT 1")
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, log.read_text(errors="replace")
            time.sleep(0.05)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """The one server of a test run."""
    if (binaries := server_binaries()) is None:
        pytest.skip("no PostgreSQL server is installed (Debian: postgresql)")
    with serve(binaries) as server:
        yield server


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """The address of a fresh database where a test runs on PostgreSQL; `None` for SQLite in its directory."""
    if getattr(request, "param", SQLITE) == SQLITE:
        yield None
        return
    with request.getfixturevalue("postgres_server").database() as url:
        yield url


def parametrise(metafunc: pytest.Metafunc) -> None:
    """Run tests with a store on both databases: `pytest_generate_tests` of a room's conftest or a module."""
    marked = {name for mark in metafunc.definition.iter_markers("parametrize") for name in mark.args[:1]}
    if "database_url" in metafunc.fixturenames and "database_url" not in marked:
        metafunc.parametrize("database_url", BOTH, indirect=True)
