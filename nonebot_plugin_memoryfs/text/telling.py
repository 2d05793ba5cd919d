"""Facts told as sentences: how a relation reads in Chinese."""

_SENTENCES = {
    **{
        relation: f"{{who}}{relation}{{thing}}"
        for relation in ("喜欢", "不喜欢", "讨厌", "想要", "在做", "在学", "在写", "在看", "在玩", "在准备")
    },
    **{
        relation: f"{{who}}{relation}{{thing}}"
        for relation in ("打算", "不打算", "养了", "不吃", "来自", "家在")
    },
    "过敏": "{who}对{thing}过敏",
    "所在地": "{who}在{thing}",
    "名字": "{who}叫{thing}",
    "年龄": "{who}{thing}",
    "职业": "{who}是{thing}",
}
"""How a relation reads as a sentence; others read as `…的…是…`."""


def told(who: str, relation: str, thing: str) -> str:
    """A fact as a clause.

    Args:
        who: the subject; empty for a note in somebody's own file.
        relation: the label.
        thing: the object.
    """
    form = _SENTENCES.get(relation) or ("{who}的{relation}是{thing}" if who else "{relation}：{thing}")
    return form.format(who=who, relation=relation, thing=thing)
