"""What a question is about: whose fact, which relation, which thing. Rules for the offline model (R4.14).

A question whose subject is not understood is about nobody: better no answer than somebody else's fact.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto

from ..text.folding import fold_name


class About(Enum):
    """Whose facts are asked for."""

    ASKER = auto()
    CHARACTER = auto()
    ANYONE = auto()
    NAMED = auto()
    UNCLEAR = auto()


@dataclass(frozen=True, slots=True)
class Question:
    """A question, understood as far as the rules go."""

    about: About
    name: str = ""
    """Who, where `about` is `NAMED`."""
    relations: tuple[str, ...] = ()
    """The labels that answer it; empty when no known relation is asked for."""
    thing: str = ""
    """What is asked about in a yes-or-no question, or beside the relation."""


_WHAT = r"(?:什么|啥|哪些|谁)"
_RELATIONS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), relations)
    for pattern, relations in (
        (r"不(?:太|怎么|是很|大)?(?:喜欢|爱)", ("不喜欢", "讨厌")),
        (r"讨厌", ("讨厌", "不喜欢")),
        (r"(?:最|更|比较)?(?:喜欢|爱)", ("喜欢",)),
        (r"叫(?:什么|啥)|名字|怎么称呼", ("名字", "昵称")),
        (r"多大|几岁|年龄|岁数", ("年龄",)),
        (r"生日", ("生日",)),
        (r"(?:住|家)在?(?:哪|什么地方)|住址|所在地|在哪(?:里|儿|个城市|座城市)?住?", ("所在地",)),
        (rf"(?:做|干){_WHAT}工作|做{_WHAT}的|职业|工作是", ("职业",)),
        (r"哪里人|哪儿人|老家|来自|家乡", ("来自", "家乡")),
        (r"在?(?:做|忙|搞|弄)(?:什么|啥|些什么)", ("在做", "在写")),
        (r"在(?:学|写|看|玩)", ("在学", "在写", "在看", "在玩")),
        (r"打算|计划|准备", ("打算", "不打算")),
        (r"养了?(?:什么|啥|宠物)|宠物", ("养了",)),
        (r"过敏", ("过敏",)),
        (r"不吃|忌口", ("不吃",)),
        (r"想要", ("想要",)),
    )
)
_HYPOTHETICAL = re.compile(r"^(?:如果|要是|假如|假设|万一|倘若)")
_EVERYTHING = re.compile(
    r"(?:关于|对)我.*(?:知道|了解|记得)|(?:知道|了解|记得)(?:关于)?我(?:的)?(?:什么|哪些|多少|吗)"
)
_LEAD = re.compile(
    r"^(?:(?:小忆|那么?|话说|请问|对了|诶|哎|嗯|所以|问一下|告诉我|说说|顺便|"
    r"你?(?:还|会|能)?(?:记得|知道|记不记得|知不知道|晓得)(?:吗|不)?|我?(?:之前|上次|刚才)说(?:过)?|猜猜?)[,，:：、\s]*)+"
)
_TAIL = re.compile(
    r"(?:[,，\s]*(?:你?(?:还)?(?:知道|记得)(?:吗|不|么)?|来着|吗|嘛|(?<![什怎])么|呢|呀|啊|吧|不|[?？!！。~]))+$"
)
_ADVERBS = re.compile(r"(?:都|还|最|到底|究竟|现在|目前|平时|一般|最近|是|的|又|也|会|有没有|是不是|具体)+$")
_ASKED = re.compile(rf"{_WHAT}|哪|几|多少|怎么")
_A_NOT_A = re.compile(r"(\w)不\1")
_MENTION = re.compile(r"@(.+?)\(\d+\)")
_ASKER = frozenset({"我", "俺", "咱", "本人", "我自己"})
_CHARACTER = frozenset({"你", "您", "机器人"})
_ANYONE = frozenset({"谁", "有谁", "还有谁", "哪个人", "大家", "有人"})


def asks_for_everything(text: str) -> bool:
    """Whether somebody asks what is known about them."""
    return bool(_EVERYTHING.search(text))


def understand(text: str, character: str) -> Question:
    """What a question asks for.

    Args:
        text: the question.
        character: the character's name.
    """
    plain = _A_NOT_A.sub(r"\1", fold_name(_MENTION.sub(r"\1", text)))
    bare = _TAIL.sub("", _LEAD.sub("", plain))
    if _HYPOTHETICAL.match(bare):
        return Question(About.UNCLEAR)
    for pattern, relations in _RELATIONS:
        if found := pattern.search(bare):
            about, name, topic = _subject(bare[: found.start()], fold_name(character))
            rest = _ASKED.sub("", bare[found.end() :]).strip(" 的了过,，")
            return Question(about, name, relations, topic or rest)
    about = About.ASKER if "我" in bare else About.UNCLEAR
    return Question(about, thing=bare)


def _subject(before: str, character: str) -> tuple[About, str, str]:
    """Whom the words before the relation name, and what stands before them (香菜 我 喜欢吗)."""
    phrase = _ADVERBS.sub("", before.strip(" ,，"))
    if not phrase or phrase in _ASKER:
        return About.ASKER, "", ""
    if phrase in _ANYONE:
        return About.ANYONE, "", ""
    if phrase in _CHARACTER or phrase == character:
        return About.CHARACTER, "", ""
    if phrase.endswith("我") and len(phrase) > 1:
        return About.ASKER, "", phrase[:-1].strip(" ,，")
    return About.NAMED, phrase, ""
