"""R4.8, R4.10: one persisted counter per conversation; a batch is kept until its results are stored."""

from datetime import timedelta
from pathlib import Path

import pytest

from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.learn import Extraction
from nonebot_plugin_memoryfs.storage.usage import Spent

from ..conftest import Clock
from ..postgres import on_both
from .conftest import KEY, Talk, in_group, open_app


def lines_asked(talk: Talk, number: int = -1) -> str:
    return talk.teacher.asked[number].user.split("新的对话：")[1]


@on_both
async def test_r4_08_every_sixth_turn_is_learnt_from_once(talk: Talk) -> None:
    await talk.chat(*(f"闲话{n}" for n in range(5)))
    assert talk.teacher.asked == []
    await talk.chat(*(f"闲话{n}" for n in range(5, 13)))
    assert len(talk.teacher.asked) == 2
    assert "闲话5" in lines_asked(talk, 0)
    assert "闲话5" not in lines_asked(talk, 1)
    assert "闲话11" in lines_asked(talk, 1)


async def test_r4_08_each_conversation_counts_for_itself(talk: Talk) -> None:
    await talk.chat(*(f"私聊{n}" for n in range(5)))
    await talk.chat(*(f"群聊{n}" for n in range(5)), scope=in_group("1"))
    assert talk.teacher.asked == []
    await talk.say("群聊5", in_group("1"))
    assert len(talk.teacher.asked) == 1
    assert "私聊" not in lines_asked(talk)


@pytest.mark.parametrize("stopped_after", range(1, 8))
async def test_r4_08_a_restart_loses_no_turn_and_learns_from_none_twice(
    tmp_path: Path, clock: Clock, stopped_after: int
) -> None:
    asked = ""
    for texts in (range(stopped_after), range(stopped_after, 12)):
        app = await in_thread(open_app, tmp_path / "data", clock)
        talk = Talk(app, clock)
        await talk.chat(*(f"第{n:02}句" for n in texts))
        asked += "".join(lines_asked(talk, n) for n in range(len(talk.teacher.asked)))
        await in_thread(app.rooms.store.close)
    assert [asked.count(f"第{n:02}句") for n in range(12)] == [1] * 12


async def test_r4_08_the_counter_is_reset_with_the_results_or_not_at_all(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    learning = talk.app.rooms.learning
    talk.teacher.fails = True
    await talk.chat("我喜欢摇滚", *(f"闲话{n}" for n in range(5)))
    talk.clock.advance(hours=1)
    prepared = await in_thread(learning.next, KEY)
    assert prepared is not None
    assert prepared.question is not None

    def crash(*_: object, **__: object) -> None:
        raise OSError("power cut")

    with monkeypatch.context() as broken:
        broken.setattr("nonebot_plugin_memoryfs.learn.learning.settle_batch", crash)
        with pytest.raises(OSError, match="power cut"):
            await in_thread(learning.file, prepared, prepared.question.by_rules(), Spent())
    assert await talk.persona() == []
    filed = await in_thread(learning.file, prepared, prepared.question.by_rules(), Spent())
    assert filed is not None
    assert await talk.persona() == ["喜欢摇滚"]
    assert await in_thread(learning.file, prepared, prepared.question.by_rules(), Spent()) is None
    assert await in_thread(learning.next, KEY) is None


@on_both
async def test_r4_10_a_failed_call_keeps_the_batch_and_waits_longer_each_time(talk: Talk) -> None:
    talk.teacher.fails = True
    await talk.chat("我喜欢摇滚", *(f"闲话{n}" for n in range(6)))
    assert len(talk.teacher.asked) == 1, "the next turn does not ask at once"
    waits: list[timedelta] = []
    for _ in range(4):
        since = talk.clock()
        tries = len(talk.teacher.asked)
        while len(talk.teacher.asked) == tries:
            talk.clock.advance(seconds=15)
            talk.learner.turn_done(KEY)
            await talk.learner.idle()
        waits.append(talk.clock() - since)
    assert waits == sorted(waits)
    assert waits[-1] > 6 * waits[0]
    talk.teacher.fails = False
    talk.clock.advance(hours=7)
    talk.learner.turn_done(KEY)
    await talk.learner.idle()
    assert await talk.persona() == ["喜欢摇滚"]
    await talk.learner.close()


async def test_r4_10_a_batch_is_at_most_sixty_turns_and_the_rest_comes_after(talk: Talk) -> None:
    talk.teacher.fails = True
    await talk.chat(*(f"第{n:02}句" for n in range(70)))
    talk.teacher.fails = False
    talk.clock.advance(days=1)
    asked = len(talk.teacher.asked)
    talk.learner.turn_done(KEY)
    await talk.learner.idle()
    assert len(talk.teacher.asked) == asked + 2
    first, second = lines_asked(talk, -2), lines_asked(talk, -1)
    assert ("第59句" in first, "第60句" in first) == (True, False)
    assert ("第60句" in second, "第69句" in second) == (True, True)
    await talk.learner.close()


async def test_r4_10_off_is_off(tmp_path: Path, clock: Clock) -> None:
    app = await in_thread(open_app, tmp_path / "data", clock, learn_every=0)
    talk = Talk(app, clock)
    await talk.chat(*(f"我喜欢第{n}号汽水" for n in range(20)))
    assert talk.teacher.asked == []
    await in_thread(app.rooms.store.close)


async def test_r4_10_a_quarter_of_a_days_tokens_and_the_batch_waits_for_tomorrow(
    tmp_path: Path, clock: Clock
) -> None:
    app = await in_thread(open_app, tmp_path / "data", clock, daily_tokens=1000, learn_every=1)
    talk = Talk(app, clock)
    talk.teacher.tokens = 100
    await talk.chat(*(f"闲话{n}" for n in range(4)))
    assert len(talk.teacher.asked) == 3, "250 of 1,000 are learning's"
    clock.advance(days=1)
    await talk.say("第二天")
    assert "闲话3" in lines_asked(talk)
    await in_thread(app.rooms.store.close)


async def test_r4_11_nothing_to_learn_asks_nobody(talk: Talk) -> None:
    await talk.chat("[图片]", "/记忆 查看", "", "[语音]", " ", "[表情]")
    assert talk.teacher.asked == []
    assert await in_thread(talk.app.rooms.learning.next, KEY) is None


async def test_r4_08_what_comes_behind_an_open_turn_waits_for_it(talk: Talk) -> None:
    waiting = await talk.workflow.hear(
        (await talk.say("先说一句")).incoming  # a turn that is heard and not answered yet
    )
    for _ in range(8):
        await talk.workflow.drop(await talk.workflow.hear(waiting.incoming))
    await talk.learner.idle()
    assert talk.teacher.asked == []
    await talk.workflow.answer(waiting)
    await talk.learner.idle()
    assert len(talk.teacher.asked) == 1


def test_r4_09_an_empty_answer_is_an_answer() -> None:
    assert Extraction.model_validate({"items": []}).items == []
