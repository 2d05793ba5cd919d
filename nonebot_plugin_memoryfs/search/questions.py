"""What of a question is evidence: the words it asks with are in every other line as well."""

from collections.abc import Mapping

from ..text.grams import grams_for_query

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


def evidence(question: str) -> Mapping[str, float]:
    """The grams of a question that an answer would share, with their weights.

    A question of nothing but such words is taken as it is.
    """
    grams = grams_for_query(question)
    telling = [gram for gram in grams if _tells(gram)]
    return dict.fromkeys(telling or grams, 1.0)


def _tells(gram: str) -> bool:
    if len(gram) != 2 or gram.isascii():
        return gram not in _WORDS
    return not (_PARTICLES & set(gram) or _FUNCTION.issuperset(gram))
