"""What the tests of prompts share."""

import pytest

from nonebot_plugin_memoryfs.prompt.layers import Layers
from nonebot_plugin_memoryfs.storage import Store


@pytest.fixture
def own(store: Store) -> Layers:
    return Layers(store)
