"""`/记忆 清空`: one's own memory, or the group's, after 确认 (R7.3, R7.4)."""

from ...concurrency import in_thread
from ...errors import InvalidInput
from .confirming import Question
from .table import EVERYONE, MANAGERS, Asked, Permission

_GROUP = ("本群", "group")
_NOTHING_HERE = "这个群没有记下过什么。"

WHO_ERASES = Permission(
    who=f"自己的：{EVERYONE.who}；本群：{MANAGERS.who}", refusal="", allows=lambda _: True
)
"""Whose memory it is decides."""


async def erase(asked: Asked) -> Question[Asked] | str:
    """Asks back: for one's own memory, or for the group's."""
    if asked.words.casefold() in _GROUP:
        return await _clear(asked)
    if asked.words:
        raise InvalidInput(f"清空后面什么也不写（清你自己的），或者写本群，收到的是 {asked.words[:20]!r}")
    what = (
        "你说过的话和收到的回复、记下的事、便签、提示词，还有提到你的记录，"
        "在所有角色、私聊和群里的都在内；备份里的，七天里也会没有"
    )
    export = "先留一份：私聊发 /记忆 导出。"
    manages = MANAGERS.allows(asked) and not asked.scope.private
    group = "（要清的是整个群的记忆：/记忆 清空 本群）" if manages else ""
    return Question(f"要清空关于你的一切吗？{what}。清了就找不回来。{export}{group}", _erase_now, asked)


async def _clear(asked: Asked) -> Question[Asked] | str:
    """Asks whether the group's memory is to be cleared, and says what of it there is."""
    if asked.scope.private:
        raise InvalidInput("“本群”要在群里说")
    if not MANAGERS.allows(asked):
        return f"{MANAGERS.refusal}清你自己的：/记忆 清空"
    held = await in_thread(asked.app.keeping.count_conversation, asked.scope.conversation_id)
    if not held.counts:
        return _NOTHING_HERE
    return Question(
        f"要清空这个群的记忆吗？会清掉：{held.told}。大家在这个群里说过的、由此记下的都在内，"
        "不管对哪个角色说的，也包括在这个群里改过的人设；备份里的，七天里也会没有。清了就找不回来。"
        "不动的：各人私聊里的、别的群的，还有这个群的提示词、绑定的角色、心跳和记忆开关。",
        _clear_now,
        asked,
    )


async def _clear_now(asked: Asked) -> str:
    where = asked.scope.conversation_id
    erasure = await asked.app.clear_conversation(where)
    asked.lists.forget_place(where)
    return f"好，这个群的记忆清空了：{erasure.told}。" if erasure.counts else _NOTHING_HERE


async def _erase_now(asked: Asked) -> str:
    erasure = await asked.app.erase_person(asked.scope.user_id)
    asked.lists.forget_person(asked.scope.user_id)
    return f"{erasure.text}。" if asked.scope.private else "好，关于你的都清空了。"
