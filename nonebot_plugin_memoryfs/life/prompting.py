"""What a model is told for one fragment: card, hour, phase, last fragments; nothing anybody said (R5.6)."""

import random

from ..character import Phase, profile_text
from ..model import Question
from ..text.neutral import neutralise, quote_line
from .check import LONGEST, NEWEST, SHORT
from .offline import Setting, write_fragment
from .weather import season_of, weather_of

_WEEKDAYS = "一二三四五六日"

_SYSTEM = f"""请以下面这个角色的口吻，写它独自一人时的一小段生活。

{{profile}}

要求：
- 只写一段，一行，{SHORT} 到 {LONGEST} 个字，以句号结束；不写时间、标题、引号和解释。
- 写此刻正在做的一件小事，带一个看得见、听得到或闻得到的细节，可以接着前面做过的事，不要重复它们。
- 只有角色自己：不写别人和它说话、来往、等待谁，不提“你”“我们”，不写手机和网络上的往来。
- 不提这项要求本身，不写角色以外的身份。"""
_AWAKE = "角色现在醒着。"
_ASLEEP = "角色正在睡觉：只写熟睡、做梦、翻身、短暂醒来又睡着，不写任何醒着才做的事。"


def question_of(setting: Setting, refusal: str, rng: random.Random) -> Question[str]:
    """The question for one fragment.

    Args:
        setting: character, hour, and what it did before.
        refusal: why the last try could not be kept; blank for the first.
        rng: what the offline generator draws with.
    """
    local, day = setting.local, setting.local.date()
    told = [
        f"现在是{season_of(day).value}天，{local.month}月{local.day}日，周{_WEEKDAYS[day.weekday()]}，"
        f"{local:%H:%M}，{setting.phase.value}，天气：{weather_of(setting.card.id, day).value}。",
        _ASLEEP if setting.phase is Phase.SLEEPING else _AWAKE,
    ]
    if setting.last:
        told.append("前面写过的（旧的在前）：")
        told += [neutralise(f"- {quote_line(text)}") for text in setting.texts[-NEWEST:]]
    if refusal:
        told.append(f"上一次写的不能用：{quote_line(refusal)}。请换一段。")
    return Question(
        system=_SYSTEM.format(profile=profile_text(setting.card)),
        user="\n".join(told),
        shape=str,
        by_rules=lambda: write_fragment(setting, rng),
    )
