"""The command line, beside a running bot or without one: `python -m nonebot_plugin_memoryfs why`.

Backup, export and verify read beside a bot that runs; restore, import and erase refuse while one does (R6.3).
"""

import argparse
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nonebot
from nonebot.log import logger, logger_id
from sqlalchemy import Connection

from .app import App, policy_of
from .config import Config, Settings
from .errors import InvalidInput, OperatorError
from .scope import Scope, group_of, private_conversation
from .storage import Database
from .storage.store import open_beside, utc_now
from .turn import explain, latest_trace
from .upkeep import BACKUPS, Importer, Wish, delete_older, export_person, restore, verify, write_backup
from .upkeep.sources import KNOWN_FORMS


@dataclass(frozen=True, slots=True)
class Place:
    """What a command works on."""

    directory: Path
    settings: Settings
    database_url: str | None

    @contextmanager
    def beside(self) -> Generator[Database]:
        """The database for reading, whether a bot runs on it or not."""
        database = open_beside(self.directory, self.database_url)
        try:
            yield database
        finally:
            database.close()

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """One view of it."""
        with self.beside() as database, database.read() as connection:
            yield connection


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(_place(options.data), options)
    except (OperatorError, InvalidInput) as error:
        told = str(error)
    except OSError as error:
        told = f"{error.filename or '文件'} 读写不了：{error.strerror or error}"
    print(told, file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m nonebot_plugin_memoryfs", description="记忆插件的命令行")
    parser.add_argument("--data", type=Path, help="数据目录；不填就用 .env 里机器人用的那个")
    commands = parser.add_subparsers(dest="command", required=True, metavar="命令")
    why = commands.add_parser("why", help="最近一轮为什么这样回答")
    why.add_argument(
        "conversation", nargs="?", help="会话 id，如 qq_private_10001、qq_group_123；不填为最近的一轮"
    )
    why.set_defaults(run=_why)
    backup = commands.add_parser("backup", help="写一份备份（机器人开着也行）")
    backup.add_argument("--to", type=Path, help=f"放到哪个目录；不填就放数据目录下的 {BACKUPS}")
    backup.set_defaults(run=_backup)
    export = commands.add_parser("export", help="导出关于一个人的全部记录（机器人开着也行）")
    export.add_argument("user", help="号码，如 10001")
    export.add_argument("--to", type=Path, help="写到哪个文件；不填就打印出来")
    export.add_argument("--markdown", action="store_true", help="写成便于阅读的 Markdown，而不是 JSON")
    export.set_defaults(run=_export)
    check = commands.add_parser("verify", help="检查数据是否完好（机器人开着也行）")
    check.set_defaults(run=_verify)
    back = commands.add_parser("restore", help="把备份恢复到空的地方（要先停下机器人）")
    back.add_argument("backup", type=Path, help="备份文件（.zip）；旁边和数据目录里的清除记录会一并采用")
    back.set_defaults(run=_restore)
    imports = commands.add_parser("import", help="导入别处的记忆（要先停下机器人）")
    imports.add_argument(
        "path",
        type=Path,
        help=f"{KNOWN_FORMS}，或含有它们的目录",
    )
    imports.add_argument("--dry-run", action="store_true", help="只数一数，什么也不写")
    imports.add_argument("--user", help="memory.db 是谁的记忆：号码，如 10001")
    imports.add_argument("--character", help="memory.db 是哪个角色的记忆；不填就是默认角色")
    imports.add_argument(
        "--trust-untagged",
        action="store_true",
        help="没写明在哪儿说的，在哪儿都可以提起；不写就只在本人的私聊里提起，无主的谁也看不到",
    )
    imports.set_defaults(run=_import)
    erase = commands.add_parser("erase", help="清除关于一个人、或一个群的一切（要先停下机器人）")
    erase.add_argument("user", help="号码，如 10001；群写 qq_group_123")
    erase.add_argument("--yes", action="store_true", help="不再询问")
    erase.set_defaults(run=_erase)
    return parser


def _why(place: Place, options: argparse.Namespace) -> int:
    with place.beside() as database:
        trace = latest_trace(database, options.conversation)
    print(explain(trace) if trace else "还没有这样的对话")
    return 0 if trace else 1


def _backup(place: Place, options: argparse.Namespace) -> int:
    folder: Path = options.to or place.directory / BACKUPS
    now = utc_now()
    with place.beside() as database:
        path = write_backup(database, place.directory, folder, now)
    if options.to is None:
        delete_older(folder, now)
    print(f"备份写好了：{path}")
    return 0


def _export(place: Place, options: argparse.Namespace) -> int:
    settings = place.settings
    with place.reading() as connection:
        export = export_person(connection, policy_of(settings), options.user, utc_now(), settings.zone)
    text = export.to_markdown() if options.markdown else export.to_json()
    if options.to is None:
        print(text, end="")
        return 0
    try:
        file = os.open(options.to, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidInput(f"{options.to} 已经存在，没有覆盖") from None
    with open(file, "w", encoding="utf-8") as target:
        target.write(text)
    print(f"写好了：{options.to}")
    return 0


def _verify(place: Place, _options: argparse.Namespace) -> int:
    with place.reading() as connection:
        report = verify(connection)
    print(report.text)
    return 0 if report.ok else 1


def _restore(place: Place, options: argparse.Namespace) -> int:
    settings = place.settings
    restored = restore(
        options.backup, place.directory, place.database_url, policy=policy_of(settings), zone=settings.zone
    )
    print(restored.text)
    return 0


def _import(place: Place, options: argparse.Namespace) -> int:
    scope = None
    if options.user:
        character = options.character or place.settings.character
        scope = Scope(character, private_conversation(options.user), options.user, private=True)
    with _app(place) as app:
        rooms = app.rooms
        importer = Importer(rooms.store, rooms.memory, rooms.prompts, rooms.graph, rooms.zone)
        wish = Wish(dry_run=options.dry_run, scope=scope, trust_untagged=options.trust_untagged)
        imported = importer.run(options.path, wish)
    print(("（只是数一数，没有写入）" if options.dry_run else "") + imported.text)
    return 0


def _erase(place: Place, options: argparse.Namespace) -> int:
    if not options.yes:
        print(f"将清除关于 {options.user} 的一切，不能撤销。再输一遍确认：", end="", flush=True)
        if sys.stdin.readline().strip() != options.user:
            print("没有清除")
            return 1
    with _app(place) as app:
        keeping, group = app.keeping, group_of(options.user)
        print((keeping.clear_conversation if group else keeping.erase_person)(options.user).text)
    return 0


@contextmanager
def _app(place: Place) -> Generator[App]:
    """Every room, open for writing; refused while a bot runs on the directory."""
    app = App.open(place.settings, place.directory)
    try:
        yield app
    finally:
        app.rooms.store.close()


def _place(data_dir: Path | None) -> Place:
    """A directory; without one, what the bot uses whose `.env` stands here."""
    _init()
    settings = nonebot.get_plugin_config(Config).memoryfs
    if data_dir is not None:
        return Place(data_dir, settings, None)
    nonebot.require("nonebot_plugin_localstore")
    import nonebot_plugin_localstore as localstore  # noqa: PLC0415  (it must not be imported before init)

    directory = localstore.get_data_dir("nonebot_plugin_memoryfs")
    return Place(directory, settings, settings.database_url.get_secret_value() or None)


def _init() -> None:
    """Let NoneBot read its settings; what it logs is no part of an answer that may go into a pipe."""
    try:
        nonebot.get_driver()
    except ValueError:
        logger.remove(logger_id)
        logger.add(sys.stderr, level="WARNING")
        nonebot.init()


if __name__ == "__main__":
    sys.exit(main())
