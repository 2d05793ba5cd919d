"""The simulated OneBot implementation: events, API answers, waiting, and its independent check."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest

from .conftest import BOT, TOKEN, PlainBot
from .onebot import ConnectionLost, HandshakeRefused, OneBotClient, Sent, at, image, reply, text
from .payloads import ANONYMOUS_USER, Json

FRIEND, GROUP = 10001, 20001
ROOT = Path(__file__).parents[2]
NEVER = 0.05
"""Seconds to see that nothing comes."""


async def test_headers(client: OneBotClient, bot: PlainBot) -> None:
    headers = {name.lower(): value for name, value in bot.headers.items()}
    assert headers["x-self-id"] == "12345"
    assert headers["x-client-role"] == "Universal"
    assert headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("token", [None, "wrong"])
async def test_refused_handshake_tells_the_status(url: str, token: str | None) -> None:
    with pytest.raises(HandshakeRefused) as refused:
        await OneBotClient(url=url, self_id=BOT, access_token=token).connect()
    assert refused.value.status == 403


async def test_private_message(client: OneBotClient, bot: PlainBot) -> None:
    message = [text("看[这]"), image("a.png")]
    message_id = await client.private(FRIEND, message, nickname="明", sender={"age": 20})
    event = await bot.frame()
    assert abs(event.pop("time") - time.time()) < 5
    assert event == {
        "self_id": BOT,
        "post_type": "message",
        "message_type": "private",
        "sub_type": "friend",
        "user_id": FRIEND,
        "target_id": BOT,
        "message_id": message_id,
        "message_seq": message_id,
        "real_id": message_id,
        "message": message,
        "message_format": "array",
        "raw_message": "看&#91;这&#93;[CQ:image,file=a.png,url=https://img.invalid/a.png]",
        "font": 14,
        "sender": {"user_id": FRIEND, "nickname": "明", "card": "", "sex": "unknown", "age": 20},
    }
    assert 0 < message_id < 2**31


async def test_group_message_in_string_form(client: OneBotClient, bot: PlainBot) -> None:
    await client.group(GROUP, FRIEND, "[CQ:at,qq=12345] 在吗", card="名片", role="owner", time=7)
    event = await bot.frame()
    assert event["time"] == 7
    assert (event["message_type"], event["sub_type"]) == ("group", "normal")
    assert (event["group_id"], event["anonymous"]) == (GROUP, None)
    assert event["message"] == event["raw_message"] == "[CQ:at,qq=12345] 在吗"
    assert event["message_format"] == "string"
    assert (event["sender"]["card"], event["sender"]["role"]) == ("名片", "owner")


async def test_anonymous(client: OneBotClient, bot: PlainBot) -> None:
    await client.anonymous(GROUP, "嘿", name="鬼王")
    event = await bot.frame()
    assert (event["sub_type"], event["user_id"]) == ("anonymous", ANONYMOUS_USER)
    assert event["anonymous"]["name"] == event["sender"]["nickname"] == "鬼王"


async def test_heartbeat(client: OneBotClient, bot: PlainBot) -> None:
    await client.heartbeat()
    event = await bot.frame()
    assert (event["post_type"], event["meta_event_type"]) == ("meta_event", "heartbeat")
    assert event["status"] == {"online": True, "good": True}


@pytest.mark.parametrize("kind", ["friend", "group"])
async def test_recall(client: OneBotClient, bot: PlainBot, kind: str) -> None:
    expected: Json = {"notice_type": f"{kind}_recall", "user_id": FRIEND, "self_id": BOT}
    if kind == "friend":
        message_id = await client.private(FRIEND, "x")
    else:
        message_id = await client.group(GROUP, FRIEND, "x")
        expected |= {"group_id": GROUP, "operator_id": 9}
    await bot.frame()
    await client.recall(message_id, operator_id=9)
    event = await bot.frame()
    assert event.items() >= (expected | {"message_id": message_id}).items()
    assert (await bot.call("get_msg", message_id=message_id))["status"] == "failed"


async def test_the_bots_own_message_comes_back(client: OneBotClient, bot: PlainBot) -> None:
    await bot.call("send_msg", group_id=GROUP, user_id=FRIEND, message=[text("hi")])
    sent = await client.next_reply()
    await client.message_sent(sent)
    event = await bot.frame()
    assert (event["post_type"], event["message_type"]) == ("message_sent", "group")
    assert (event["user_id"], event["message_id"]) == (BOT, sent.message_id)


@pytest.mark.parametrize(
    ("action", "params", "kind", "target"),
    [
        ("send_msg", {"user_id": FRIEND}, "private", FRIEND),
        ("send_msg", {"message_type": "group", "group_id": GROUP, "user_id": 1}, "group", GROUP),
        ("send_private_msg", {"user_id": str(FRIEND)}, "private", FRIEND),
        ("send_group_msg", {"group_id": GROUP}, "group", GROUP),
    ],
)
@pytest.mark.parametrize("message", [[at(7), text("a&b")], "[CQ:at,qq=7]a&amp;b"])
async def test_sending(
    client: OneBotClient,
    bot: PlainBot,
    action: str,
    params: dict[str, Any],
    kind: Any,
    target: int,
    message: Any,
) -> None:
    answer = await bot.call(action, message=message, **params)
    message_id = answer["data"]["message_id"]
    assert (answer["status"], answer["retcode"], answer["echo"]) == ("ok", 0, "1")
    expected = Sent(kind=kind, target_id=target, message=[at(7), text("a&b")], message_id=message_id)
    assert await client.next_reply() == expected
    assert expected.text == "a&b"
    got = (await bot.call("get_msg", message_id=message_id))["data"]
    assert (got["message_type"], got["sender"]["user_id"]) == (kind, BOT)


async def test_forward_bundle(client: OneBotClient, bot: PlainBot) -> None:
    nodes = [{"type": "node", "data": {"user_id": "1", "content": c}} for c in ("a", [text("b")])]
    await bot.call("send_group_forward_msg", group_id=GROUP, messages=nodes)
    await bot.call("send_private_forward_msg", user_id=FRIEND, messages=nodes)
    in_group, in_private = await client.wait_sent(2)
    assert (in_group.kind, in_group.target_id, in_group.text) == ("group", GROUP, "a\nb\n")
    assert (in_private.kind, in_private.target_id) == ("private", FRIEND)


@pytest.mark.parametrize(
    ("action", "params", "retcode"),
    [
        ("no_such_action", {}, 1404),
        ("send_group_msg", {"message": "x"}, 1400),
        ("send_msg", {"message_type": "guild", "message": "x"}, 1400),
        ("send_private_msg", {"user_id": 1, "message": [7]}, 1400),
        ("send_private_msg", {"user_id": 1, "message": ""}, 100),
        ("get_msg", {"message_id": 1}, 1200),
        ("get_group_member_info", {"group_id": 1, "user_id": 1}, 1200),
    ],
)
async def test_failing(
    client: OneBotClient, bot: PlainBot, action: str, params: dict[str, Any], retcode: int
) -> None:
    answer = await bot.call(action, **params)
    assert (answer["status"], answer["retcode"], answer["data"]) == ("failed", retcode, None)
    assert client.calls[-1].action == action
    assert client.sent == []


async def test_failing_on_demand(client: OneBotClient, bot: PlainBot) -> None:
    client.fail["get_status"] = (1300, "gone")
    answer = await bot.call("get_status")
    assert (answer["retcode"], answer["message"]) == (1300, "gone")
    client.fail["send_msg"] = lambda params: (120, "muted") if "group_id" in params else None
    assert (await bot.call("send_msg", group_id=1, message="x"))["retcode"] == 120
    assert (await bot.call("send_msg", user_id=1, message="x"))["retcode"] == 0
    assert [sent.target_id for sent in client.sent] == [1]


async def test_what_the_account_knows(client: OneBotClient, bot: PlainBot) -> None:
    client.member(GROUP, FRIEND, nickname="明", card="名片")
    client.strangers[7] = {"nickname": "七"}
    member = (await bot.call("get_group_member_info", group_id=GROUP, user_id=FRIEND))["data"]
    assert (member["card"], member["role"], member["user_id"]) == ("名片", "member", FRIEND)
    assert (await bot.call("get_stranger_info", user_id=7))["data"]["nickname"] == "七"
    assert (await bot.call("get_login_info"))["data"]["user_id"] == BOT
    groups = (await bot.call("get_group_list"))["data"]
    assert [(group["group_id"], group["member_count"]) for group in groups] == [(GROUP, 1)]
    assert (await bot.call("get_version_info"))["data"]["protocol_version"] == "v11"


@pytest.mark.parametrize("echo", [7, "7", None, {"seq": 1}, [1, {"a": None}]])
async def test_echo_comes_back_unchanged(client: OneBotClient, bot: PlainBot, echo: object) -> None:
    await bot.send(action="get_status", params={}, echo=echo)
    assert (await bot.frame())["echo"] == echo


async def test_no_echo_without_one(client: OneBotClient, bot: PlainBot) -> None:
    await bot.send(action="get_status")
    assert "echo" not in await bot.frame()


async def test_late_and_missing_answers(client: OneBotClient, bot: PlainBot) -> None:
    gate = client.late["send_msg"] = asyncio.Event()
    client.unanswered.add("send_group_msg")
    client.lost.add("send_private_msg")
    for action in ("send_msg", "send_group_msg", "send_private_msg", "get_status"):
        await bot.send(action=action, params={"user_id": 1, "group_id": 2, "message": action})
    assert (await bot.frame())["data"] == {"online": True, "good": True}
    assert [sent.text for sent in await client.wait_sent(2)] == ["send_msg", "send_group_msg"]
    gate.set()
    assert (await bot.frame())["data"]["message_id"] == client.sent[0].message_id
    assert bot.frames.empty()
    assert [call.action for call in client.calls][2] == "send_private_msg"


async def test_reading_replies(client: OneBotClient, bot: PlainBot) -> None:
    for target in (1, 2, 3):
        await bot.call("send_private_msg", user_id=target, message=str(target))
    assert (await client.next_reply(to=2)).text == "2"
    assert (await client.next_reply()).text == "1"
    with pytest.raises(AssertionError, match="expected silence"):
        await client.silence(NEVER)
    assert len(await client.wait_sent(3)) == 3
    await client.silence(NEVER)
    with pytest.raises(TimeoutError, match=r"no reply within .*send_private_msg"):
        await client.next_reply(timeout=NEVER)
    assert len(await client.wait_calls("send_private_msg", 3)) == 3


async def test_the_bot_dies_and_comes_back(client: OneBotClient, bot: PlainBot) -> None:
    waiting = asyncio.create_task(client.next_reply())
    bot.die()
    with pytest.raises(ConnectionLost):
        await waiting
    with pytest.raises(ConnectionLost):
        await client.silence(NEVER)
    await client.wait_closed()
    with pytest.raises(ConnectionLost):
        await client.private(FRIEND, "x")
    await client.connect()
    await client.private(FRIEND, [reply(1), text("again")])
    assert (await bot.frame())["raw_message"] == "[CQ:reply,id=1]again"


def test_against_aiocqhttp() -> None:
    """An SDK by other people reads our events and gets our answers right."""
    uv = shutil.which("uv")
    if uv is None:
        _cannot("uv is not on the PATH")
    run = [uv, "run", "--isolated", "--no-project", "--python", sys.executable]
    run += ["--with", "aiocqhttp", "--with", "websockets>=15", "python"]
    if (built := _run([*run, "-c", "import aiocqhttp"], 240)).returncode:
        _cannot(f"no environment with aiocqhttp: {built.stderr[-500:]}")
    checked = _run([*run, "-m", "tests.sim.check_aiocqhttp"], 60)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def _run(command: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        timeout=timeout,
        check=False,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )


def _cannot(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
