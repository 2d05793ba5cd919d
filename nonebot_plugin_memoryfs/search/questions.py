"""What of a question is evidence: the words it asks with are in every other line as well."""

from collections.abc import Mapping

from ..text.grams import grams_for_query, weak_grams

_ENGLISH = """
a about an and any are as at be been but by can could did do does for from had has have he her him his how
i in is it its me my of on or our she should so than that the their them then there these they this those to
us was we were what when where which who whom whose why will with would you your
"""
_WORDS = frozenset(_ENGLISH.split())
"""Stemmed English words that only hold a sentence together."""

_PARTICLES = frozenset("的了吗呢吧啊么嘛呀是")
"""A shingle with one of these lies across two words."""

_FUNCTION = _PARTICLES | frozenset(
    "我你您他她它们这那哪谁什怎几多少有没不和与跟同或就都也还又要会能可把被对从到给让为以在里"
)
"""A shingle of nothing but these asks or joins, and says nothing."""

_COMMON = _FUNCTION | frozenset(
    "一二三四五六七八九十百千万零两半第次个些点只件种样回遍把位名号"
    "人家大小上下前后左右中内外里间边头面方东西南北高低长短新老旧多少远近快慢早晚"
    "年月日天时分秒今明昨周现刚先再才正已经曾将当此每各某全整本另别其余"
    "来去到出进过起开关走回说话讲问答叫看听想知道觉得认为要用做干作弄搞打拿放给吃喝玩睡住坐站买卖写读学"
    "爱喜好坏真假对错行成完够难易美丑真很太最更挺非常特越极比较"
    "心情事物东西地方样子意思如果因所但然而且虽于以之者向往由按"
    "呵哈嘿哎唉嗯哦喔噢哇喵哟咯呗咱俺自己谢请帮让使使生死活动发现感"
)
"""Characters that stand inside so many words that one alone names nothing."""


def evidence(question: str) -> Mapping[str, float]:
    """The grams of a question that an answer would share, with their weights.

    A question of nothing but such words is taken as it is.
    """
    grams = grams_for_query(question)
    telling = [gram for gram in grams if _tells(gram)]
    return dict.fromkeys(telling or grams, 1.0)


def weak_evidence(question: str) -> list[str]:
    """The single characters of a question's longer words that may be a name of their own.

    Commonplace ones are left out: 天 in 今天 is nobody's name.
    """
    return [char for char in weak_grams(question) if char not in _COMMON]


def _tells(gram: str) -> bool:
    if len(gram) != 2 or gram.isascii():
        return gram not in _WORDS
    return not (_PARTICLES & set(gram) or _FUNCTION.issuperset(gram))
