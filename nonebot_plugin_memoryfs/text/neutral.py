"""Memory is data: stored lines that look like structure of a prompt are marked `› ` (R1.16).

The text itself stays as written; only a folded copy, without blanks and disguises, is looked at.
"""

import re
import unicodedata
from functools import lru_cache

from .cleaning import is_visible

MARK = "› "

_LOOKALIKES = str.maketrans(
    "〈〉⟨⟩❮❯‹›«»⟪⟫◁▷♯∶꞉ː׃“”‘’〖〗аеоруѕіхтмсαορυτ",
    "<><><><><><><>#::::\"\"''【】aeopysixtmcaoput",
)
_DECORATION = re.compile(r"(?:[^\w【#<\[{]|\d{1,3}[.)、]|[a-z][.)]|[一二三四五六七八九十]{1,3}、)+")

_ROLE = (
    r"(?:system|developer|user|human|assistant|ai|bot|chatbot|model|gpt|chatgpt|tool|function"
    r"|instructions?|response|thought|action|actioninput|observation"
    r"|系统|开发者|用户|使用者|人类|助手|助理|机器人|模型|工具|指令)"
)
_ROLE_KIND = r"(?:messages?|prompts?|notes?|instructions?|提示词?|消息|指令|通知|设定|说|回复)?"
_TOOL = r"(?:memory[-.]?(?:commit|recall|purge)|task[-.]?(?:create|set[-.]?state)|context[-.]?rewrite)"
_REASONING = r"(?:think|thought|reason|reflect|scratchpad|monolog|analysis|commentary)"

_AT_START = re.compile(
    "|".join(
        (
            r".{0,4}【",  # our section headings
            r"#",  # our layer headings, any depth
            rf"[\[({{<]?{_ROLE}{_ROLE_KIND}\d{{0,12}}[\])}}>]*(?:\(.{{0,40}}\))?:",  # system: user (x):
            rf"{_ROLE}{_ROLE_KIND}[-=~—]{{2,}}$",  # --- system ---
            r"(?:role|(?:tool|function)calls?)[:=]",
            rf"[\[({{<]{{1,2}}/?{_ROLE}{_ROLE_KIND}[\])}}>]",  # [system] <user>
            r"(?:system|developer|user|assistant)$",  # a role alone on its line
            r"\[(?:conv|by):",  # our entry tags
            r"\[\d{2,4}[-/.年]\d{1,2}[-/.月]\d{1,2}",
            r"\[\{",  # a list of calls
        )
    )
)
_PLAIN = re.compile(r"[\u4e00-\u9fffぁ-ゖァ-ヺ0-9，。、！？…《》“” \n]*")
"""Every kind of structure needs a character outside these: most lines of a chat need no closer look."""
_FENCE = re.compile(r"(?:`{3,}|~{3,})(?:tool|function|call|json|xml|system)")
_ANYWHERE = re.compile(
    "|".join(
        (
            r"^={3,}$",  # an underlined heading
            r"<\|",  # chat template tokens
            r"</?(?:s|bos|eos|startofturn|endofturn)>",
            r"\[/?(?:inst|toolcalls?|availabletools|toolresults?|systemprompt|think(?:ing)?)\]",
            r"<</?sys>>",
            rf"</?(?:\w{{1,20}}:)?\w{{0,20}}{_REASONING}",
            r"</?cot>",
            r"《/?think",
            r"</?role>",
            r"</?(?:\w{1,20}:)?(?:tool|function|invoke|parameter)",
            r"[\"'](?:name|function|arguments|parameters|tool|toolcalls?|functioncall|role"
            r"|triplets)[\"']:",
            rf"{_TOOL}[\"']?[({{\[:]",
            rf"</?{_TOOL}",
            rf"name[\"']?:[\"']?{_TOOL}",
            r"to=functions?\.",
        )
    )
)


def neutralise(text: str) -> str:
    """Prefix each line that looks like structure with `› `; other lines stay as they are."""
    if _PLAIN.fullmatch(text):
        return text
    lines = text.splitlines(keepends=True)
    return "".join(MARK + line if looks_like_structure(line) else line for line in lines)


def looks_like_structure(line: str) -> bool:
    """Whether a line could pass for a heading, role, tool call, reasoning tag or entry tag.

    A line that already begins with `›` is marked, hence harmless.
    """
    seen = _as_seen(line)
    if not seen or line.lstrip().startswith(MARK[0]):
        return False
    if _FENCE.match(seen) or _ANYWHERE.search(seen):
        return True
    decoration = _DECORATION.match(seen)
    return bool(_AT_START.match(seen, decoration.end() if decoration else 0))


def quote_line(text: str) -> str:
    """Fold every line break, with the blanks beside it, to one blank."""
    return " ".join(piece for line in text.splitlines() if (piece := line.strip()))


def _as_seen(line: str) -> str:
    """What a reader takes a line for: one width and case, no accents, blanks or emphasis."""
    folded = unicodedata.normalize("NFKD", line).casefold().translate(_LOOKALIKES)
    return "".join(filter(_shows, folded))


@lru_cache(maxsize=4096)
def _shows(char: str) -> bool:
    return is_visible(char) and char not in "*_▁"
