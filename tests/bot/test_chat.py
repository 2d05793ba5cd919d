"""R7.2, R4.2: the chat hook inside NoneBot: what reaches a turn, and what leaves no trace."""

from collections.abc import AsyncIterator
from pathlib import Path

import nonebot
import pytest
from nonebot.adapters.onebot.v11 import (
    Adapter,
    Bot,
    FriendRecallNoticeEvent,
    GroupRecallNoticeEvent,
    MessageEvent,
    MessageSegment,
)
from nonebug import App
from sqlalchemy import select

from nonebot_plugin_memoryfs.bot import plugin
from nonebot_plugin_memoryfs.bot.plugin import running
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.scope import Scope
from nonebot_plugin_memoryfs.storage.tables import lines, presence, traces
from nonebot_plugin_memoryfs.turn import Incoming, Turn

from ..sim.onebot import at, text
from .commanding import command
from .events import SELF_ID, group, private


@pytest.fixture(scope="module")
async def started() -> AsyncIterator[None]:
    """The plugin's own start and stop hooks around the tests of this module."""
    await running.start()
    yield
    await running.stop()


async def receive(app: App, event: MessageEvent, *answers: str) -> None:
    """Let the chat hook take an event in; exactly these texts are sent, in order."""
    async with app.test_api() as context:
        bot = context.create_bot(base=Bot, adapter=nonebot.get_adapter(Adapter), self_id=str(SELF_ID))
        for answer in answers:
            context.should_call_send(event, MessageSegment.text(answer), bot=bot)
        assert running.app is not None
        assert running.chat is not None
        await running.chat.receive(bot, event)
        await running.app.conversations.idle()


def _stored(user_id: str) -> tuple[list[str], list[str]]:
    assert running.app is not None
    with running.app.rooms.store.database.read() as c:
        said = c.scalars(select(lines.c.text).where(lines.c.user_id == user_id, ~lines.c.by_character))
        where = c.scalars(select(presence.c.conversation_id).where(presence.c.user_id == user_id))
        return list(said), list(where)


async def stored(user_id: str) -> tuple[list[str], list[str]]:
    """What was said by a person, and where they were seen."""
    return await in_thread(_stored, user_id)


async def test_r7_02_private_messages_are_turns(app: App, started: None) -> None:
    await receive(app, private("我喜欢摇滚", user_id=501), "记住了：你喜欢摇滚。")
    assert await stored("501") == (["我喜欢摇滚"], ["qq_private_501"])


async def test_r7_02_unaddressed_messages_are_presence_and_nothing_more(app: App, started: None) -> None:
    await receive(app, group("我喜欢摇滚", user_id=502))
    assert await stored("502") == ([], ["qq_group_20001"])


async def test_r7_02_ignored_people_leave_no_trace(app: App, started: None) -> None:
    anonymous = {"id": 1, "name": "匿名", "flag": "x"}
    await receive(app, group([at(SELF_ID), text("在吗")], user_id=503, anonymous=anonymous))
    assert await stored("503") == ([], [])


async def test_r4_02_blank_private_messages_are_ignored(app: App, started: None) -> None:
    await receive(app, private("  \n", user_id=504))
    assert await stored("504") == ([], [])


@pytest.mark.parametrize(
    ("role", "administers"), [("owner", True), ("admin", True), ("member", False), ("", False), (None, False)]
)
async def test_r2_07_the_groups_admins_are_known_as_such(
    app: App, started: None, monkeypatch: pytest.MonkeyPatch, role: str | None, administers: bool
) -> None:
    assert running.app is not None
    heard: list[Incoming] = []
    hear = running.app.workflow.hear

    async def listen(incoming: Incoming) -> Turn:
        heard.append(incoming)
        return await hear(incoming)

    monkeypatch.setattr(running.app.workflow, "hear", listen)
    sender = {"user_id": 506, "nickname": "小明", "card": "", "role": role}
    await receive(
        app,
        group([at(SELF_ID), text("我喜欢水")], user_id=506, group_id=20002, sender=sender),
        "记住了：你喜欢水。",
    )
    await receive(app, private("我喜欢水", user_id=506, sender=sender), "记住了：你喜欢水。")
    assert [incoming.administers for incoming in heard] == [administers, False]


