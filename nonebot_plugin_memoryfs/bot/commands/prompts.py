"""`/提示词`: the layers of the base prompt: one's own, this group's, the default (R7.3, R3.2)."""

from dataclasses import dataclass

from ...concurrency import in_thread
from ...errors import InvalidInput
from ...prompt.layers import Level
from ...scope import group_of
from .table import EVERYONE, MANAGERS, SUPERUSERS, Action, Asked, Command, Permission


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer as people call it."""

    names: tuple[str, ...]
    level: Level
    may: Permission

    def target(self, asked: Asked) -> str:
        """Whose layer it is."""
        match self.level:
            case "user":
                return asked.scope.user_id
            case "group":
                if (group := group_of(asked.scope.conversation_id)) is None:
                    raise InvalidInput("“本群”要在群里说")
                return group
            case "default":
                return ""


_LAYERS = (
    _Layer(("我", "me"), "user", EVERYONE),
    _Layer(("本群", "group"), "group", MANAGERS),
    _Layer(("默认", "default"), "default", SUPERUSERS),
)
_TARGETS = "我|本群|默认"


async def _view(asked: Asked) -> str:
    layer, _ = _named(asked)
    if not layer.may.allows(asked):
        return layer.may.refusal
    name = layer.names[0]
    if layer.level == "user" and not asked.scope.private:
        return "你自己的提示词请私聊我看。"
    text = await in_thread(asked.app.rooms.prompts.layers.get, layer.level, layer.target(asked))
    return f"提示词（{name}）：\n{text}" if text else f"没有设过提示词（{name}）。"


async def _set(asked: Asked) -> str:
    layer, text = _named(asked)
    if not layer.may.allows(asked):
        return layer.may.refusal
    if not text:
        raise InvalidInput(f"要写上内容，如 /提示词 设置 {layer.names[0]} 说话简短一点；去掉用 /提示词 清除")
    await in_thread(asked.app.rooms.prompts.layers.save, layer.level, layer.target(asked), text)
    return f"好，提示词（{layer.names[0]}）记下了，下一句话就用它。"


async def _clear(asked: Asked) -> str:
    layer, text = _named(asked)
    if not layer.may.allows(asked):
        return layer.may.refusal
    if text:
        raise InvalidInput(f"清除后面只写 {_TARGETS} 里的一个")
    layers, target = asked.app.rooms.prompts.layers, layer.target(asked)
    had = await in_thread(layers.get, layer.level, target)
    await in_thread(layers.save, layer.level, target, "")
    name = layer.names[0]
    return f"好，提示词（{name}）去掉了。" if had else f"本来就没有设过提示词（{name}）。"


def _named(asked: Asked) -> tuple[_Layer, str]:
    """The layer that is named first, and what stands behind it."""
    name, text = [*asked.words.split(maxsplit=1), ""][:2]
    for layer in _LAYERS:
        if name.casefold() in layer.names:
            return layer, text
    raise InvalidInput(f"要写明是谁的：{_TARGETS}，收到的是 {name[:20]!r}")


_WHO = Permission(
    who=f"我：{EVERYONE.who}；本群：{MANAGERS.who}；默认：{SUPERUSERS.who}",
    refusal="",
    allows=lambda _: True,
)
"""Which layer it is decides."""

PROMPTS = Command(
    name="提示词",
    aliases=("prompt",),
    title="提示词：对我说话方式的要求。先看你自己的，再看本群的，再看默认的，最后是角色卡。",
    actions=(
        Action(
            name="查看",
            aliases=("view", "show"),
            takes=_TARGETS,
            help="看现在的",
            example="我",
            may=_WHO,
            run=_view,
        ),
        Action(
            name="设置",
            aliases=("set",),
            takes=f"{_TARGETS} 文",
            help="换成新的",
            example="我 说话简短一点",
            may=_WHO,
            run=_set,
        ),
        Action(
            name="清除",
            aliases=("clear",),
            takes=_TARGETS,
            help="去掉",
            example="我",
            may=_WHO,
            run=_clear,
        ),
    ),
)
"""The command."""
