"""The closed first-person frames (R4.5): a relation and what follows `我` and its adverbs.

In a pattern, group `o` is the object; `needs` is what must stand among the words before.
"""

from typing import NamedTuple

from nonebot_plugin_memoryfs.text.words import speech
from nonebot_plugin_memoryfs.text.words.people import ANIMALS, OCCUPATIONS
from nonebot_plugin_memoryfs.text.words.places import (
    ACTIVITIES,
    PLACE_ENDS,
    PLACE_UNITS,
    PLACES,
)


class Frame(NamedTuple):
    """One way to state one relation."""

    relation: str
    pattern: str
    needs: str = ""
    subject: bool = True
    """Whether 我 must stand before it, in this clause or carried over from the last."""


def _any(words: str) -> str:
    return "(?:" + "|".join(sorted(words.split(), key=len, reverse=True)) + ")"


_HAN = "[\u4e00-\u9fff]"
_CITY = rf"{_any(PLACES)}(?:(?![上读念考]){_HAN}{{1,6}}?{_any(PLACE_UNITS)})?(?:市|省)?"
_SITE = rf"(?![去回想看做等找逛吃喝走进出往离赶]){_HAN}{{0,6}}?{_any(PLACE_ENDS)}"
_BUSY = rf"(?:{_any(ACTIVITIES)})?$"
_NUMBER = r"[一二两三四五六七八九十\d]{1,3}"
_NAME = (
    r"(?P<o>(?!大家|[你您他她它我咱这那谁啥了着过得不没个车外滴救人醒上下来去苦停好妈爸爹爷奶儿主快客服朋同室"
    rf"一出做作起])(?:(?:(?![来吃给])(?:{_HAN}|·)){{1,6}}(?<![来去吗吧了么的话])"
    r"|[A-Za-z][\w.·-]{0,19}(?: [A-Z]\w{0,19})?))"
)
_DATE = (
    r"(?:[农阴阳]历)?(?:\d{2,4}年)?(?:\d{1,2}|[一二三四五六七八九十腊正]{1,2})月"
    r"(?:初?[一二三四五六七八九十]{1,3}|\d{1,2})?[日号]?|\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,2})?"
)
_ANYTHING = r"(?P<o>.+)$"
_NO_EMPLOYER = (
    r"[你您他她它我这那哪家外群]|公司|单位|学校|国[内外]|[本异]地|办公室|[东南西北]方|线上|网上|海外|梦|上面|下面|努力|认真|拼命"
    r"|[安专]心|[埋疯]|一起|[早晚夜]上|[白半今明]天|周"
)

