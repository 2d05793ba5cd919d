"""The offline model's rules: what it keeps, and what it says, from what the host recalled (R4.14).

It never invents: it repeats stated facts, quotes what was said, or says that it does not know.
"""

import re

from ..text.folding import fold_name, fold_sentence
from ..text.opposites import contraries
from ..text.references import points_back, without_reference_words
from ..text.sentences import gist
from ..text.statements import asks, recognise
from ..text.telling import told
from .kinds import Brief, Fact, Saying
from .questions import About, Question, asks_for_everything, understand

COMMIT = "memory_commit"
"""The one tool these rules call."""

_MAX_FACTS = 3
_EVERYTHING_FACTS = 6
_MAX_TRIPLETS = 20
_EMPTY_PAIRS = frozenset({"什么", "怎么", "我的", "是什", "我们", "你还", "记得", "知道", "来着"})
_FITS = 2
"""So many shared pairs make a remembered text an answer."""
_NOTHING_TO_ADD = ("嗯，我在听。", "这样呀，然后呢？", "好，我听着呢。")
_UNKNOWN = "这个我还不知道呢。你告诉我，我就记住。"
_REMIND = re.compile(r"提醒(?:一下|下)?我|叫我起床|\bremind me to\b", re.IGNORECASE)
_NO_ALARM = "到点提醒这件事我还不会，得你自己多留心。"
_CALLED = "我在呢，怎么啦？"


def triplets(brief: Brief) -> list[dict[str, object]]:
    """The facts the person stated in so many words, as arguments of the commit tool (R4.5)."""
    return [
        {"subject": "用户", "relation": fact.relation, "object": fact.object, "inferred": False}
        for fact in recognise(brief.text)[:_MAX_TRIPLETS]
    ]


def reply(brief: Brief, *, stored: bool) -> str:
    """What to say.

    Args:
        brief: what the host recalled for this turn.
        stored: whether the facts of the message were stored; without it nothing is claimed.
    """
    text = brief.text.strip()
    if not text:
        return _CALLED
    stated = recognise(text)[:_MAX_TRIPLETS]
    if stated and stored:
        facts = (told("你", statement.relation, statement.object) for statement in stated)
        return "记住了：" + "，".join(facts) + "。"
    if _REMIND.search(text) and not asks(text):
        return _NO_ALARM
    back = _looking_back(brief) if points_back(text) else ""
    if not asks(text):
        return back or _NOTHING_TO_ADD[brief.turn_id % len(_NOTHING_TO_ADD)]
    if back and not without_reference_words(text):
        return back
    return _remembered(brief) or back or _UNKNOWN


def _remembered(brief: Brief) -> str:
    """The answer to a question, if memory holds one."""
    if asks_for_everything(brief.text):
        return _list([fact for fact in brief.facts if fact.about_speaker][:_EVERYTHING_FACTS])
    question = understand(brief.text, brief.character)
    if question.about is About.CHARACTER or (question.about is About.UNCLEAR and "你" in brief.text):
        return _of_oneself(brief, question)
    facts = _fitting(brief, question)
    if facts:
        return _list(facts[:_MAX_FACTS])
    if question.relations and question.about is not About.ASKER:
        return ""  # what others said of somebody is no answer to what that person is like
    own_only = question.about is About.ASKER
    return _from_sayings(brief, own_only=own_only) or _from_entries(brief)


def _fitting(brief: Brief, question: Question) -> list[Fact]:
    """The facts that answer: right subject, right relation, right thing; the newest of opposites."""
    facts = [fact for fact in brief.facts if _is_about(fact, question)]
    thing = fold_sentence(question.thing)
    if not question.relations:
        return [fact for fact in facts if fold_sentence(fact.object) in thing]
    named = [fact for fact in facts if fact.relation in question.relations]
    if not thing:
        return named
    akin = frozenset(question.relations).union(*map(contraries, question.relations))
    touched = [fact for fact in facts if fact.relation in akin and _same_thing(fact, thing)]
    if touched:
        return sorted(touched, key=lambda fact: fact.at, reverse=True)[:1]
    return [] if _is_yes_or_no(brief.text) else named


