"""Checks the simulator against aiocqhttp, a bot-side OneBot SDK by other people.

aiocqhttp needs an environment of its own; from the root of the repository:

    uv run --isolated --no-project --with aiocqhttp --with websockets \
        python -m tests.sim.check_aiocqhttp

Prints a table of checks; the exit status is 0 when all of them hold.
"""
# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportMissingParameterType=false, reportUnknownLambdaType=false

import asyncio
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from aiocqhttp import ActionFailed, CQHttp, Event, NetworkError
from aiocqhttp import Message as TheirMessage

from .onebot import HandshakeRefused, OneBotClient, at, face, forward, image, record, reply, text
from .payloads import Segment, to_cq
from .process import free_port

BOT, FRIEND, GROUP, TOKEN = 12345, 10001, 20001, "check-token"
TRICKY = "a,b [CQ:face,id=1] &amp; 你好\nend"


class Check:
    """A running aiocqhttp bot, the simulator connected to it, and the table of results."""

    def __init__(self, bot: CQHttp, client: OneBotClient) -> None:
        self.bot, self.client = bot, client
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.rows: list[tuple[str, str, bool]] = []
        bot.on("message", "notice", "meta_event")(self.events.put)

    def row(self, name: str, seen: object, expected: object) -> None:
        """Note what aiocqhttp saw."""
        good = seen == expected
        self.rows.append((name, f"{seen!r}" if good else f"{seen!r}, expected {expected!r}", good))

    async def event(self) -> Event:
        """The next event as aiocqhttp gives it to a handler."""
        return await asyncio.wait_for(self.events.get(), 5)

    async def error(self, call: Awaitable[Any]) -> Exception | None:
        """What an API call raises."""
        try:
            await call
        except (ActionFailed, NetworkError) as error:
            return error
        return None

    async def messages(self) -> None:
        """Both kinds of messages, in both forms, with each kind of segment."""
        segments = [text(TRICKY), at(BOT), face(14), image(), record(), forward()]
        same = {"array": segments, "string": to_cq(segments)}
        for form, message in same.items():
            message_id = await self.client.private(FRIEND, message, nickname="明")
            event = await self.event()
            self.row(f"private, {form} form", event.name, "message.private.friend")
            self.row("  ids", (event.message_id, event.user_id), (message_id, FRIEND))
            self.row("  sender", event.sender["nickname"], "明")
            self._same_message(event, segments)
            await self.client.group(GROUP, FRIEND, message, card="名片", role="admin")
            event = await self.event()
            self.row(f"group, {form} form", event.name, "message.group.normal")
            self.row("  ids", (event.group_id, event.user_id), (GROUP, FRIEND))
            sender = event.sender["card"], event.sender["role"]
            self.row("  sender", sender, ("名片", "admin"))
            self._same_message(event, segments)
        await self.client.group(GROUP, FRIEND, [at(BOT), text(" 在吗")])
        self.row("at", str((await self.event()).message), f"[CQ:at,qq={BOT}] 在吗")
        await self.client.private(FRIEND, [reply(7), text("对")])
        self.row("reply", str((await self.event()).message), "[CQ:reply,id=7]对")
        await self.client.anonymous(GROUP, "匿名", name="鬼王")
        event = await self.event()
        self.row("anonymous", event.name, "message.group.anonymous")
        self.row("  name", event.anonymous["name"], "鬼王")

    def _same_message(self, event: Event, segments: list[Segment]) -> None:
        expected = TheirMessage(segments)
        self.row("  segments as sent", [dict(s) for s in event.message] == segments, True)
        self.row("  raw_message as theirs", event.raw_message == str(expected), True)

    async def other_events(self) -> None:
        """Meta events, recalls, and the bot's own messages."""
        await self.client.lifecycle()
        self.row("lifecycle", (await self.event()).name, "meta_event.lifecycle.connect")
        await self.client.heartbeat()
        event = await self.event()
        self.row("heartbeat", event.name, "meta_event.heartbeat")
        self.row("  status", event.status, {"online": True, "good": True})
        for write, name in (
            (self.client.private(FRIEND, "x"), "notice.friend_recall"),
            (self.client.group(GROUP, FRIEND, "x"), "notice.group_recall"),
        ):
            message_id = await write
            await self.event()
            await self.client.recall(message_id, operator_id=FRIEND)
            event = await self.event()
            self.row(name, (event.name, event.message_id), (name, message_id))
        await self.bot.send_msg(user_id=FRIEND, message="自己说的")
        await self.client.message_sent(await self.client.next_reply())
        await self.client.heartbeat()
        self.row("message_sent is no message", (await self.event()).type, "meta_event")

    async def sending(self) -> None:
        """What aiocqhttp sends arrives, and it understands the answers."""
        bot, client = self.bot, self.client
        await client.private(FRIEND, "hi")
        answer = await bot.send(await self.event(), TRICKY)
        sent = await client.next_reply()
        self.row("send to private", (sent.kind, sent.target_id), ("private", FRIEND))
        self.row("  its message_id", answer["message_id"] == sent.message_id, True)
        await client.group(GROUP, FRIEND, "hi")
        await bot.send(await self.event(), "好", at_sender=True)
        sent = await client.next_reply()
        self.row("send to group, at_sender", (sent.kind, sent.target_id), ("group", GROUP))
        self.row("  its segments", sent.message, [at(FRIEND), text(" 好")])
        node = {"type": "node", "data": {"user_id": "1", "nickname": "n", "content": "一"}}
        await bot.send_group_forward_msg(group_id=GROUP, messages=[node])
        self.row("send_group_forward_msg", (await client.next_reply()).text, "一\n")

    async def asking(self) -> None:
        """Answers with data, failures, late and missing answers."""
        bot, client = self.bot, self.client
        message_id = await client.private(FRIEND, [text("记得我")])
        await self.event()
        got = await bot.get_msg(message_id=message_id)
        self.row("get_msg", got["message"], [text("记得我")])
        client.member(GROUP, FRIEND, nickname="明", card="名片")
        info = await bot.get_group_member_info(group_id=GROUP, user_id=FRIEND)
        self.row("get_group_member_info", (info["card"], info["role"]), ("名片", "member"))
        self.row("get_login_info", (await bot.get_login_info())["user_id"], BOT)
        self.row("get_stranger_info", (await bot.get_stranger_info(user_id=9))["user_id"], 9)
        self.row("get_group_list", [g["group_id"] for g in await bot.get_group_list()], [GROUP])
        self.row("get_status", (await bot.get_status())["good"], True)
        versions = await bot.get_version_info()
        self.row("get_version_info", versions["protocol_version"], "v11")
        for name, call, retcode in (
            ("no such member", bot.get_group_member_info(group_id=GROUP, user_id=2), 1200),
            ("bad parameters", bot.send_group_msg(message="x"), 1400),
            ("unknown action", bot.call_action("no_such_action"), 1404),
        ):
            error = await self.error(call)
            seen = (type(error).__name__, getattr(error, "retcode", None))
            self.row(f"failed: {name}", seen, ("ActionFailed", retcode))
        gate = client.late["get_status"] = asyncio.Event()
        late = asyncio.create_task(bot.get_status())
        await client.wait_calls("get_status", 2)
        early = await bot.get_login_info()
        gate.set()
        seen = early["user_id"], (await late)["online"]
        self.row("late answer, another before it", seen, (BOT, True))
        client.unanswered.add("get_login_info")
        error = await self.error(bot.get_login_info())
        self.row("unanswered", type(error).__name__, "NetworkError")

    async def tokens(self) -> None:
        """A client without the right token stays out."""
        for token, status in (("wrong", 403), (None, 401)):
            try:
                async with OneBotClient(url=self.client.url, self_id=2, access_token=token):
                    seen = 101
            except HandshakeRefused as error:
                seen = error.status
            self.row(f"token {token!r} refused", seen, status)


