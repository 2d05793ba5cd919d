"""What a person says of themselves, by closed first-person frames (R4.5); precision first.

Sentences that ask, quote, report, wish, doubt or play state nothing. Frames: `words/frames.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from nonebot_plugin_memoryfs.text.words import frames, speech

single_valued: frozenset[str] = frozenset(
    {"年龄", "生日", "所在地", "职业", "昵称", "名字", "姓名", "性别", "身高", "体重", "星座"}
    | {"血型", "家乡", "来自", "学校", "专业", "公司", "时区"}
)
"""Relations of which a person has one value at a time: a new one supersedes (R2.5)."""

_LONGEST = 500
"""A longer message is a pasted text, not a remark about oneself."""
_LONGEST_OBJECT = 40
_QUOTED = "\ue000"

_QUOTATIONS = re.compile(r"“[^”]*(?:”|$)|「[^」]*(?:」|$)|『[^』]*(?:』|$)|《[^》]*(?:》|$)|\"[^\"]*(?:\"|$)")
_ASIDES = re.compile(
    r"（[^）]*(?:）|$)|\([^)]*(?:\)|$)|\*[^*]+\*|[♪♫🎵🎶][^♪♫🎵🎶]*[♪♫🎵🎶]?"
    r"|\[[^\]]{1,12}\]|【[^】]{1,12}】|@\S+"
)
_SPEAKER = re.compile(r"\s*(?!补充|更正|自我介绍|对了|PS)[^\s：:，,]{1,12}[：:](?!//)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^。！!？?…\n.]|\.(?!\s|$))+[。！!？?….]*")
_CLAUSE_END = re.compile(
    r"[，,；;~～]+|(?<=[^\x00-\x7f])[ \u3000]+(?=[^\x00-\x7f])"
    r"|(?=但是|不过|可是|而且|并且|所以|然后)|(?<!不)(?=但(?!是))"
)
_ENGLISH_END = re.compile(
    r"[,;，；]\s*|\b(?:and|but|so|because|though)\s+(?=(?:i|i'm|im|my)\b)", re.IGNORECASE
)

_SPEAKS_CHINESE = re.compile(rf"{speech.SUBJECT}")
_SPEAKS_ENGLISH = re.compile(r"\b(?:I|I'm|im|my name|my birthday|call me)\b", re.IGNORECASE)
_ASKING = re.compile(speech.ASKING)
_TAGS = re.compile(speech.TAGS)
_ASIDE = re.compile(rf"{speech.ASIDE}|{speech.ENGLISH_ASIDE}", re.IGNORECASE)
_DOUBTFUL = re.compile(f"{speech.DOUBTFUL}|{speech.REPORTED}")
_ENGLISH_DOUBTFUL = re.compile(rf"\b(?:{speech.ENGLISH_DOUBTFUL})\b", re.IGNORECASE)
_PAST = re.compile(speech.PAST)
_PLAY = re.compile(speech.PLAY, re.IGNORECASE)
_BEFORE = re.compile(
    rf"(?:(?:{speech.LEADS})\s*){{0,4}}(?P<subject>{speech.SUBJECT})?(?!们)"
    rf"\s*(?:(?:{speech.ADVERBS})\s*){{0,5}}",
    re.IGNORECASE,
)
_ENGLISH_BEFORE = re.compile(rf"(?:(?:{speech.ENGLISH_LEADS})\s+){{0,3}}", re.IGNORECASE)
_TAIL = re.compile(
    rf"(?:[\s.!~、^]|(?:{speech.PARTICLES})|(?<=\s)(?:{speech.ENGLISH_TAILS})|[^\w\s{_QUOTED}+#%℃°]){{1,12}}$",
    re.IGNORECASE,
)
_CHINESE = tuple((frame, re.compile(frame.pattern)) for frame in frames.CHINESE)
_ENGLISH = tuple((frame, re.compile(frame.pattern, re.IGNORECASE)) for frame in frames.ENGLISH)
_UNRESOLVED = re.compile(
    r"^(?:[我你您他她它这那咱谁的过得不着了死极]|上[了过]?$|(?:一个|某个?|别|女|男)?人$|人家|自己$|起来)"
    r"|[你您我她这]|那[个些种样]|他们|喜欢|讨厌|走开|滚[开蛋]|(?:很|太|好|真)[多少]$"
)
_SOFTENED = re.compile("挺|蛮|还是|真的|[超巨很可]|特别|非常|十分")
_LISTED = frozenset({"喜欢", "不喜欢", "讨厌", "过敏", "不吃", "在学"})
_NEEDS_WORDS = frozenset({"打算", "不打算", "在做", "在看", "在玩"})
_NAMES = frozenset({"名字", "昵称"})
_OF_ONESELF = _NAMES | {"年龄", "职业", "所在地", "来自", "生日"}
"""After these, a name told without 我 is the speaker's own."""
_QUOTES = "“”「」『』\"' "


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact a person stated of themselves."""

    relation: str
    """A natural label, Chinese for either language: 喜欢, 在做, 所在地 …"""
    object: str
    """What was named, in the person's own words."""
    quote: str
    """The sentence that says so."""


def recognise(text: str) -> list[Statement]:
    """The facts a first person states in a message, in order; doubtful ones are left out.

    A list told with `、` gives one fact each; `摇滚和爵士` stays one object, as 猫和老鼠 does.
    """
    if len(text) > _LONGEST or _PLAY.search(text):
        return []
    masked = _mask(text)
    found = chain.from_iterable(_of_sentence(text, masked, match) for match in _SENTENCE.finditer(masked))
    return list(dict.fromkeys(found))


