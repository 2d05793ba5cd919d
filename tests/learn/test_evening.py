"""R4.5, R4.8–R4.11: a group evening of 60 turns ends with all known of the right person, whatever breaks."""

import asyncio
import json
import os
import re
import sys
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.learn import Extraction, Learner
from nonebot_plugin_memoryfs.storage.usage import Spent
from nonebot_plugin_memoryfs.text.statements import recognise
from nonebot_plugin_memoryfs.text.telling import told
from nonebot_plugin_memoryfs.turn import Overheard, Workflow

from ..conftest import Clock
from ..sim.endpoint import Asked, Endpoint, refuses, says
from .conftest import Talk, in_group, open_app
from .evening import faults, read_evening

ROOT = Path(__file__).resolve().parents[2]
KEY = ("neko", "qq_group_9")


async def evening(talk: Talk) -> None:
    for user_id, speaker, text in read_evening().said:
        await talk.say(text, in_group(user_id), speaker)


def test_the_evening_is_as_it_is_meant_to_be() -> None:
    script = read_evening()
    names = {(user_id, name) for user_id, name, _ in script.said}
    assert len(script.said) == 60
    assert len(script.people) == 5
    assert {user_id for user_id, name in names if name == "小雨"} == {"102", "103"}
    assert len(names) == 7, "two people change their names"
    assert len(script.known) >= 30
    assert len(script.corrected) >= 2


async def test_r4_09_everything_stated_is_known_of_the_one_who_said_it(talk: Talk) -> None:
    await evening(talk)
    assert await in_thread(faults, talk.app, read_evening()) == []
    assert len(talk.teacher.asked) == 10


@pytest.mark.parametrize("every", [1, 11])
async def test_r4_11_wherever_a_batch_ends_nothing_is_refused(
    tmp_path: Path, clock: Clock, every: int
) -> None:
    app = await in_thread(open_app, tmp_path / "data", clock, learn_every=every)
    talk = Talk(app, clock)
    talk.teacher.says = "记住了：{}"
    await evening(talk)
    await _learn_the_rest(app)
    assert await in_thread(faults, app, read_evening()) == []
    await in_thread(app.rooms.store.close)


async def test_the_check_notices_what_is_wrong(talk: Talk) -> None:
    script = read_evening()
    for user_id, speaker, text in script.said[:30]:
        await talk.say(text, in_group(user_id), speaker)
    wrong = await in_thread(faults, talk.app, script)
    assert "103 lacks 在写毕业论文" in wrong
    assert any(fault.startswith("graph of 103: lacks") for fault in wrong)


_LINE = re.compile(r"\d\d:\d\d (.+?)（(\d+)）：(.*)")
_OUTDATED = re.compile(r"(\d+)\. (\d+) 的用户人格：（已不对）")


def extraction_of(asked: Asked) -> dict[str, Any]:
    """What a good model would make of what it is shown, by the same recogniser as the offline one."""
    shown = str(asked.messages[-1]["content"])
    known, _, said = shown.rpartition("新的对话：")
    outdated = [(found[2], int(found[1])) for found in _OUTDATED.finditer(known)]
    lines = [(found[2], found[1], found[3]) for found in _LINE.finditer(said)]
    items: list[dict[str, Any]] = [{"category": "digest", "content": f"聊了{len(lines)}句"}]
    for user_id, name in {user_id: name for user_id, name, _ in lines}.items():
        stated = [one for who, _, text in lines if who == user_id for one in recognise(text)]
        mine = {"about": int(user_id), "replaces": [number for who, number in outdated if who == user_id]}
        if stated:
            content = "\n".join(told("", one.relation, one.object) for one in stated)
            items.append({"category": "user_preference", "content": content, **mine})
        if plans := [told(name, one.relation, one.object) for one in stated if one.relation == "打算"]:
            items.append({"category": "event", "content": "；".join(plans), "about": user_id})
    return {"items": items}


async def test_r4_10_every_second_call_failing_over_http_changes_nothing_in_the_end(
    tmp_path: Path, clock: Clock
) -> None:
    answers = cycle((lambda _: refuses(401), lambda asked: says(json.dumps(extraction_of(asked)))))
    async with Endpoint(script=lambda asked: next(answers)(asked)) as service:
        settings = {"base_url": service.url, "api_key": "k", "model": "m"}
        app = await in_thread(open_app, tmp_path / "data", clock, **settings)
        app.start()
        talk = Talk(app, clock)
        talk.learner = Learner(app.rooms.learning, partial(app.model, "learning"))
        talk.workflow = Workflow(app.rooms, talk.model, Overheard(), talk.learner.turn_done)
        for user_id, speaker, text in read_evening().said:
            clock.advance(minutes=2)
            await talk.say(text, in_group(user_id), speaker)
        for _ in range(10):
            clock.advance(hours=6)
            talk.learner.turn_done(KEY)
            await talk.learner.idle()
        assert len(service.asked) >= 10
        assert await in_thread(faults, app, read_evening()) == []
        await talk.learner.close()
        await app.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kill -9 and fork are POSIX")
async def test_r4_01_killed_between_and_within_turns_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.learn.evening_process", str(tmp_path / "data"), "4"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(300):
        printed, _ = await process.communicate()
    assert process.returncode == 0
    assert int(printed.split()[-1]) >= 6
    app = await in_thread(App.open, Settings(), tmp_path / "data")
    await _learn_the_rest(app)
    assert await in_thread(faults, app, read_evening()) == []
    await in_thread(app.rooms.store.close)


async def _learn_the_rest(app: App) -> None:
    """What waits for a sixth turn at the end of the evening is learnt too."""
    learning = app.rooms.learning
    while (prepared := await in_thread(learning.next, KEY, 1)) is not None:
        question = prepared.question
        extraction = question.by_rules() if question else Extraction()
        filed = await in_thread(learning.file, prepared, extraction, Spent())
        assert filed is not None
        assert filed.refused == []