async def test_r3_11_a_bound_group_speaks_to_its_character(app: App, started: None) -> None:
    assert running.app is not None
    bindings = running.app.bindings
    folder = running.app.rooms.store.directory
    assert folder is not None
    await in_thread(_write, folder / "characters" / "orange.json", '{"name": "阿橘"}')
    await receive(
        app, group([at(SELF_ID), text("我喜欢水")], user_id=507, group_id=20003), "记住了：你喜欢水。"
    )
    await in_thread(bindings.bind, "qq_group_20003", "orange")
    await receive(
        app, group([at(SELF_ID), text("我喜欢茶")], user_id=507, group_id=20003), "记住了：你喜欢茶。"
    )
    await in_thread(bindings.unbind, "qq_group_20003")
    said = {
        name: [
            hit.text
            for hit in await in_thread(running.app.rooms.log.search, where, "喜欢")
            if not hit.by_character
        ]
        for name in ("neko", "orange")
        for where in [Scope(name, "qq_group_20003", "507", private=False)]
    }
    assert said["orange"] == ["我喜欢茶"]
    assert "我喜欢茶" not in said["neko"]


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")


async def test_r7_02_the_group_card_comes_before_the_nickname(app: App, started: None) -> None:
    sender = {"user_id": 505, "nickname": "阿花", "card": "花花"}
    await receive(
        app, group([at(SELF_ID), text("我喜欢茶")], user_id=505, sender=sender), "记住了：你喜欢茶。"
    )
    assert running.app is not None
    here = Scope("neko", "qq_group_20001", "505", private=False)
    hits = await in_thread(running.app.rooms.log.search, here, "喜欢茶")
    assert [hit.speaker for hit in hits if not hit.by_character] == ["花花"]


def taken_back(kind: str, user_id: int, message_id: int, **more: int) -> object:
    """A recall notice as implementations send it."""
    notice = {"time": 1_780_000_100, "self_id": SELF_ID, "post_type": "notice", "notice_type": kind}
    return Adapter.json_to_event({**notice, "user_id": user_id, "message_id": message_id, **more})


@pytest.mark.usefixtures("started")
async def test_r4_11_a_message_that_is_taken_back_leaves_nothing(app: App) -> None:
    assert running.chat is not None
    await receive(app, private("我喜欢榴莲糖", user_id=30001, message_id=71), "记住了：你喜欢榴莲糖。")
    assert (await stored("30001"))[0] == ["我喜欢榴莲糖"]
    notice = taken_back("friend_recall", 30001, 71)
    assert isinstance(notice, FriendRecallNoticeEvent)
    async with app.test_matcher(plugin.taken_back) as context:
        bot = context.create_bot(base=Bot, adapter=nonebot.get_adapter(Adapter), self_id=str(SELF_ID))
        context.receive_event(bot, notice)
    assert (await stored("30001"))[0] == []


@pytest.mark.usefixtures("started")
async def test_r4_11_in_a_group_too_whoever_took_it_back(app: App) -> None:
    assert running.chat is not None
    said = group([at(SELF_ID), text(" 我喜欢榴莲糖")], user_id=30002, message_id=72, group_id=30)
    await receive(app, said, "记住了：你喜欢榴莲糖。")
    notice = taken_back("group_recall", 30002, 72, group_id=30, operator_id=1)
    assert isinstance(notice, GroupRecallNoticeEvent)
    await running.chat.withdraw(notice)
    assert (await stored("30002"))[0] == []


@pytest.mark.usefixtures("started")
async def test_r7_04_of_a_paused_person_nothing_is_stored_not_even_where_they_were(app: App) -> None:
    assert running.app is not None
    await in_thread(running.app.pause, "30003")
    said = group([at(SELF_ID), text(" 我喜欢榴莲糖")], user_id=30003, message_id=73, group_id=31)
    await receive(app, said, "嗯，我在听。")
    assert await stored("30003") == ([], [])


