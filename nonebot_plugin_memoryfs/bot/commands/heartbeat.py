"""`/心跳`: the life of its own of the character in this conversation (R5.8, R7.3)."""

from datetime import datetime

from ...app import App
from ...concurrency import in_thread
from ...life import Outcome, Status
from ..scheduler import start_life, stop_life
from .table import MANAGERS, SUPERUSERS, Action, Asked, Command, Permission


def _allows(asked: Asked) -> bool:
    """In a group its managers; in private a superuser, or the person, where the operator allows it."""
    self_service = asked.scope.private and asked.app.settings.life_private_self_service
    return self_service or MANAGERS.allows(asked)


_MAY = Permission(who=f"{MANAGERS.who}；私聊里本人（设置允许时）", refusal=MANAGERS.refusal, allows=_allows)


async def _status(asked: Asked) -> str:
    scope = asked.scope
    status = await in_thread(asked.app.life.status, scope.character_id, scope.conversation_id)
    return await in_thread(_told, status, asked.app, scope.character_id)


async def _on(asked: Asked) -> str:
    life, scope = asked.app.life, asked.scope
    await in_thread(life.switch, scope.character_id, scope.conversation_id, True)
    name = await _name(asked)
    told = (
        f"心跳开了：{_minutes(life.rules.idle.total_seconds())}没人找{name}时，"
        f"{name}会自己过日子，只记在心里，不会发消息。"
    )
    return (
        told
        if await in_thread(lambda: life.enabled)
        else f"{told}\n不过现在全部心跳都停着，要等机器人主人打开。"
    )


async def _off(asked: Asked) -> str:
    scope = asked.scope
    await in_thread(asked.app.life.switch, scope.character_id, scope.conversation_id, False)
    return "心跳关了，写过的片段都还在。"


async def _now(asked: Asked) -> str:
    scope = asked.scope
    beat = await asked.app.life.beat_now(scope.character_id, scope.conversation_id)
    match beat.outcome:
        case Outcome.WRITTEN:
            return f"记下了：{beat.text}"
        case Outcome.OFF:
            return "这里的心跳没有开着，先用 /心跳 开。"
        case Outcome.SPENT:
            return f"今天已经写满 {asked.app.life.rules.per_day} 段，明天再说吧。"
        case Outcome.BUSY:
            return "正在写着呢，等一会儿再看。"
        case Outcome.DROPPED:
            return f"试了几次都没写好（{beat.text}），这次先算了。"
        case Outcome.FAILED:
            return "模型没有回答，过一会儿会自己再试。"
        case Outcome.LATER | Outcome.LAPSED:
            return "这次没有写成，过一会儿再试。"


async def _all(asked: Asked) -> str:
    wanted = {"开": True, "on": True, "关": False, "off": False}.get(asked.words.strip().casefold())
    if wanted is None:
        return "用法：/心跳 全部 开，或 /心跳 全部 关。"
    await in_thread(asked.app.life.enable, wanted)
    if wanted:
        start_life(asked.app)
        return "全部心跳可以跳了；各个会话仍按自己的开关。"
    stop_life()
    return "全部心跳都停了，各个会话自己的开关没有动。"


HEARTBEAT = Command(
    name="心跳",
    aliases=("heartbeat",),
    title="心跳：没人在的时候，角色自己过日子，只记下来，不发消息。",
    actions=(
        Action(name="状态", aliases=("status",), help="看下一次、最近一段", may=_MAY, run=_status),
        Action(name="开", aliases=("on",), help="打开这里的心跳", may=_MAY, run=_on),
        Action(name="关", aliases=("off",), help="关掉这里的心跳", may=_MAY, run=_off),
        Action(name="立即", aliases=("now",), help="现在就写一段", may=_MAY, run=_now),
        Action(
            name="全部",
            aliases=("all",),
            takes="开|关",
            help="所有会话的总开关",
            may=SUPERUSERS,
            run=_all,
        ),
    ),
)
"""The command."""


def _told(status: Status, app: App, character_id: str) -> str:
    def when(at: datetime) -> str:
        return f"{app.life.local(character_id, at):%m-%d %H:%M}"

    on = "开着" if status.on else "关着"
    lines = [f"心跳：{on}" if status.enabled else f"心跳：{on}，但全部心跳都停着"]
    if status.paused_until is not None and status.paused_until > app.clock():
        lines.append(f"模型没有回答，歇到 {when(status.paused_until)}")
    if status.due_at is not None:
        lines.append(f"下一次：{when(max(status.due_at, app.clock()))} 以后（其间没人说话的话）")
    if status.on:
        lines.append(f"今天：{status.today}/{app.life.rules.per_day} 段")
    if status.last is not None:
        time = f"{when(status.last.at)} " if status.last.at else ""
        lines.append(f"最近一段：{time}{status.last.text}")
    if status.refused_at is not None:
        lines.append(f"最近没写成：{when(status.refused_at)} {status.refusal}（共 {status.dropped} 次）")
    return "\n".join(lines)


def _minutes(seconds: float) -> str:
    return f"{int(seconds // 60)} 分钟"


async def _name(asked: Asked) -> str:
    card = await in_thread(asked.app.rooms.card_of, asked.scope.character_id)
    return card.name
