"""The whole bot: `uv run bot.py`. Settings go into `.env` (see `.env.example`)."""

import sys

import nonebot
from nonebot.adapters.onebot.v11 import Adapter

nonebot.init()
nonebot.get_driver().register_adapter(Adapter)  # pyright: ignore[reportUnknownMemberType]

if nonebot.load_plugin("nonebot_plugin_memoryfs") is None:
    sys.exit(1)

if __name__ == "__main__":
    nonebot.run()
