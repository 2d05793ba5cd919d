"""R7.2, R7.11, R4.7: a real websocket client talks to `bot.py`, in private and in groups."""

import asyncio

from ..sim.onebot import OneBotClient, at, face, image, record, reply, text
from ..sim.payloads import group_message
from .conftest import SELF_ID


async def test_r7_11_private_message_is_answered_and_remembered(talk: OneBotClient) -> None:
    await talk.private(101, "我喜欢摇滚，最近在做一个 NoneBot 插件")
    stored = await talk.next_reply(to=101)
    assert stored.kind == "private"
    assert "摇滚" in stored.text
    assert "NoneBot 插件" in stored.text
    await talk.private(101, "我喜欢什么？")
    assert "摇滚" in (await talk.next_reply(to=101)).text


async def test_r7_02_array_and_string_form_are_the_same(talk: OneBotClient) -> None:
    await talk.group(201, 111, f"[CQ:at,qq={SELF_ID}] 我喜欢爵士", nickname="小红")
    assert "爵士" in (await talk.next_reply(to=201)).text
    await talk.group(201, 111, [at(SELF_ID), text(" 我喜欢什么？")], nickname="小红")
    assert "爵士" in (await talk.next_reply(to=201)).text


async def test_r7_02_unaddressed_group_messages_are_not_answered(talk: OneBotClient) -> None:
    await talk.group(202, 112, "今天天气真好")
    await talk.group(202, 112, [at(99999), text(" 你呢")])
    await talk.silence(0.7)


async def test_r7_02_at_in_the_middle_addresses_the_bot(talk: OneBotClient) -> None:
    await talk.group(203, 113, [text("我喜欢"), at(SELF_ID), text("蓝莓，记得哦")])
    assert (await talk.next_reply(to=203)).kind == "group"


async def test_r7_02_nickname_addresses_the_bot(talk: OneBotClient) -> None:
    await talk.group(204, 114, "小忆，我喜欢摇滚")
    assert "摇滚" in (await talk.next_reply(to=204)).text


async def test_r7_02_a_reply_to_the_bot_addresses_it(talk: OneBotClient) -> None:
    await talk.group(205, 115, "小忆")
    called = await talk.next_reply(to=205)
    await talk.group(205, 115, [reply(called.message_id), text("我喜欢茶")])
    assert "茶" in (await talk.next_reply(to=205)).text
    assert any(call.action == "get_msg" for call in talk.calls)


async def test_r7_02_mentions_become_names(talk: OneBotClient) -> None:
    talk.member(206, 117, nickname="阿花", card="花花")
    await talk.group(206, 116, [at(SELF_ID), text(" "), at(117), text(" 刚刚夸你了")])
    await talk.next_reply(to=206)
    asked = await talk.wait_calls("get_group_member_info")
    assert int(asked[-1].params["user_id"]) == 117
    await talk.group(206, 116, [at(SELF_ID), text(" 刚才我们聊了什么？")])
    assert "花花(117)" in (await talk.next_reply(to=206)).text


async def test_r7_11_failed_answers_of_the_platform_stop_nothing(talk: OneBotClient) -> None:
    talk.fail["get_group_member_info"] = (100, "no such member")
    await talk.group(207, 118, [at(SELF_ID), text(" "), at(119), text(" 在吗")])
    await talk.next_reply(to=207)
    del talk.fail["get_group_member_info"]
    talk.fail["send_msg"] = (100, "blocked")
    sent = sum(call.action == "send_msg" for call in talk.calls)
    await talk.private(120, "我喜欢摇滚")
    await talk.wait_calls("send_msg", sent + 1)
    del talk.fail["send_msg"]
    await talk.private(120, "我喜欢什么？")
    assert "摇滚" in (await talk.next_reply(to=120)).text


async def test_r4_02_odd_messages(talk: OneBotClient) -> None:
    await talk.private(121, "   ")
    await talk.private(121, [])
    await talk.silence(0.5)
    await talk.group(208, 121, [at(SELF_ID)])
    assert (await talk.next_reply(to=208)).text
    await talk.private(121, [image("a.jpg"), record("b.amr"), face(1)])
    assert (await talk.next_reply(to=121)).text
    await talk.private(121, "很" * 10_000)
    assert (await talk.next_reply(to=121)).text


async def test_r7_02_strange_nicknames(talk: OneBotClient) -> None:
    for nickname in ("\u202e\x00\x07坏\n名字", "👨‍👩‍👧🎉", "", "【系统】" * 30, "\u200b"):
        await talk.private(122, "我喜欢猫", nickname=nickname)
        assert "猫" in (await talk.next_reply(to=122)).text


async def test_r7_02_own_anonymous_and_other_accounts_are_ignored(talk: OneBotClient) -> None:
    await talk.group(209, SELF_ID, [at(SELF_ID), text(" 我喜欢自己")])
    await talk.anonymous(209, [at(SELF_ID), text(" 我喜欢匿名")])
    await talk.silence(0.7)


async def test_r4_07_what_a_person_says_is_never_sent_as_code(talk: OneBotClient) -> None:
    code = "[CQ:at,qq=all]"
    await talk.private(123, [text(f"我喜欢{code}")])
    await talk.next_reply(to=123)
    await talk.private(123, [text("我喜欢什么？")])
    sent = await talk.next_reply(to=123)
    assert {segment["type"] for segment in sent.message} == {"text"}


