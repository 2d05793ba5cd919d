"""NoneBot for the tests of the edge, set up before any test imports the package.

No `.env` of the operator is read, data goes to a directory of its own, and the lifespan is not started:
tests that need a running bot start one.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nonebot
from nonebot.adapters.onebot.v11 import Adapter

os.environ["ENVIRONMENT"] = "test"

_directory = Path(tempfile.mkdtemp(prefix="memoryfs-tests-"))
atexit.register(shutil.rmtree, _directory, ignore_errors=True)

INIT: dict[str, Any] = {
    "driver": "~fastapi",
    "nickname": {"小忆"},
    "onebot_access_token": None,
    "localstore_use_cwd": False,
    "localstore_data_dir": _directory / "data",
    "localstore_config_dir": _directory / "config",
    "localstore_cache_dir": _directory / "cache",
}

nonebot.init(**INIT)
nonebot.get_driver().register_adapter(Adapter)
assert nonebot.load_plugin("nonebot_plugin_memoryfs") is not None
