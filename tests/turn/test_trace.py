"""R4.3: the checklist, the trace, and `why`."""

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from sqlalchemy import select

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.storage.tables import traces
from nonebot_plugin_memoryfs.turn import explain, latest_trace, trace
from nonebot_plugin_memoryfs.turn.checklist import check

from ..conftest import Clock
from .conftest import GROUP, Chat

ROOT = Path(__file__).resolve().parents[2]


async def test_r4_03_every_turn_ends_with_a_complete_checklist(chat: Chat) -> None:
    for text in ("你好", "刚才我们聊了什么？", "之前说的那个东西呢", "上次说的呢"):
        assert check(await chat.say(text)).complete


async def test_r4_03_the_checklist_is_read_off_what_happened(chat: Chat) -> None:
    chat.model.fails = True
    checklist = check(await chat.say("你好"))
    assert not checklist.both_in_last_request
    assert not checklist.complete
    assert checklist.chain_updated


async def test_r4_03_the_trace_tells_what_was_injected_called_and_spent(chat: Chat) -> None:
    await chat.say("我喜欢摇滚")
    chat.model.calls = [("memory_recall", {"query_intent": "用户,喜欢"})]
    await chat.say("刚才我说喜欢什么？")
    told = await in_thread(latest_trace, chat.app.rooms.store.database)
    assert told is not None
    assert all(told["checklist"].values())
    assert told["recalled"]["looked_back"]
    assert len(told["recalled"]["facts"]) == 1
    assert told["calls"][0]["name"] == "memory_recall"
    assert "摇滚" in told["calls"][0]["result"]
    assert set(told["milliseconds"]) == {"heard", "recalled", "answered", "sent", "recorded"}
    text = explain(told)
    assert 8 <= len(text.splitlines()) <= 10
    assert "memory_recall" in text


async def test_r4_03_why_can_be_asked_of_one_conversation(chat: Chat) -> None:
    await chat.say("私聊的话")
    await chat.say("群里的话", GROUP)
    database = chat.app.rooms.store.database
    for conversation in ("qq_private_1", "qq_group_9"):
        told = await in_thread(latest_trace, database, conversation)
        assert told is not None
        assert told["conversation_id"] == conversation
    assert await in_thread(latest_trace, database, "qq_group_404") is None


def texts(app: App) -> list[str | None]:
    with app.rooms.store.database.read() as c:
        return list(c.scalars(select(traces.c.prompt).order_by(traces.c.turn_id)))


async def test_r4_03_full_text_is_kept_for_the_newest_five_of_a_conversation(chat: Chat) -> None:
    for number in range(7):
        await chat.say(f"第{number}句")
    await chat.say("群里一句", GROUP)
    kept = await in_thread(texts, chat.app)
    assert [text is not None for text in kept] == [False, False, True, True, True, True, True, True]
    assert "第6句" in (kept[6] or "")


async def test_r4_03_full_texts_have_a_limit_in_all(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "FULL_TEXT_BYTES", 9_000)
    for number in range(5):
        await chat.say(f"第{number}句")
    kept = [text for text in await in_thread(texts, chat.app) if text]
    assert 1 <= len(kept) < 5
    assert sum(len(text.encode()) for text in kept) <= 9_000


async def test_r4_03_why_runs_beside_a_running_bot(chat: Chat, tmp_path: Path) -> None:
    await chat.say("我喜欢摇滚")

    async def why(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "nonebot_plugin_memoryfs", *arguments]
        return await in_thread(
            subprocess.run, command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
        )

    told = await why("--data", str(tmp_path / "data"), "why", "qq_private_1")
    assert told.returncode == 0, told.stderr
    assert "第 1 轮 · qq_private_1" in told.stdout
    assert "补记：喜欢：摇滚" in told.stdout
    assert (await why("--data", str(tmp_path / "data"), "why", "qq_group_404")).returncode == 1
    missing = await why("--data", str(tmp_path / "nowhere"), "why")
    assert missing.returncode == 1
    assert "nowhere" in missing.stderr


class TestChecklist:
    """R4.3: each of the six says what happened, whatever became of the turn."""

    async def kept(self, chat: Chat) -> dict[str, bool]:
        told = await in_thread(latest_trace, chat.app.rooms.store.database)
        assert told is not None
        return told["checklist"]

    async def test_r4_03_a_model_that_calls_nothing_skips_nothing(self, chat: Chat) -> None:
        turn = await chat.say("上次说的那个东西叫什么")
        assert turn.answer is not None
        assert turn.answer.calls == ()
        assert all((await self.kept(chat)).values())

    async def test_r4_03_without_budget_nothing_stood_in_a_request(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        app = await in_thread(App.open, Settings(daily_calls=1), tmp_path / "spent", clock=clock)
        chat = Chat(app, clock)
        await chat.say("你好")
        turn = await chat.say("刚才我说了什么？")
        assert turn.spent
        kept = await self.kept(chat)
        assert [name for name, done in kept.items() if not done] == ["both_in_last_request"]
        await in_thread(app.rooms.store.close)

    async def test_r4_03_of_what_was_taken_back_nothing_was_recorded(self, chat: Chat) -> None:
        async def withdraw() -> None:
            assert await in_thread(chat.app.rooms.learning.withdraw, *turn_key, "m1")

        turn_key = ("neko", "qq_private_1")
        chat.model.before = withdraw
        checklist = check(await chat.say("我喜欢摇滚", source_ids=("m1",)))
        assert not checklist.chain_updated
        assert checklist.both_in_last_request
        assert await in_thread(latest_trace, chat.app.rooms.store.database) is None

    @pytest.mark.parametrize("lost", ["persona", "chain"])
    async def test_r4_03_a_request_that_lost_one_of_both_is_found_out(self, chat: Chat, lost: str) -> None:
        await chat.say("我喜欢摇滚")
        turn = await chat.say("我喜欢爵士")
        assert turn.recalled is not None
        assert turn.answer is not None
        (request,) = turn.answer.requests
        gone = turn.recalled.persona_text if lost == "persona" else turn.recalled.chain.text.splitlines()[-1]
        cut = replace(request, text=request.text.replace(gone, ""))
        assert not check(replace(turn, answer=replace(turn.answer, requests=(request, cut)))).complete
        assert check(replace(turn, answer=replace(turn.answer, requests=(cut, request)))).complete

    async def test_r4_03_a_turn_that_was_only_heard_has_done_nothing(self, chat: Chat) -> None:
        heard = await chat.workflow.hear(chat.incoming("刚才那个"))
        assert not any(asdict(check(heard)).values())
