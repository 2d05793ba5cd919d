"""`/memoryfs`: what whoever runs the bot needs to know and do (R7.3)."""

from dataclasses import replace
from pathlib import Path

from ...concurrency import in_thread
from ...errors import InvalidInput
from ...scope import Scope, private_conversation
from ...turn import explain, latest_trace
from ...upkeep import Importer, Wish
from ..server import way_in
from .confirming import Question
from .lists import whole_number
from .status import status_text
from .table import SUPERUSERS, Action, Asked, Command, File, Reply

_TRUST = "处处可见"
_NO_TURN = "还没有这样的对话。"


async def _why(asked: Asked) -> str:
    """The last turn of a conversation, of this one unless another is named."""
    conversation = asked.words or asked.scope.conversation_id
    database = asked.app.rooms.store.database
    trace = await in_thread(latest_trace, database, conversation)
    return explain(trace) if trace else _NO_TURN


async def _web(asked: Asked) -> str:
    told = way_in()
    if told is None:
        return "网页没有开：它要用 FastAPI 驱动器（DRIVER=~fastapi）；日志里有原因。"
    return told if asked.app.settings.web_public else f"{told}\n只有机器人所在的那台机器打得开。"


async def _backup(asked: Asked) -> str:
    path = await in_thread(asked.app.keeping.backup)
    size = await in_thread(path.stat)
    where = str(path) if asked.scope.private else path.name
    return f"备份好了：{where}（{size.st_size / 1_000_000:.1f} MB），留七天。"


async def _export(asked: Asked) -> Reply:
    """Everything about one person, for who answers for the bot."""
    number = whole_number(asked.words.removeprefix("@"))
    if number is None:
        raise InvalidInput(f"要写 QQ 号，收到的是 {asked.words[:20]!r}")
    user_id = str(number)
    export = await in_thread(asked.app.keeping.export_person, user_id)
    if not export.sections:
        return f"没有存过与 {user_id} 有关的内容。"
    name = f"memory-{user_id}-{export.made_at:%Y%m%d-%H%M}.json"
    return File(name=name, data=export.to_json().encode(), text=export.to_markdown())


async def _verify(asked: Asked) -> str:
    return (await in_thread(asked.app.keeping.verify)).text


async def _import(asked: Asked) -> Reply:
    """Counts first; writes after 确认."""
    path, wish = _source(asked)
    rooms = asked.app.rooms
    importer = Importer(rooms.store, rooms.memory, rooms.prompts, rooms.graph, rooms.zone)
    found = await in_thread(importer.run, path, replace(wish, dry_run=True))
    if not found.new:
        return found.text

    async def run(_: Asked) -> str:
        done = await in_thread(importer.run, path, wish)
        return f"导入好了。{done.text}"

    return Question(f"从 {path} 导入：\n{found.text}", run, asked)


def _source(asked: Asked) -> tuple[Path, Wish]:
    """The path that is named, whose facts a TrulyMEM `memory.db` holds, and whether untagged is trusted."""
    words = asked.words.removesuffix(f" {_TRUST}").strip()
    trust = words != asked.words
    path, _, user_id = words.rpartition(" ")
    if not path or not user_id.isdecimal():
        path, user_id = words, ""
    if path.endswith(".db") and not user_id:
        raise InvalidInput("memory.db 只认识一个用户，路径后面要写是谁的，如 /memoryfs import 路径 10001")
    conversation = private_conversation(user_id)
    scope = Scope(asked.scope.character_id, conversation, user_id, True) if user_id else None
    return Path(path).expanduser(), Wish(scope=scope, trust_untagged=trust)


OPERATOR = Command(
    name="memoryfs",
    aliases=(),
    title="memoryfs：给机器人主人用的。",
    actions=(
        Action(name="status", aliases=("状态",), help="现在怎么样", may=SUPERUSERS, run=status_text),
        Action(
            name="why",
            aliases=("为什么",),
            takes="[会话]",
            help="最近一轮为什么这样回答；不写会话就是这里的",
            example="qq_group_123",
            may=SUPERUSERS,
            private=True,
            run=_why,
        ),
        Action(name="backup", aliases=("备份",), help="马上备份一次", may=SUPERUSERS, run=_backup),
        Action(
            name="export",
            aliases=("导出",),
            takes="QQ号",
            help="导出关于一个人的一切",
            example="10001",
            may=SUPERUSERS,
            private=True,
            run=_export,
        ),
        Action(
            name="import",
            aliases=("导入",),
            takes=f"路径 [QQ号] [{_TRUST}]",
            help="从机器人那台机器上导入别处的记忆和角色卡，先数一遍，要再回复“确认”；"
            f"没写明在哪儿说的，加上“{_TRUST}”才会在别处提起",
            example="/root/old/data",
            may=SUPERUSERS,
            private=True,
            run=_import,
        ),
        Action(
            name="verify",
            aliases=("检查",),
            help="查一遍存着的东西对不对得上",
            may=SUPERUSERS,
            run=_verify,
        ),
        Action(
            name="web",
            aliases=("网页",),
            help="给一个登录网页的一次性代码",
            may=SUPERUSERS,
            private=True,
            run=_web,
        ),
    ),
)
"""The command."""
