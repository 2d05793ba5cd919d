"""The command line, beside a running bot or without one: `python -m nonebot_plugin_memoryfs why`."""

import argparse
import sys
from pathlib import Path

import nonebot

from .config import Config
from .errors import OperatorError
from .storage import Database
from .storage.store import open_beside
from .turn import explain, latest_trace


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m nonebot_plugin_memoryfs", description="记忆插件的命令行")
    parser.add_argument("--data", type=Path, help="数据目录；不填就用 .env 里机器人用的那个")
    commands = parser.add_subparsers(dest="command", required=True, metavar="命令")
    why = commands.add_parser("why", help="最近一轮为什么这样回答")
    why.add_argument(
        "conversation", nargs="?", help="会话 id，如 qq_private_10001、qq_group_123；不填为最近的一轮"
    )
    options = parser.parse_args(arguments)
    try:
        database = _open(options.data)
    except OperatorError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        return _why(database, options.conversation)
    finally:
        database.close()


def _why(database: Database, conversation: str | None) -> int:
    trace = latest_trace(database, conversation)
    print(explain(trace) if trace else "还没有这样的对话")
    return 0 if trace else 1


def _open(data_dir: Path | None) -> Database:
    """The database of a directory; without one, that of the bot whose `.env` stands here."""
    if data_dir is not None:
        return open_beside(data_dir, None)
    nonebot.init()
    settings = nonebot.get_plugin_config(Config).memoryfs
    nonebot.require("nonebot_plugin_localstore")
    import nonebot_plugin_localstore as localstore  # noqa: PLC0415  (it must not be imported before init)

    directory = localstore.get_data_dir("nonebot_plugin_memoryfs")
    return open_beside(directory, settings.database_url.get_secret_value() or None)


if __name__ == "__main__":
    sys.exit(main())