CHINESE: tuple[Frame, ...] = (
    Frame("不喜欢", rf"(?:不(?:太|怎么|是很|大|再|是特别)?|没那么)(?:喜欢|爱(?![你他她它])){_ANYTHING}"),
    Frame("喜欢", r"(?:喜欢|爱)(?:[吃喝看听玩]的?|的)(?![人是])[^是不，]{1,8}是(?P<o>[^不].*)$"),
    Frame(
        "喜欢",
        rf"(?:喜欢(?:上了|上(?![班学课网街山床台]))?|热爱|钟爱|偏爱|酷爱|迷上了?|爱上(?:了|(?![班学课网街山床台]))){_ANYTHING}",
    ),
    Frame(
        "喜欢",
        r"爱(?![你您他她它人上情国护好哭笑生发钻管闹慕恋心美干迟困说骂怎咋不谁死过着了的得理答豆车"
        rf"咋]){_ANYTHING}",
    ),
    Frame("讨厌", rf"(?:讨厌|厌恶|痛恨|受不了){_ANYTHING}"),
    Frame("讨厌", rf"[烦恨](?!不得|不能|死|得|躁|恼){_ANYTHING}", needs=speech.STRONG),
    Frame("过敏", r"对(?P<o>.{1,8}?)(?:严重)?过敏的?$"),
    Frame("不吃", r"(?:从来?)?不(?:能)?吃(?P<o>(?![了饭早午晚这那你东醋亏惯饱下完到得]).{1,6})$"),
    # places before doings: 在学校 is no learning
    Frame("所在地", rf"住(?:在|到)?(?P<o>{_CITY}.{{0,8}})$"),
    Frame("所在地", r"住在(?P<o>(?![一你他她它这那哪同])[^的]{1,10})$"),
    Frame("所在地", rf"(?:家就?住在?|坐标(?:是|在)?[：:]?)(?P<o>{_CITY})$"),
    Frame("家在", rf"家就?在(?P<o>{_CITY})$"),
    Frame("所在地", rf"(?:搬|调|回)(?:到|去|来)了?(?P<o>{_CITY}){_BUSY}"),
    Frame("所在地", rf"(?:在|现居|定居在?)(?P<o>{_CITY}){_BUSY}"),
    Frame("所在地", rf"在(?P<o>{_SITE}){_BUSY}", needs=speech.NOW),
    Frame("在做", rf"在(?:做|搞|弄|开发|研发|折腾|筹备)(?![梦饭爱题核家事菜])(?!作业){_ANYTHING}"),
    Frame("在准备", rf"在准备(?!好|着|中|出|睡|吃|上|下|去|走|开|回){_ANYTHING}"),
    Frame("在写", rf"在写(?!作业){_ANYTHING}"),
    Frame("在学", rf"在(?:自学|学习|学)(?!校|着|到){_ANYTHING}"),
    Frame("在看", rf"在(?:看|追|读|补)(?!医生|病|房|电视|手机){_ANYTHING}", needs=speech.LATELY),
    Frame("在玩", rf"在玩(?!手机|$){_ANYTHING}", needs=speech.LATELY),
    Frame("不打算", rf"不(?:打算|准备|计划){_ANYTHING}"),
    Frame("打算", rf"(?:打算|准备|计划|决定)(?![好了盘书过的着是中表就])要?{_ANYTHING}"),
    Frame(
        "想要",
        r"想要(?:[个台部只把张条件辆本双套块]|(?=[一两三几][个台部只把张条件辆本双套块]))(?P<o>(?!人).{1,20})$",
    ),
    Frame("名字", rf"的?(?:名字|大名|全名|本名)(?:是|叫){_NAME}$"),
    Frame("昵称", rf"的?(?:昵称|网名|外号|小名|绰号|笔名)(?:是|叫){_NAME}$"),
    Frame("名字", rf"叫做?{_NAME}$"),
    Frame("年龄", r"满?(?P<o>(?:\d{1,3}|[一二三四五六七八九十]{1,3})\s?周?岁)$"),
    Frame("生日", rf"的?生日(?:是|在|为)?(?P<o>{_DATE})$"),
    Frame(
        "职业",
        r"(?:是|做|当)(?:一?[名个位])?(?P<o>(?![^，]{0,8}[你您他她它我最就])[^是的]{0,6}?"
        rf"{_any(OCCUPATIONS)})$",
    ),
    Frame("职业", r"是(?:做|搞|干)(?P<o>[^错完梦了过不你他她，]{2,8})的$"),
    Frame("职业", r"的?(?:职业|工作)是(?P<o>[^你他她这那什]{2,12})$"),
    Frame("职业", rf"在.{{1,8}}[当做](?P<o>{_any(OCCUPATIONS)})$"),
    Frame(
        "公司",
        rf"在(?:一[家个所])?(?P<o>(?!{_NO_EMPLOYER})[^的了着过是不，]{{2,10}}?(?<![里中上下前后线群]))(?:上班|工作|实习|任职|打工)$",
    ),
    Frame("来自", rf"来自(?P<o>{_CITY})$"),
    Frame("来自", rf"是(?:土生土长的)?(?P<o>{_CITY})(?:本地|本)?(?:人|的)$"),
    Frame("来自", rf"的?老家(?:是|在)(?P<o>{_CITY})的?$"),
    Frame(
        "养了",
        rf"(?:家里?)?养了(?:[只条个盆]|(?={_NUMBER}[只条头匹窝缸个盆]))(?P<o>.{{1,12}})$",
    ),
    Frame("养了", rf"(?:家里?)?有(?P<o>{_NUMBER}[只条个][^的是养朋同学人]{{0,4}}?{_any(ANIMALS)})$"),
    Frame("昵称", rf"(?:大家|朋友|同学|群友|家里人|他们)?都叫我{_NAME}$", subject=False),
    Frame("昵称", rf"(?:你们?|您)?(?:可以|就)?叫我{_NAME}?(?:就好|就行|就可以|即可)$", subject=False),
)