def asks(text: str) -> bool:
    """Whether the text is a question, or asks to be told something."""
    return bool(_QUESTION.search(_mask(text)))


def _mask(text: str) -> str:
    """The text, of equal length, with quotations blotted out and asides made into commas."""
    masked = _ASIDES.sub(lambda m: "，" * len(m[0]), text.replace("’", "'"))
    return _QUOTATIONS.sub(lambda m: _QUOTED * len(m[0]), masked)


def _of_sentence(text: str, masked: str, sentence: re.Match[str]) -> Iterator[Statement]:
    said = sentence[0]
    chinese = bool(_SPEAKS_CHINESE.search(said))
    if not chinese and not _SPEAKS_ENGLISH.search(said):
        return
    if _SPEAKER.match(said) or (_DOUBTFUL if chinese else _ENGLISH_DOUBTFUL).search(said):
        return
    clauses = list(_clauses(masked, sentence, _CLAUSE_END if chinese else _ENGLISH_END))
    if not _leaves_true(clauses, masked, said):
        return
    quote = text[sentence.start() : sentence.end()].strip()
    carried = ""
    for start, end in clauses:
        clause = masked[start:end]
        match = _match_chinese(clause, carried) if chinese else _match_english(clause)
        carried = ""
        if match:
            relation, first, last = match
            carried = relation
            for thing in _things(relation, text[start + first : start + last]):
                yield Statement(relation, thing, quote)


def _clauses(masked: str, sentence: re.Match[str], separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Spans of a sentence's clauses, without blanks, particles and marks at their ends."""
    start = sentence.start()
    ends = [(m.start(), m.end()) for m in separator.finditer(masked, start, sentence.end())]
    for end, following in [*ends, (sentence.end(), sentence.end())]:
        clause = masked[start:end]
        tidy = _TAIL.sub("", clause)
        begin = start + len(clause) - len(clause.lstrip())
        if tidy.strip():
            yield begin, start + len(tidy)
        start = following


def _leaves_true(clauses: list[tuple[int, int]], masked: str, said: str) -> bool:
    """Whether what is asked in a sentence, if anything, leaves its other clauses stated."""
    spoken = [masked[start:end] for start, end in clauses]
    asked = [clause for clause in spoken if _ASKING.search(clause)]
    if said.rstrip().endswith(("?", "？")) and spoken and spoken[-1] not in asked:
        asked.append(spoken[-1])
    return all(_ASIDE.match(clause) and not _TAGS.search(clause) for clause in asked)


def _match_chinese(clause: str, carried: str) -> tuple[str, int, int] | None:
    """The relation a clause states and the span of its object.

    Args:
        clause: what is said.
        carried: what the clause before stated, whose 我 holds on; empty where it stated nothing.
    """
    before = _BEFORE.match(clause)
    if before is None or _PAST.search(clause):
        return None
    spoken = bool(carried) or before["subject"] is not None
    for frame, pattern in _CHINESE:
        if frame.relation in _NAMES and not before["subject"] and carried not in _OF_ONESELF | {""}:
            continue  # 我养了一只猫，叫年糕: the cat's name
        match = pattern.match(clause, before.end()) if spoken or not frame.subject else None
        if match and (not frame.needs or re.search(frame.needs, before[0])):
            first, last = match.span("o")
            softened = clause.endswith("的") and _SOFTENED.search(before[0])
            return frame.relation, first, last - 1 if softened else last
    return None


def _match_english(clause: str) -> tuple[str, int, int] | None:
    before = _ENGLISH_BEFORE.match(clause)
    for frame, pattern in _ENGLISH:
        if match := pattern.match(clause, before.end() if before else 0):
            return frame.relation, *match.span("o")
    return None


def _things(relation: str, stated: str) -> list[str]:
    """The objects of one fact, each resolved and short enough, or none at all."""
    pieces = stated.split("、") if relation in _LISTED else [stated]
    if len(pieces) > 1:
        pieces[-1:] = re.split(r"和|跟|以及|还有", pieces[-1], maxsplit=1)
    things = [thing for piece in pieces if (thing := piece.strip(_QUOTES))]
    shortest = 2 if relation in _NEEDS_WORDS else 1
    usable = all(shortest <= len(t) <= _LONGEST_OBJECT and not _UNRESOLVED.search(t) for t in things)
    return things if usable else []


_QUESTION = re.compile(
    r"[?？]\s*$|[?？](?=[\s\w])"
    r"|(?<!没)(?<!不)(?<!有)(?:什么(?!的|都|也)|啥(?!的|都|也)|谁(?!都|也)|哪(?!怕|都|吒)|(?<!不)怎么(?!都|也)"
    r"|怎样|为何|为啥|咋|多少(?!有|还)|多大|多久|几(?:岁|号|月|点|次|个人))|吗(?:\W|$)"
    r"|(?:^|[，,\s])(?:[你您他她它我]们?|那?(?:然后|后来|结果|之后|还有|人)|那|\S{1,4}的)呢\s*$"
    r"|是不是|有没有|能不能|会不会|要不要|可不可以|好不好|行不行|对不对|喜不喜欢|知不知道|记不记得"
    r"|还记得|来着|告诉我(?!说|，)|猜猜"
    r"|^\W*(?:what|who|whose|when|where|why|how|which|do|does|did|is|are|am|was|were|can|could|will|would"
    r"|should|have|has)\s+(?:you|i|we|my|the|is|are|do|does|did|was|were|am|it|that|this|your|he|she|they)\b"
    r"|\b(?:do you remember|remind me(?! to\b)|tell me)\b",
    re.IGNORECASE,
)