def _is_about(fact: Fact, question: Question) -> bool:
    match question.about:
        case About.ASKER:
            return fact.about_speaker
        case About.ANYONE:
            return True
        case About.NAMED:
            return fold_name(fact.subject) == question.name
        case _:
            return False


def _same_thing(fact: Fact, thing: str) -> bool:
    known = fold_sentence(fact.object)
    return bool(known) and (known in thing or thing in known)


def _is_yes_or_no(text: str) -> bool:
    return not any(word in text for word in ("什么", "啥", "谁", "哪", "几", "多少", "怎么"))


def _list(facts: list[Fact]) -> str:
    sentences = dict.fromkeys(_sentence(fact) for fact in facts)
    return "，".join(sentences) + "。" if sentences else ""


def _sentence(fact: Fact) -> str:
    sentence = told("你" if fact.about_speaker else fact.subject, fact.relation, fact.object)
    return f"我猜{sentence}（没听人亲口说过）" if fact.inferred else sentence


def _of_oneself(brief: Brief, question: Question) -> str:
    """What the character's card says of it."""
    known = dict(brief.identity)
    if "喜欢" in question.relations:
        return f"我喜欢{known['爱好']}。" if "爱好" in known else ""
    if question.relations and "名字" not in question.relations:
        value = next((known[label] for label in question.relations if label in known), "")
        return f"我的{question.relations[0]}是{value}。" if value else ""
    if any(word in brief.text for word in ("谁", "名字", "叫什么", "叫啥", "机器人", "介绍")):
        what = f"，{known['角色']}" if "角色" in known else ""
        return f"我是{brief.character}{what}，一个聊天机器人。"
    return ""


def _from_sayings(brief: Brief, *, own_only: bool) -> str:
    """Something said before that fits: found by search, or among the newest turns."""
    newest = [
        Saying(speaker=past.speaker, by_speaker=past.by_speaker, text=past.said, at=past.at)
        for past in brief.recent
        if _shared(past.said, brief.text) >= _FITS
    ]
    for saying in (*newest, *brief.sayings):
        mine = saying.by_speaker or not own_only
        same = fold_sentence(saying.text) == fold_sentence(brief.text)
        if mine and not same and not asks(saying.text):
            return _quote(brief, saying)
    return ""


def _quote(brief: Brief, saying: Saying) -> str:
    day = brief.in_zone(saying.at)
    who = "你" if saying.by_speaker else saying.speaker
    return f"{who}在{day.month}月{day.day}日说过：「{gist(saying.text, 100)}」"


def _from_entries(brief: Brief) -> str:
    best = max(brief.entries, default="", key=lambda entry: _shared(entry, brief.text))
    return f"我记得：{gist(best, 100)}" if _shared(best, brief.text) >= _FITS else ""


def _shared(remembered: str, question: str) -> int:
    """How many pairs of neighbouring characters two texts share, question words apart."""
    text, known = fold_sentence(question), fold_sentence(remembered)
    return sum(pair in known for pair in {text[i : i + 2] for i in range(len(text) - 1)} - _EMPTY_PAIRS)


def _looking_back(brief: Brief) -> str:
    """The newest turn that did not itself ask back; the asker's own where they ask what they said."""
    own_only = "我说" in brief.text and "我们" not in brief.text
    for past in brief.recent:
        if past.said and not points_back(past.said) and (past.by_speaker or not own_only):
            who = "你" if past.by_speaker else past.speaker
            quoted = f"刚才{who}说：「{gist(past.said, 100)}」"
            return f"{quoted}，我说：「{gist(past.answered, 100)}」" if past.answered else quoted
    return ""
