"""Words that point back to what was said (R2.16): one table, read for three questions.

A miss costs the user's trust and a false hit only a wider recall, so doubtful words count.
"""

import re
from typing import NamedTuple


class _Reference(NamedTuple):
    recent: bool
    pattern: str


_WE = r"(?:我们|咱们|咱|你|我|俺)"
_TO = r"(?:[跟和给同与对向](?:你|我|您|大家))?"
_SAID = r"(?:说|聊|讲|提|问|谈|告诉|讨论|推荐|约|玩)"
_BEGIN = r"(?:^|(?<=[\s，,。.！!？?；;：:、~…]))"
_END = r"(?=[\s，,。.！!？?；;~…吧啊呀呗了嘛哈喵]|$)"
_SOFT = r"(?:那就?|好[的了啊]?|来|请|我们|咱们?|可以|能不能|要不|接着|行)?"

_TABLE: tuple[_Reference, ...] = (
    # 刚才 always counts; 刚刚 and 刚 only beside a word of saying ("我刚刚到家" is news).
    _Reference(True, r"刚才|方才"),
    _Reference(True, rf"刚刚?(?:{_WE}|在|都|还|{_TO}){{0,4}}{_SAID}(?:的|过|到|了|什么|啥|那)"),
    _Reference(True, r"刚刚?(?:那|的那)[个些件首段句次]"),
    # 之前 and 先前 as an adverb: behind a clause's begin, a person or a linking word. Behind
    # anything else they end a time clause ("在我出门之前", "睡觉之前", "三天之前").
    _Reference(
        True,
        rf"(?:{_BEGIN}|(?<=[你我他她它们咱您跟和与像如按照到续着回于从是不比呢])(?<!在[你我他她它您])"
        r"(?<!在你们)(?<!在我们)(?<!在他们))(?:之前|先前|早先)",
    ),
    _Reference(True, rf"之前(?:的(?:话题|游戏|内容|问题|约定|对话|聊天|任务)|{_TO}{_SAID}[过的到])"),
    # 上次, 上回: not inside 马上回来, 晚上次数 and the like.
    _Reference(True, r"(?<![马晚早网线路以天身])上(?:一次|一回|次|回)(?![数日序要级元品来去家忆复到头收答])"),
    _Reference(
        True,
        rf"(?:前面|前几天|前天|昨天|昨晚|今早|上午|上周|上个?月|那天|以前|早前)(?:{_WE}|都|也|还|{_TO}){{0,4}}"
        rf"{_SAID}(?:的|过|到|了什么|了啥|好)",
    ),
    # what the two of us said: 我们说过, 你说过, 我跟你讲过, 聊到哪了
    _Reference(False, rf"{_WE}(?:不是|有没有|有|都|也|还|曾经|{_TO}){{0,4}}{_SAID}(?:你|我)?过"),
    _Reference(False, rf"{_WE}(?:都|在|{_TO}){{0,4}}{_SAID}(?:了|的)?(?:什么|啥|些什么|哪些)"),
    _Reference(False, r"(?:说|聊|讲|做|玩|写|接|猜|进行)到(?:哪|什么|多少|第几)"),
    # memory asked for, not a reminder ("记得带伞")
    _Reference(False, r"(?:还|你)(?:记得|记不记得)(?![吃带买去睡喝叫要早多按])|记不记得|记得[吗么嘛不]"),
    _Reference(False, r"你(?:是不是|又|都|不会|该不会|怎么){0,3}(?:忘了|忘记|不记得)"),
    # resuming: 继续 and 接着 as a request, not as an encouragement or a narrative
    _Reference(
        False,
        rf"{_BEGIN}{_SOFT}继续(?!努力|加油|保持|坚持|奋斗|前进|睡|上班|上课|学习|工作|干活|打工|摸鱼|躺"
        r"|吃|喝|忙|赶|写作业|复习|休息|生活|做梦|活|下雨|下雪)",
    ),
    _Reference(False, rf"继续{_END}|继续(?:说|讲|聊|玩|接|猜|往下|下去|我们|咱们|那|这个话题)"),
    _Reference(
        False, rf"(?<![他她它师妈爸])接着(?:说|讲|聊|玩|来|接|猜|写|往下|下去|我们|咱们|那个)|接着{_END}"
    ),
    _Reference(False, r"(?:回到|说回|聊回|转回)(?!家|来|宿舍|学校|公司|老家|床|北京|上海|房间)|言归正传"),
    _Reference(False, rf"{_BEGIN}(?:然后|后来|接下来|再然后|还有|结果)[呢吗][？?!！~。]*$"),
    _Reference(False, rf"{_BEGIN}{_SOFT}再(?:来|讲|说|出|写|玩|猜)(?:一|几)?[个次遍题首段句局]"),
    # 那个 with a thing behind it, or ending a clause; not as a filler, not 那个时候
    _Reference(
        False,
        r"那(?:个|些|件|款|首|部|篇|份|条|段|句|次|本|道)(?![\s，,。.！!？?；;：:、~…—]|$"
        r"|那|时|年|啥|什么|谁|我|你|就|嗯|呃|额|请问|想|不好意思|怎么|能不能|可以|可不可以|一下|其实|月)",
    ),
    _Reference(False, rf"(?<=[要是把看玩做说聊喜欢用像就给讲问关于])那(?:个|些|件|次|首|本){_END}"),
    # English
    _Reference(
        True,
        r"\b(?:earlier|previously|(?:the )?last time|just now|a (?:moment|minute|while) ago)\b"
        r"|\b(?:said|mentioned|talked about|told (?:you|me)|discussed)\b.{0,20}\bbefore\b",
    ),
    _Reference(
        False,
        r"\b(?:do|did|can|don't|didn't) you (?:still )?(?:remember|recall|forget)\b"
        r"|\bremember (?:when|what|that|my|me|how|who|where)\b|\bas (?:we|i|you) said\b"
        r"|\b(?:we|you|i) (?:talked|spoke|were talking|discussed|mentioned)\b|\byou said\b"
        r"|\b(?:did|have) (?:we|i|you) (?:say|said|talk|tell|told|mention)"
        r"|\bi (?:told|asked) you\b|\bwhere were we\b|\bthat (?:thing|one|song|game|book)\b"
        r"|^\W*(?:please |let's |ok(?:ay)?,? )*(?:continue|go on|carry on|keep going)\b",
    ),
)