async def test_r4_04_a_burst_is_answered_in_order(talk: OneBotClient) -> None:
    people = range(301, 321)
    for person in people:
        await talk.group(210, person, [at(SELF_ID), text(f" 我喜欢第{person}号")])
    for person in people:
        assert f"第{person}号" in (await talk.next_reply(to=210)).text


async def test_r1_17_a_private_secret_is_not_told_elsewhere(talk: OneBotClient) -> None:
    await talk.private(124, "我喜欢偷偷写诗")
    await talk.next_reply(to=124)
    for person in (124, 125):
        await talk.group(211, person, [at(SELF_ID), text(" 我喜欢什么？谁喜欢写诗？")])
        assert "写诗" not in (await talk.next_reply(to=211)).text
    await talk.private(125, "谁喜欢偷偷写诗？124喜欢什么？")
    assert "偷偷" not in (await talk.next_reply(to=125)).text


async def test_r1_17_group_memory_reaches_its_own_members_only(talk: OneBotClient) -> None:
    await talk.group(212, 126, [at(SELF_ID), text(" 我喜欢登山")])
    await talk.next_reply(to=212)
    await talk.group(213, 126, [at(SELF_ID), text(" 我喜欢什么？")])
    assert "登山" not in (await talk.next_reply(to=213)).text
    await talk.private(126, "我喜欢什么？")
    assert "登山" in (await talk.next_reply(to=126)).text
    await talk.private(127, "126喜欢登山吗？谁喜欢登山？")
    assert "喜欢登山。" not in (await talk.next_reply(to=127)).text


async def test_r1_17_what_only_looks_like_a_group_message_is_not_answered(talk: OneBotClient) -> None:
    """Events the adapter can't parse as a group message must not pass for a private chat."""
    await talk.private(128, "我喜欢秘密甲")
    await talk.next_reply(to=128)
    for odd in (
        {"anonymous": {}},
        {"anonymous": ""},
        {"anonymous": {"id": 80000000, "name": "大力鬼王", "flag": None}},
        {"group_id": None},
        {"group_id": "g1"},
        {"message_type": "guild"},
        {"message_type": "channel"},
    ):
        message = [at(SELF_ID), text(" 我喜欢什么？")]
        payload = group_message(
            SELF_ID, 214, 128, message, message_id=1, nickname="小明", card="", role="member"
        )
        await talk.emit({**payload, **odd})
    await talk.silence(1.0)


async def test_r2_02_others_words_are_not_put_into_ones_mouth(talk: OneBotClient) -> None:
    await talk.group(215, 129, [at(SELF_ID), text(" 我喜欢摇滚")], nickname="阿花")
    await talk.next_reply(to=215)
    await talk.group(215, 130, [at(SELF_ID), text(" 刚才我们聊了什么？")], nickname="老王")
    assert (await talk.next_reply(to=215)).text.startswith("刚才阿花说")
    await talk.group(215, 130, [at(SELF_ID), text(" 我喜欢什么？")], nickname="老王")
    assert "摇滚" not in (await talk.next_reply(to=215)).text


async def test_r2_05_a_correction_is_what_is_told(talk: OneBotClient) -> None:
    await talk.private(131, "我住在杭州")
    await talk.next_reply(to=131)
    await talk.private(131, "我现在住在上海")
    await talk.next_reply(to=131)
    for filler in ("今天好累啊", "晚饭吃什么好呢", "哈哈"):
        await talk.private(131, filler)
        await talk.next_reply(to=131)
    await talk.private(131, "我住在哪里？")
    answer = (await talk.next_reply(to=131)).text
    assert "上海" in answer
    assert "杭州" not in answer


async def test_r4_05_a_changed_mind_is_what_is_told(talk: OneBotClient) -> None:
    for said in ("我喜欢香菜", "我不喜欢香菜"):
        await talk.private(132, said)
        await talk.next_reply(to=132)
    await talk.private(132, "我喜欢香菜吗？")
    assert (await talk.next_reply(to=132)).text == "你不喜欢香菜。"


async def test_r4_04_mentions_nobody_answers_for_do_not_stall_the_group(talk: OneBotClient) -> None:
    talk.lost.add("get_group_member_info")
    started = asyncio.get_running_loop().time()
    strangers = [at(9_000 + number) for number in range(12)]
    await talk.group(216, 133, [at(SELF_ID), text(" 看看 "), *strangers])
    await talk.group(216, 134, [at(SELF_ID), text(" 我喜欢茶")])
    await talk.next_reply(to=216)
    assert "茶" in (await talk.next_reply(to=216)).text
    talk.lost.clear()
    assert asyncio.get_running_loop().time() - started < 8


async def test_r7_02_a_late_quote_is_still_answered_with_its_quote(talk: OneBotClient) -> None:
    await talk.group(217, 135, "小忆")
    called = await talk.next_reply(to=217)
    talk.late["get_msg"] = 0.5
    await talk.group(217, 135, [reply(called.message_id), text("我喜欢咖啡")])
    await talk.group(217, 136, [at(SELF_ID), text(" 我喜欢牛奶")])
    answers = {(await talk.next_reply(to=217)).text for _ in range(2)}
    talk.late.clear()
    assert answers == {"记住了：你喜欢咖啡。", "记住了：你喜欢牛奶。"}
