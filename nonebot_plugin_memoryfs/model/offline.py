"""The offline model's rules: what it keeps, and what it says, from what the host recalled (R4.14).

It never invents: it repeats stated facts, quotes what was said, or says that it does not know.
"""

from collections.abc import Sequence

from ..text.folding import fold_sentence
from ..text.references import points_back
from ..text.sentences import gist
from ..text.statements import asks, recognise
from .kinds import Brief, Fact, Saying

COMMIT = "memory_commit"
"""The one tool these rules call."""

_MAX_FACTS = 3
_VERBS = frozenset("喜欢 不喜欢 讨厌 不讨厌 爱 想要 在做 在学 打算 想去 养了 擅长 害怕 来自".split())  # noqa: SIM905
"""Relations that read as a sentence behind `你`; others read as `你的…是…`."""
_NOTHING_TO_ADD = ("嗯，我在听。", "这样呀，然后呢？", "好，我听着呢。")
_UNKNOWN = "这个我还不知道呢。你告诉我，我就记住。"
_CALLED = "我在呢，怎么啦？"
_FIRST_PERSON = ("我", "俺", "咱", "本人")


def triplets(brief: Brief) -> list[dict[str, object]]:
    """The facts the person stated in so many words, as arguments of the commit tool (R4.5)."""
    return [
        {"subject": "用户", "relation": fact.relation, "object": fact.object, "inferred": False}
        for fact in recognise(brief.text)
    ]


def reply(brief: Brief, results: Sequence[str]) -> str:
    """What to say.

    Args:
        brief: what the host recalled for this turn.
        results: what the tools called in this turn answered; without one, nothing was stored.
    """
    text = brief.text.strip()
    if not text:
        return _CALLED
    stated = recognise(text)
    if stated and results:
        return "记住了：" + "，".join(_told(s.relation, s.object) for s in stated) + "。"
    if points_back(text) and brief.recent:
        return _looking_back(brief)
    if asks(text):
        return _from_facts(brief) or _from_sayings(brief) or _from_entries(brief) or _UNKNOWN
    return _NOTHING_TO_ADD[brief.turn_id % len(_NOTHING_TO_ADD)]


def _told(relation: str, thing: str) -> str:
    return f"你{relation}{thing}" if relation in _VERBS else f"你的{relation}是{thing}"


def _from_facts(brief: Brief) -> str:
    facts = _fitting(brief)[:_MAX_FACTS]
    if not facts:
        return ""
    sentences = [_sentence(fact) for fact in facts]
    return "，".join(dict.fromkeys(sentences)) + "。"


def _sentence(fact: Fact) -> str:
    told = (
        _told(fact.relation, fact.object)
        if fact.about_speaker
        else f"{fact.subject}{fact.relation}{fact.object}"
    )
    return f"我猜{told}（没听你亲口说过）" if fact.inferred else told


def _fitting(brief: Brief) -> list[Fact]:
    """Facts the question is about: those whose relation it names before those it only touches."""
    text = fold_sentence(brief.text)
    about_me = any(word in text for word in _FIRST_PERSON)
    facts = [fact for fact in brief.facts if fact.about_speaker or not about_me]
    named = [fact for fact in facts if fold_sentence(fact.relation) in text]
    touched = [fact for fact in facts if fold_sentence(fact.object) in text]
    return named or touched


def _from_sayings(brief: Brief) -> str:
    for saying in brief.sayings:
        if fold_sentence(saying.text) != fold_sentence(brief.text) and not asks(saying.text):
            return _quote(brief, saying)
    return ""


def _quote(brief: Brief, saying: Saying) -> str:
    day = brief.in_zone(saying.at)
    who = "你" if saying.speaker == brief.speaker else saying.speaker
    return f"{who}在{day.month}月{day.day}日说过：「{gist(saying.text, 100)}」"


def _from_entries(brief: Brief) -> str:
    text = fold_sentence(brief.text)
    pairs = {text[i : i + 2] for i in range(len(text) - 1)} - {"什么", "怎么", "我的", "是什"}
    scored = [(sum(pair in fold_sentence(entry) for pair in pairs), entry) for entry in brief.entries]
    score, entry = max(scored, default=(0, ""), key=lambda scored_entry: scored_entry[0])
    return f"我记得：{gist(entry, 100)}" if score >= 2 else ""


def _looking_back(brief: Brief) -> str:
    said, answered = brief.recent[0]
    if not answered:
        return f"刚才你说：「{gist(said, 100)}」"
    return f"刚才你说：「{gist(said, 100)}」，我说：「{gist(answered, 100)}」"
