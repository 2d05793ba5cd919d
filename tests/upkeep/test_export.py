"""R7.4: a person gets everything that is stored about them, and nothing of anybody else's private chats."""

import json

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread

from .conftest import Talk, private
from .test_erasing import SECRETS, plant, upkeep_of


async def test_r7_4_an_export_holds_what_is_theirs_and_nothing_private_of_others(
    app: App, talk: Talk
) -> None:
    await plant(app, talk)
    await talk.say(private("10002"), "小明欠我八百块钱，这件事别告诉小明")
    export = await in_thread(upkeep_of(app).export_person, "10001")
    body = json.loads(export.to_json())
    names = ["files", "edges", "lines", "layers", "notes", "layer_history", "tasks", "presence", "aliases"]
    for name in names:
        assert body[name], name
    assert body["user_id"] == "10001"
    assert {"subject": "用户", "relation": "喜欢", "object": SECRETS["10001"]}.items() <= max(
        body["edges"], key=lambda fact: fact["relation"] == "喜欢" and fact["subject"] == "用户"
    ).items()
    for text in (export.to_json(), export.to_markdown()):
        assert SECRETS["10001"] in text
        assert "私下说起" + SECRETS["10001"] in text
        for other in ("10002", "10003"):
            assert "私下说起" + SECRETS[other] not in text
            assert SECRETS[other] + "宝宝" not in text
        assert "八百块" not in text


async def test_r7_4_an_export_of_nobody_says_so(app: App) -> None:
    export = await in_thread(upkeep_of(app).export_person, "10001")
    assert "没有存过与此人有关的内容" in export.to_markdown()
    assert set(json.loads(export.to_json())) == {"format", "user_id", "made_at"}