_FLAGS = re.IGNORECASE
_ANY = re.compile("|".join(f"(?:{row.pattern})" for row in _TABLE), _FLAGS)
_RECENT = re.compile("|".join(f"(?:{row.pattern})" for row in _TABLE if row.recent), _FLAGS)
_TALK = re.compile(
    rf"{_WE}?(?:都|在|{_TO}){{0,4}}{_SAID}(?:了|过|的)?(?:什么|啥|些什么|哪些|的)?(?=[\s，,。？?]|$)"
    r"|^关于|的(?:话题|事情?|内容)(?=[\s，,。？?吧]|$)|来着|的?那(?:个|些|件|首|次)"
    r"|[吗呢吧啊呀嘛](?=[\s，,。？?！!~]|$)|什么|是啥|怎么样"
    r"|\b(?:what|did|do|does|was|were|we|you|i|about|say|said|talk|talked|the|a|is|me|that)\b",
    _FLAGS,
)


def points_back(text: str) -> bool:
    """Whether the text points back to something said or begun before."""
    return bool(_ANY.search(text))


def mentions_recent(text: str) -> bool:
    """Whether the text names an earlier moment of the talk: 刚才, 之前, 上次 and their kin."""
    return bool(_RECENT.search(text))


def without_reference_words(text: str) -> str:
    """The other words, to search with: no pointing words, and no 我们说了什么 around them.

    May be empty: then only the newest turns can answer.
    """
    rest = _TALK.sub(" ", _ANY.sub(" ", text)).split()
    return " ".join(piece for word in rest if (piece := word.strip(_EDGES)) and not _HOLLOW(piece))


_EDGES = "，,。.！!？?；;：:、~…的"
_HOLLOW = re.compile(r"(?:[我你您他她它们咱是了跟和像不那样一都也就给在有要玩说个]|东西|事情?)+").fullmatch
