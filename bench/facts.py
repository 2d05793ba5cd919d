"""What the graph of a bench holds: facts of many people in several conversations around one hub."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.scope import Scope, group_conversation, private_conversation
from nonebot_plugin_memoryfs.storage import Store

HUB = "原神"
"""A quarter of all edges end here."""
RARE = "林雪舟书店"
"""Three edges."""
MISS = "鹦鹉螺化石"
"""No name shares a shingle with it."""

_CHARACTER = "neko"
_ASKER = "10001"
_START = datetime(2026, 1, 1, tzinfo=UTC)
_USERS = 300
_GROUPS = 8
_BLOCK = 100
"""So many facts in a row are told by one person in one place."""
_RELATIONS = ("喜欢", "讨厌", "玩过", "想学", "推荐", "收藏", "聊起", "梦见")
_NAME = "林雪舟江月明安宁山川星河云海晨曦秋叶冬青春晓夏荷玉兰若水清风长歌远行思源文博子涵一诺梓轩浩宇佳琪诗婷"
_THING = ("咖啡馆", "乐队", "漫画", "游戏机", "球队", "面馆", "植物园", "唱片", "模型", "课程")
_TRAITS = {"角色": "猫娘", "性格": "温柔而好奇", "语气": "轻快", "说话风格": "句尾带喵", "口癖": "喵呜"}


def _name(numbers: random.Random, length: int) -> str:
    return "".join(numbers.choices(_NAME, k=length))


_NUMBERS = random.Random(1)
_MIDDLES = [f"{_name(_NUMBERS, 3)}{_THING[n % len(_THING)]}" for n in range(100)]
MIDDLE = _MIDDLES[50]
"""One of a hundred things that share a quarter of the edges."""

ASKER = Scope(_CHARACTER, private_conversation(_ASKER), _ASKER, True)
"""Who asks: in their private chat, and seen in every group before anything was said there."""

Told = tuple[Scope, dict[str, Any]]


def groups() -> list[Scope]:
    """Everywhere the asker speaks, as the asker: the private chat first."""
    elsewhere = (Scope(_CHARACTER, group_conversation(str(n)), _ASKER, False) for n in range(_GROUPS))
    return [ASKER, *elsewhere]


def told(count: int) -> Iterator[Told]:
    """So many different facts, always the same ones for a count."""
    return islice(_told(count), count)


def _told(count: int) -> Iterator[Told]:
    scopes = groups()
    numbers = random.Random(0)
    people = _people(numbers, max(20, count // 20))
    for scope in scopes:
        yield scope, _fact("用户", "来过", "这里", 0)
    for relation in _RELATIONS[:3]:
        yield scopes[1], _fact("用户", relation, RARE, 1)
    yield ASKER, _fact("AI", "喜欢", HUB, 2)
    for number in range(count):
        block = number // _BLOCK
        place = scopes[block % len(scopes)]
        user = f"u{block % _USERS}"
        scope = ASKER if place is ASKER else Scope(_CHARACTER, place.conversation_id, user, False)
        yield scope, _fact(*_triplet(number, people, numbers), number + 3)


def _triplet(number: int, people: list[str], numbers: random.Random) -> tuple[str, str, str]:
    """A quarter each: about the hub, about middle things, between people, of the speaker or the character."""
    turn, kind = divmod(number, 4)
    lap, at = divmod(turn, len(people))
    if kind == 0:
        return people[at], _RELATIONS[lap % len(_RELATIONS)], HUB
    if kind == 1:
        lap, at = divmod(turn // len(_MIDDLES), len(people))
        return people[at], _RELATIONS[lap % len(_RELATIONS)], _MIDDLES[turn % len(_MIDDLES)]
    if kind == 2:
        if lap == 0:
            return people[at], "年龄", f"{18 + at % 60}岁"
        return people[at], "认识", people[(at * 7 + lap) % len(people)]
    if turn % 10 == 0:
        return "AI", "记得", f"{people[at]}的{numbers.choice(_THING)}{turn}"
    return "用户", _RELATIONS[lap % len(_RELATIONS)], f"{_name(numbers, 2)}{numbers.choice(_THING)}{turn}"


def _fact(subject: str, relation: str, object: str, seconds: int) -> dict[str, Any]:
    at = _START + timedelta(seconds=seconds)
    return {"subject": subject, "relation": relation, "object": object, "at": at}


def _people(numbers: random.Random, count: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[_name(numbers, 3)] = None
    return list(found)


def fill(store: Store, count: int) -> int:
    """Put so many facts into a store, with a persona, tasks and turns of the asker; how many were taken."""
    graph = MemoryGraph(store)
    graph.set_persona(_CHARACTER, _TRAITS)
    taken = graph.import_triplets(told(count)).written
    with store.database.write():
        for number in range(max(3, min(count // 1_000, 100))):
            infos = [_MIDDLES[number % len(_MIDDLES)], *([HUB] if number % 10 == 0 else [])]
            graph.task_create(ASKER, f"计划{number}", f"第{number}次整理收藏，还差一半", infos)
    turns = max(10, min(count // 100, 2_000))
    with store.database.write():
        for number in range(turns):
            turn = graph.open_turn(ASKER, "小林", f"第{number}句：今天又去了{MIDDLE}，还想继续整理收藏" * 3)
            graph.complete_turn(turn, reply=f"第{number}句记下了喵，下次一起去" * 5, speaker="Neko")
    return taken


def three(number: int) -> list[dict[str, Any]]:
    """What one message says: a new thing, a fact about the hub, and a person with another new thing."""
    name = _name(random.Random(number), 3)
    return [
        {"subject": "用户", "relation": "想学", "object": f"{name}第{number}课"},
        {"subject": f"{name}{number}", "relation": "玩过", "object": HUB},
        {"subject": MIDDLE, "relation": "聊起", "object": f"{name}新闻{number}"},
    ]