async def check() -> list[tuple[str, str, bool]]:
    """Run all checks over a real socket."""
    port, stop = free_port(), asyncio.Event()
    bot = CQHttp(access_token=TOKEN, message_class=TheirMessage, api_timeout_sec=2)
    server = asyncio.create_task(
        bot.run_task("127.0.0.1", port, shutdown_trigger=stop.wait)  # type: ignore[arg-type]
    )
    client = OneBotClient(url=f"ws://127.0.0.1:{port}/ws", self_id=BOT, access_token=TOKEN)
    await _connect(client)
    table = Check(bot, client)
    steps: list[Callable[[], Awaitable[None]]] = [
        table.messages,
        table.other_events,
        table.sending,
        table.asking,
        table.tokens,
    ]
    for step in steps:
        await step()
    await client.close()
    stop.set()
    await server
    return table.rows


async def _connect(client: OneBotClient) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                return await client.connect()
            except OSError:  # the server is still starting
                await asyncio.sleep(0.05)


def main() -> int:
    """Print the table."""
    rows = asyncio.run(check())
    print(f"aiocqhttp {version('aiocqhttp')}, websockets {version('websockets')}")
    print("\n| check | aiocqhttp saw | |\n|---|---|---|")
    for name, seen, good in rows:
        print(f"| {name} | {seen} | {'ok' if good else 'WRONG'} |")
    wrong = sum(not good for *_, good in rows)
    print(f"\n{len(rows)} checks, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
