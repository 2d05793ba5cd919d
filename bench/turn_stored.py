"""What was said before the bench of turns begins: the turns of many chats, as the product keeps them."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope, group_conversation, private_conversation
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.storage.presence import note_presence
from nonebot_plugin_memoryfs.storage.tables import traces
from nonebot_plugin_memoryfs.turn.trace import FULL_TEXTS

CHARACTER = "neko"
START = datetime(2026, 1, 1, 8, tzinfo=UTC)
OWN_PART = 10
"""The asker said every tenth of the turns in a private chat; as many were said in a group with them."""

_ASKER = "10001"
_CHAT = 100
"""Turns of each chat of somebody else."""
_FACT_EVERY = 5
_TRANSACTION = 2_000
_PROMPT = "这是一次请求的全文，留着给人看。" * 150
_THINGS = ("摇滚", "爵士", "香菜", "登山", "猫", "科幻小说", "桌游", "咖啡", "摄影", "骑车", "火锅", "钢琴")
_KINDS = ("练习册", "俱乐部", "展览", "纪录片", "周边", "教程", "小店", "比赛")
_LINES = (
    "说起{0}{1}，我昨天又去看了一回，人比上次多",
    "{0}真难，练了{2}天还是不行",
    "周末想带朋友去{1}，你觉得哪家好",
    "今天好累，第{2}次想请假",
    "哈哈哈第{2}个笑话也太冷了",
    "刚才那家{0}{1}的老板认出我了",
)
_REPLY = "嗯嗯，我听着呢，{0}听起来很有意思，那后来怎么样了？"


def asker(number: int = 0) -> Scope:
    """A person in their private chat; the first is the one of whom much is stored."""
    user = str(int(_ASKER) + number)
    return Scope(CHARACTER, private_conversation(user), user, private=True)


def thing(numbers: random.Random) -> str:
    """Something to talk about."""
    return f"{numbers.choice(_THINGS)}{numbers.choice(_KINDS)}"


def fill(store: Store, count: int) -> None:
    """Put so many turns into a store: texts and their index, facts, traces, where everybody was seen."""
    graph, numbers = MemoryGraph(store), random.Random(count)
    scopes = _scopes(numbers)
    written = 0
    with store.database.write() as connection:
        note_presence(connection, _ASKER, group_conversation("9"), START - timedelta(minutes=count))
    while written < count:
        with store.database.write() as connection:
            rows: list[dict[str, Any]] = []
            for _ in range(min(_TRANSACTION, count - written)):
                written += 1
                at = START - timedelta(minutes=count - written)
                rows.append(_turn(graph, next(scopes), written, at, numbers))
            connection.execute(insert(traces), rows)


def _turn(
    graph: MemoryGraph, scope: Scope, number: int, at: datetime, numbers: random.Random
) -> dict[str, Any]:
    """One turn, with a fact now and then; its trace, with the full text where it is among a chat's newest."""
    what = numbers.choice(_THINGS)
    text = numbers.choice(_LINES).format(what, numbers.choice(_KINDS), number)
    turn = graph.open_turn(scope, "小林", text, at=at)
    graph.complete_turn(turn, reply=_REPLY.format(what), speaker="小忆")
    if number % _FACT_EVERY == 0:
        fact = {"subject": "用户", "relation": numbers.choice(("喜欢", "不喜欢", "打算"))}
        graph.memory_commit(scope, [{**fact, "object": f"{thing(numbers)}{number}"}], turn_id=turn, said=text)
    prompt = _PROMPT if number % _CHAT >= _CHAT - FULL_TEXTS else None
    return {
        "turn_id": turn,
        "character_id": scope.character_id,
        "conversation_id": scope.conversation_id,
        "body": {"turn_id": turn, "errors": []},
        "prompt": prompt,
        "prompt_size": len(prompt.encode()) if prompt else 0,
    }


def _scopes(numbers: random.Random) -> Iterator[Scope]:
    """Who speaks where, turn after turn."""
    own = asker()
    number = 0
    while True:
        for place in range(OWN_PART):
            number += 1
            if place == 0:
                yield own
            elif place == 1:
                yield Scope(CHARACTER, group_conversation("9"), str(numbers.randrange(20)), private=False)
            else:
                yield asker(1_000 + number // _CHAT)