@pytest.mark.usefixtures("started")
async def test_r4_11_a_message_taken_back_before_it_is_heard_is_not_heard(app: App) -> None:
    """The notice may overtake it: other plugins, a quoted message that is looked up."""
    assert running.chat is not None
    assert running.app is not None
    for kind, notice, said in (
        (FriendRecallNoticeEvent, taken_back("friend_recall", 30004, 74), private("我喜欢榴莲糖")),
        (
            GroupRecallNoticeEvent,
            taken_back("group_recall", 30004, 75, group_id=32, operator_id=30004),
            group([at(SELF_ID), text(" 我喜欢榴莲糖")], group_id=32),
        ),
    ):
        assert isinstance(notice, kind)
        said = said.model_copy(update={"user_id": 30004, "message_id": notice.message_id})
        await running.chat.withdraw(notice)
        await receive(app, said)
    assert await stored("30004") == ([], [])
    notice = taken_back("group_recall", 30004, 76, group_id=32, operator_id=30004)
    assert isinstance(notice, GroupRecallNoticeEvent)
    await running.chat.withdraw(notice)
    await receive(app, group("我昨天看了剑鱼", user_id=30004, message_id=76, group_id=32))
    asked = group([at(SELF_ID), text(" 嗯")], user_id=30005, message_id=77, group_id=32)
    await receive(app, asked, "嗯，我在听。")
    assert "剑鱼" not in await in_thread(_kept_prompts, "qq_group_32")


def _kept_prompts(conversation_id: str) -> str:
    assert running.app is not None
    with running.app.rooms.store.database.read() as c:
        kept = c.scalars(select(traces.c.prompt).where(traces.c.conversation_id == conversation_id))
        return "\n".join(filter(None, kept))


@pytest.mark.usefixtures("started")
async def test_r7_04_a_paused_person_goes_by_number_where_others_mention_them(app: App) -> None:
    assert running.app is not None
    await in_thread(running.app.pause, "30006")
    card = {"user_id": 30006, "nickname": "百里", "card": "片甲"}
    await receive(app, group("路过", user_id=30006, message_id=78, group_id=33, sender=card))
    asked = group([at(SELF_ID), at(30006), text(" 在吗")], user_id=30007, message_id=79, group_id=33)
    await receive(app, asked, "嗯，我在听。")
    assert (await stored("30007"))[0] == ["@30006 在吗"]


@pytest.mark.usefixtures("started")
async def test_r4_11_a_note_goes_with_the_message_that_had_it_kept(app: App) -> None:
    assert running.chat is not None
    assert running.app is not None
    for message_id, words in ((80, "钥匙在花盆下"), (81, "周五值班")):
        await command(app, private(f"/记忆 记住 {words}", user_id=30008, message_id=message_id))
    notice = taken_back("friend_recall", 30008, 80)
    assert isinstance(notice, FriendRecallNoticeEvent)
    await running.chat.withdraw(notice)
    [note] = await in_thread(running.app.rooms.prompts.notes.find, "30008")
    assert note.content == "周五值班"
    assert await command(app, private("/记忆 记住 钥匙在花盆下", user_id=30008, message_id=80)) == []
    assert await in_thread(running.app.rooms.prompts.notes.find, "30008") == [note]


@pytest.mark.usefixtures("started")
async def test_r4_11_a_message_taken_back_is_gone_whoever_plays_there_by_now(app: App) -> None:
    assert running.chat is not None
    assert running.app is not None
    await receive(app, private("我喜欢榴莲糖", user_id=30009, message_id=82), "记住了：你喜欢榴莲糖。")
    folder = running.app.rooms.store.directory
    assert folder is not None
    card = folder / "characters" / "bookshop.json"
    await in_thread(card.parent.mkdir, exist_ok=True)
    await in_thread(card.write_text, '{"name": "阿波"}', "utf-8")
    await in_thread(running.app.bindings.bind, "qq_private_30009", "bookshop")
    notice = taken_back("friend_recall", 30009, 82)
    assert isinstance(notice, FriendRecallNoticeEvent)
    await running.chat.withdraw(notice)
    assert (await stored("30009"))[0] == []
