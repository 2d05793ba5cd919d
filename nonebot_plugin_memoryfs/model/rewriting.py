"""When a model may replace what its tools answered by a summary of its own (R2.12)."""

import re
from collections.abc import Sequence

FURTHER_CHARACTERS = 20
"""So much a summary must say beside the names and the number."""

_NUMERALS = "零一二三四五六七八九十"
_BLANKS_AND_MARKS = re.compile(r"[\W_]+")


def refusal(summary: str, called: Sequence[str]) -> str:
    """Why a summary is not taken, for the model; empty when it is.

    Args:
        summary: what should stand in place of the calls and their answers.
        called: the name of each call of this turn, in order.
    """
    if not called:
        return "未改写：这一轮还没有调用过工具。"
    number, names = len(called), tuple(dict.fromkeys(called))
    missing = [name for name in names if name not in summary]
    count = re.compile(rf"(?<!\d){number}(?!\d)|(?<![{_NUMERALS}百]){_in_chinese(number)}\s*[次个回遍]")
    wrong = [f"写上调用过的工具 {'、'.join(missing)}"] if missing else []
    if not count.search(summary):
        wrong.append(f"写明一共调用了 {number} 次")
    rest = count.sub("", summary)
    for name in names:
        rest = rest.replace(name, "")
    if len(_BLANKS_AND_MARKS.sub("", rest)) < FURTHER_CHARACTERS:
        wrong.append(f"除此之外至少再写 {FURTHER_CHARACTERS} 个字，说清查到和做成了什么")
    return f"未改写：摘要要{'；'.join(wrong)}。" if wrong else ""


def _in_chinese(number: int) -> str:
    """A number below 100 as people say it before a measure word."""
    if number == 2:
        return "[两二]"
    tens, ones = divmod(number, 10)
    if not tens:
        return _NUMERALS[ones]
    return ("" if tens == 1 else _NUMERALS[tens]) + "十" + (_NUMERALS[ones] if ones else "")