_I = r"I(?: (?:really|also|just|absolutely|still|always|truly|currently|now|both|so|totally)){0,3}"
_AM = r"(?:I'm|I am|im)(?: (?:really|also|just|still|currently|now|actually|only|already)){0,2}"
_THING = (
    r"(?P<o>(?!to$|you|u |it\b|that\b|this\b|these\b|those\b|h[ie][mr]\b|them\b|how\b|when\b|what\b"
    r"|where\b|who\b|why\b|the way\b|everything\b).+)$"
)
_PROPER = r"(?P<o>(?-i:[A-Z])[\w .'-]{1,30})$"
_JOBS = (
    r"engineer|developer|programmer|teacher|student|doctor|nurse|designer|lawyer|writer|artist|musician"
    r"|researcher|scientist|manager|accountant|chef|driver|photographer|journalist|translator|professor"
    r"|architect"
)
_PETS = r"cat|dog|puppy|kitten|hamster|rabbit|parrot|turtle|bird|fish"

ENGLISH: tuple[Frame, ...] = (
    Frame("不喜欢", rf"{_I} (?:don'?t|do not)(?: really| much)? (?:like|love|enjoy) {_THING}"),
    Frame(
        "不喜欢", rf"{_AM} not (?:really |much )?(?:a (?:big |huge )?fan of|into|fond of|keen on) {_THING}"
    ),
    Frame("喜欢", rf"{_I} (?:like|love|enjoy|adore) {_THING}"),
    Frame("讨厌", rf"{_I} (?:hate|dislike|despise|can'?t stand) {_THING}"),
    Frame("过敏", rf"{_AM} allergic to {_THING}"),
    Frame("在做", rf"{_AM} (?:working on|building|developing) {_THING}"),
    Frame("在写", rf"{_AM} writing (?!to\b){_THING}"),
    Frame("在学", rf"{_AM} (?:learning|studying) {_THING}"),
    Frame("打算", rf"(?:{_AM} planning|{_I} plan|{_I} intend) to {_THING}"),
    Frame("所在地", rf"(?:{_I} live|{_AM} living) in (?P<o>(?!an?\b|my\b|this\b|the\b).{{2,40}})$"),
    Frame("所在地", rf"{_I}(?:'ve)? moved to {_PROPER}"),
    Frame("名字", r"my name is (?P<o>(?!not\b)[\w.'-]{1,20}(?: (?-i:[A-Z])[\w.'-]{0,20}){0,2})$"),
    Frame("昵称", r"(?:you can |just |please )?call me (?P<o>(?-i:[A-Z])[\w.'-]{0,20})$"),
    Frame("年龄", rf"{_AM} (?P<o>\d{{1,3}})(?: years old| ?y/?o)$"),
    Frame("生日", r"my birthday is (?:on )?(?P<o>(?=.{0,20}\d)[\w ./-]{3,24})$"),
    Frame("职业", rf"(?:{_AM}|{_I} work as) an? (?P<o>(?:[\w-]+ ){{0,3}}(?:{_JOBS}))$"),
    Frame("来自", rf"(?:{_AM}|{_I} come) from {_PROPER}"),
    Frame(
        "养了",
        rf"{_I} have (?P<o>(?:an?|one|two|three|four|\d) (?:[\w-]+ ){{0,2}}(?:{_PETS})(?:e?s)?)$",
    ),
)
