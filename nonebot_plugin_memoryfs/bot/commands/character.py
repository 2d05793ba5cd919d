"""`/角色`: who plays here, and what they are like (R7.3, R3.11, R2.7)."""

from ...concurrency import in_thread
from ...errors import InvalidInput
from ...text.sentences import gist
from .table import EVERYONE, MANAGERS, SUPERUSERS, Action, Asked, Command

_LINE = 80
_DEFAULT = ("默认", "default")


async def _view(asked: Asked) -> str:
    return await in_thread(_shown, asked)


def _shown(asked: Asked) -> str:
    app, scope = asked.app, asked.scope
    card = app.rooms.card_of(scope.character_id)
    persona = app.rooms.graph.persona(scope).facts
    traits = [f"· {trait.relation}：{gist(trait.object, _LINE)}" for trait in persona]
    others = "、".join(f"{other.name}（{other.id}）" for other in app.roster.cards() if other.id != card.id)
    return "\n".join(
        [
            f"现在在这里的是{card.name}（{card.id}）。",
            *traits,
            *([f"还有：{others}"] if others else []),
        ]
    )


async def _switch(asked: Asked) -> str:
    app, scope = asked.app, asked.scope
    asked.lists.drop(scope)
    if asked.words.casefold() in _DEFAULT:
        was_bound = await in_thread(app.bindings.unbind, scope.conversation_id)
        now = await app.character_of(asked.account, scope.conversation_id)
        name = (await in_thread(app.rooms.card_of, now)).name
        return f"好，这里改回默认的角色：{name}。" if was_bound else f"这里本来就是默认的角色：{name}。"
    await in_thread(app.bindings.bind, scope.conversation_id, asked.words)
    name = (await in_thread(app.rooms.card_of, asked.words)).name
    return f"好，从现在起这里是{name}。记忆是各个角色自己的，换回来都还在。"


async def _trait_here(asked: Asked) -> str:
    return await _set_trait(asked, asked.scope.conversation_id)


async def _trait_everywhere(asked: Asked) -> str:
    return await _set_trait(asked, None)


async def _set_trait(asked: Asked, conversation_id: str | None) -> str:
    name, value = [*asked.words.split(maxsplit=1), ""][:2]
    character_id = asked.scope.character_id
    set_trait = asked.app.rooms.graph.set_trait
    changed = await in_thread(set_trait, character_id, name, value, conversation_id)
    card = await in_thread(asked.app.rooms.card_of, character_id)
    which = f"{card.name}处处的{name}" if conversation_id is None else f"{card.name}在这里的{name}"
    if value:
        return f"好，{which}：{value}" if changed else f"{which}本来就是这样。"
    if not changed:
        raise InvalidInput(f"{which}没有另外设过；要设的话，在后面写上内容")
    return f"好，设过的去掉了，{which}回到原来的。"


CHARACTER = Command(
    name="角色",
    aliases=("character", "role"),
    title="角色：谁在这里，是什么样的人。",
    bare=_view,
    actions=(
        Action(name="查看", aliases=("view", "show"), help="现在是谁，还有谁", may=EVERYONE, run=_view),
        Action(
            name="切换",
            aliases=("switch", "use"),
            takes="id",
            help="让这里换一个角色；写“默认”换回来",
            example="neko",
            may=MANAGERS,
            run=_switch,
        ),
        Action(
            name="人设",
            aliases=("persona",),
            takes="属性 值",
            help="只改这里的人设；不写值就去掉",
            example="语气 懒洋洋的",
            may=MANAGERS,
            run=_trait_here,
        ),
        Action(
            name="总人设",
            aliases=("persona-all",),
            takes="属性 值",
            help="改处处有效的人设；不写值就去掉",
            example="语气 懒洋洋的",
            may=SUPERUSERS,
            run=_trait_everywhere,
        ),
    ),
)
"""The command."""
