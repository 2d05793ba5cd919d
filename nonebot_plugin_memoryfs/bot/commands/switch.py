"""`/记忆开关`: whether the bot deals with this group at all (R7.2, R7.3)."""

from ...concurrency import in_thread
from .table import MANAGERS, Action, Asked, Command

_PRIVATE = "这个在群里用；私聊里要我别记，用 /记忆 停记。"


async def _on(asked: Asked) -> str:
    return await _switch(asked, True, "好，我又在这个群里了。", "本来就开着。")


async def _off(asked: Asked) -> str:
    told = "好，这个群里说的我不再理会，也不再记；记下过的都还在。要我回来：/记忆开关 开"
    return await _switch(asked, False, told, "本来就关着。")


async def _switch(asked: Asked, on: bool, done: str, already: str) -> str:
    if asked.scope.private:
        return _PRIVATE
    changed = await in_thread(asked.app.switch, asked.scope.conversation_id, on)
    return done if changed else already


SWITCH = Command(
    name="记忆开关",
    aliases=("memory-switch",),
    title="记忆开关：这个群里要不要我。关了就不回答也不记，只认这一个命令。",
    always=True,
    actions=(
        Action(name="开", aliases=("on",), help="回来", may=MANAGERS, run=_on),
        Action(name="关", aliases=("off",), help="别理会这个群", may=MANAGERS, run=_off),
    ),
)
"""The command."""
