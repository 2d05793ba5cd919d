"""`/记忆`: what is kept about oneself: seen, found, added to, taken in hand (R7.3, R7.4)."""

from datetime import datetime, tzinfo

from ...concurrency import in_thread
from ...errors import InvalidInput
from ...own import Item, Kind
from ...scope import group_of, private_conversation
from ...text.sentences import gist
from .emptying import WHO_ERASES, erase
from .lists import Shown, whole_number
from .table import EVERYONE, Action, Asked, Command, File

PER_PAGE = 10
_FOUND = 10
_LINE = 120
_ELSEWHERE = "这里只列这个群能看的，其余请私聊。"


async def _view(asked: Asked) -> str:
    page = _page(asked.words)
    now = asked.app.clock()
    shown = asked.lists.current(asked.scope, now) if page > 1 else None
    if shown is None or not shown.paged:
        items = await in_thread(asked.app.own.everything, asked.scope)
        shown = asked.lists.show(asked.scope, items, now, paged=True)
    count = len(shown.items)
    if not count:
        return _told(asked, "关于你，还没有记下什么。说“我喜欢……”这样的事，或用 /记忆 记住，就记下了。")
    pages = -(-count // PER_PAGE)
    if page > pages:
        raise InvalidInput(f"一共 {pages} 页，没有第 {page} 页")
    start = (page - 1) * PER_PAGE
    lines = _numbered(asked, shown, range(start, min(start + PER_PAGE, count)))
    head = f"关于你记得 {count} 件事" + (f"（第 {page}/{pages} 页）：" if pages > 1 else "：")
    more = [f"下一页：/记忆 查看 {page + 1}"] if page < pages else []
    return _told(asked, "\n".join([head, *lines, *more]))


async def _search(asked: Asked) -> str:
    items = await in_thread(asked.app.own.search, asked.scope, asked.words, _FOUND)
    shown = asked.lists.show(asked.scope, items, asked.app.clock())
    if not items:
        return _told(asked, f"没找到和“{gist(asked.words, 30)}”有关的。换个词试试？")
    lines = _numbered(asked, shown, range(len(items)))
    return _told(asked, "\n".join([f"和“{gist(asked.words, 30)}”有关的：", *lines]))


async def _remember(asked: Asked) -> str:
    if await asked.app.keeps_nothing_of(asked.scope.user_id):
        return "现在停着记，没有记；先用 /记忆 继续。"
    await in_thread(asked.app.own.remember, asked.scope, asked.words, asked.message_id)
    where = "" if asked.scope.private else "（在这个群和你的私聊里都会想起）"
    return f"记住了：{gist(asked.words, _LINE)}{where}"


async def _correct(asked: Asked) -> str:
    number, text = [*asked.words.split(maxsplit=1), ""][:2]
    if not text:
        raise InvalidInput("要写上新的内容，如 /记忆 改 2 我喜欢爵士")
    if await asked.app.keeps_nothing_of(asked.scope.user_id):
        return "现在停着记，没有改；先用 /记忆 继续。"
    item = asked.lists.find(asked.scope, number, asked.app.clock())
    await in_thread(asked.app.own.correct, asked.scope, item, text)
    asked.lists.spend(asked.scope, number)
    return f"改好了：{_sentence(text)}原来的说法，哪儿都不会再提。"


async def _forget(asked: Asked) -> str:
    item = asked.lists.find(asked.scope, asked.words, asked.app.clock())
    await in_thread(asked.app.own.forget, asked.scope, item)
    asked.lists.spend(asked.scope, asked.words)
    return f"忘了：{_sentence(item.shown)}记下的和说起过它的话都抹掉了。"


async def _export(asked: Asked) -> File:
    user_id = asked.scope.user_id
    export = await in_thread(asked.app.keeping.export_person, user_id)
    return File(
        name=f"memory-{user_id}-{export.made_at:%Y%m%d-%H%M}.json",
        data=export.to_json().encode(),
        text=export.to_markdown(),
    )


async def _pause(asked: Asked) -> str:
    if await asked.app.keeps_nothing_of(asked.scope.user_id):
        return "本来就停着。要我再记：/记忆 继续"
    await in_thread(asked.app.pause, asked.scope.user_id)
    return (
        "好，从现在起，你在哪儿说的我都不记、不学，聊天照常。"
        "以前记下的还在：看用 /记忆 查看。要我再记：/记忆 继续"
    )


async def _resume(asked: Asked) -> str:
    was_off = await in_thread(asked.app.resume, asked.scope.user_id)
    return "好，从现在起又记了；停着的时候说的，没有记。" if was_off else "本来就在记。"


MEMORY = Command(
    name="记忆",
    aliases=("memory",),
    title="记忆：关于你记下了什么，你说了算。",
    actions=(
        Action(
            name="查看",
            aliases=("list", "view"),
            takes="[页]",
            help="列出关于你记下的事，带编号",
            example="2",
            may=EVERYONE,
            run=_view,
        ),
        Action(
            name="搜索",
            aliases=("search", "find"),
            takes="词",
            help="在记下的事和说过的话里找",
            example="摇滚",
            may=EVERYONE,
            run=_search,
        ),
        Action(
            name="记住",
            aliases=("remember", "add"),
            takes="文",
            help="记一条便签",
            example="我对花生过敏",
            may=EVERYONE,
            run=_remember,
        ),
        Action(
            name="改",
            aliases=("correct", "edit"),
            takes="编号 新文",
            help="改正一条；编号看列表",
            example="2 我喜欢爵士",
            may=EVERYONE,
            run=_correct,
        ),
        Action(
            name="忘记",
            aliases=("forget", "delete"),
            takes="编号",
            help="忘掉一条，连同说起过它的话；编号看列表",
            example="2",
            may=EVERYONE,
            run=_forget,
        ),
        Action(
            name="导出",
            aliases=("export",),
            help="把关于你的一切发给你：一个文件，客户端不收就发文字",
            may=EVERYONE,
            private=True,
            run=_export,
        ),
        Action(
            name="清空",
            aliases=("erase", "clear"),
            takes="[本群]",
            help="清掉关于你的一切；写本群，清掉这个群的一切。要再回复“确认”",
            may=WHO_ERASES,
            run=erase,
        ),
        Action(
            name="停记",
            aliases=("pause",),
            help="从现在起，你说的什么都不记",
            may=EVERYONE,
            run=_pause,
        ),
        Action(name="继续", aliases=("resume",), help="再记起来", may=EVERYONE, run=_resume),
    ),
)
"""The command."""


def _sentence(text: str) -> str:
    """A text on one line, with an end."""
    told = gist(text, _LINE)
    return told if told.endswith(("。", "！", "？", "…")) else f"{told}。"


def _page(words: str) -> int:
    if not words:
        return 1
    page = whole_number(words)
    if not page:
        raise InvalidInput(f"页码要写从 1 起的数字，收到的是 {words[:20]!r}")
    return page


def _numbered(asked: Asked, shown: Shown, numbers: range) -> list[str]:
    """The lines of a page; from now on their numbers mean something."""
    shown.seen.update(index + 1 for index in numbers)
    zone = asked.app.settings.zone
    return [f"{index + 1}. {_line(asked, shown.items[index], zone)}" for index in numbers]


def _line(asked: Asked, item: Item, zone: tzinfo) -> str:
    kind = "" if item.kind is Kind.FACT else f"[{item.kind.value}] "
    known = "，".join(filter(None, (_day(item.at, zone), _where(asked, item))))
    return f"{kind}{gist(item.shown, _LINE)}" + (f"（{known}）" if known else "")


def _day(at: datetime | None, zone: tzinfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d}" if at else ""


def _where(asked: Asked, item: Item) -> str:
    """The place where something was said, as its reader calls it."""
    conversation = item.conversation_id
    if conversation == asked.scope.conversation_id:
        return "私聊" if asked.scope.private else "本群"
    if conversation == private_conversation(asked.scope.user_id):
        return "私聊"
    group = group_of(conversation or "")
    return f"群 {group}" if group else ""


def _told(asked: Asked, text: str) -> str:
    return text if asked.scope.private else f"{text}\n{_ELSEWHERE}"
