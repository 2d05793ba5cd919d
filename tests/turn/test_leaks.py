"""R1.18: whole evenings, generated; nothing shown in a conversation holds what its readers may not know.

People talk in groups and in private, come and go, and each plants a secret wherever they speak: said
aloud, stated as a fact, filed in a memory file, an event, the timeline, a note about them or their group.
Then everybody asks everywhere, and
every prompt, tool answer and reply is read for secrets that its readers may not know.
"""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings, parse
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.model import Answer, Ask, ModelRequestLog, load_offline
from nonebot_plugin_memoryfs.scope import Origin, Scope, Viewer, may_see
from nonebot_plugin_memoryfs.storage.presence import viewer_of
from nonebot_plugin_memoryfs.turn import Incoming, Overheard, Workflow

from ..conftest import Clock

USERS = ("1", "2", "3")


def private(user: str) -> Scope:
    return Scope("neko", f"qq_private_{user}", user, private=True)


def group(number: str, user: str) -> Scope:
    return Scope("neko", f"qq_group_{number}", user, private=False)


SCOPES = [private(user) for user in USERS] + [group(g, user) for g in ("8", "9") for user in USERS]
WAYS = ("said", "stated", "file", "event", "timeline", "note", "group note")
QUESTIONS = ("大家的秘密是什么？", "刚才和上次我们聊了什么秘密？", "2喜欢什么？谁喜欢什么秘密？")


@dataclass
class Prying:
    """Asks every tool about secrets and keeps all it was shown."""

    shown: list[str]
    name: str = "prying"

    async def answer(self, ask: Ask) -> Answer:
        tools = {tool.name: tool for tool in ask.tools}
        queries = [
            ("memory_recall", {"query_intent": "秘密,喜欢,团长,昵称", "depth": 3}),
            ("memory_recall", {"query_intent": ask.brief.text}),
            ("memory_purge", {"subject": "机密", "relation": "秘密"}),
            ("task_set_state", {"task_id": "Task_秘密", "state": "已完成"}),
        ]
        self.shown += [ask.system, ask.user]
        self.shown += [(await tools[name].call(arguments)).text for name, arguments in queries]
        log = ModelRequestLog(text=ask.system, milliseconds=0)
        offline = await (await load_offline()).answer(ask)
        self.shown.append(offline.text)
        return Answer(text="嗯", requests=(log,))


async def nowhere(_: str, __: str) -> None:
    return None


def evening(directory: Path, acts: list[tuple[Scope, str]], config: Settings) -> list[str]:
    """Play an evening; returns every leak as text."""
    clock = Clock(datetime(2026, 7, 1, tzinfo=UTC))
    app = App.open(config, directory, clock=clock)
    prying = Prying([])

    async def model() -> Prying:
        return prying

    workflow = Workflow(app.rooms, model, Overheard())

    async def say(scope: Scope, text: str) -> None:
        clock.advance(hours=1)
        name = f"人{scope.user_id}"
        await workflow.run(Incoming(scope=scope, speaker=name, text=text, at=clock(), send=nowhere))

    async def play() -> list[str]:
        planted: list[tuple[str, Origin]] = []
        for number, (scope, way) in enumerate(acts):
            secret = f"机密{number}号"
            await say(scope, f"我喜欢{secret}" if way == "stated" else f"秘密是{secret}")
            origin = Origin(scope.conversation_id, (scope.user_id,), clock())
            if way in ("file", "event", "timeline"):
                entry = Entry(
                    f"{secret}是秘密",
                    at=clock(),
                    conversation_id=scope.conversation_id,
                    people=(scope.user_id,),
                )
                await in_thread(app.rooms.memory.append, _path(app, scope, way), entry)
            elif way in ("note", "group note"):
                await in_thread(_add_note, app, scope, way, secret)
            planted.append((secret, origin))
        leaks: list[str] = []
        for scope in SCOPES:
            prying.shown.clear()
            before = await in_thread(_viewer, app, scope)
            for question in QUESTIONS:
                await say(scope, question)
            everything = "\n".join(prying.shown)
            for secret, origin in planted:
                if secret in everything and not may_see(before, origin, app.policy):
                    leaks.append(f"{secret} of {origin} was shown in {scope}")
        return leaks

    try:
        return asyncio.run(play())
    finally:
        app.rooms.store.close()


def _viewer(app: App, scope: Scope) -> Viewer:
    with app.rooms.store.database.read() as connection:
        return viewer_of(connection, scope)


def _add_note(app: App, scope: Scope, way: str, secret: str) -> None:
    target = f"user_{scope.user_id}" if way == "note" else "group_8"
    app.rooms.prompts.add_memory("秘密", f"{secret}是秘密", target, conversation_id=scope.conversation_id)


def _path(app: App, scope: Scope, way: str) -> str:
    memory = app.rooms.memory
    if way == "file":
        return memory.path_user_persona("neko", scope.user_id)
    if way == "event":
        return memory.path_important_events("neko", scope.conversation_id)
    return memory.path_timeline("neko")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    acts=st.lists(st.tuples(st.sampled_from(SCOPES), st.sampled_from(WAYS)), min_size=1, max_size=7),
    linked=st.booleans(),
    in_groups=st.booleans(),
)
@example(  # 2 is in 8 and 9, asks in 9 about 8
    acts=[(group("8", "2"), "said"), (group("8", "1"), "stated"), (group("9", "2"), "timeline")],
    linked=False,
    in_groups=False,
)
@example(  # 3 comes to 8 after the secret was told
    acts=[(group("8", "1"), "stated"), (group("8", "1"), "timeline"), (group("8", "3"), "said")],
    linked=False,
    in_groups=True,
)
@example(  # notes from private chats and from a group, about people and about the other group
    acts=[(private("1"), "note"), (private("2"), "group note"), (group("9", "1"), "group note")],
    linked=False,
    in_groups=True,
)
@example(  # private secrets, and the operator opened private memory in groups
    acts=[(private("1"), "stated"), (private("2"), "file"), (group("8", "1"), "said")],
    linked=True,
    in_groups=True,
)
def test_r1_18_no_prompt_answer_or_reply_holds_what_its_readers_may_not_know(
    tmp_path: Path, acts: list[tuple[Scope, str]], linked: bool, in_groups: bool
) -> None:
    config = parse({"private_memory_in_groups": in_groups, "linked_groups": [[8, 9]] if linked else []})
    directory = tmp_path / str(len(list(tmp_path.iterdir())))
    assert evening(directory, acts, config) == []
