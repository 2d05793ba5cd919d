"""Labels that say the contrary of each other, as data: 喜欢 and 不喜欢, 打算 and 不打算 (R2.5).

Two labels of one side agree, or say different things: neither ends the other.
"""

from .folding import fold_name

_FOR_AND_AGAINST: tuple[tuple[str, str], ...] = (
    ("喜欢 喜爱 爱 热爱", "不喜欢 不爱 讨厌 厌恶"),
    ("打算 计划 准备 决定", "不打算 不计划 不准备 放弃"),
    ("想要 想", "不想要 不想"),
    ("吃 爱吃 能吃", "不吃 不爱吃 不能吃"),
    ("喝 爱喝 能喝", "不喝 不爱喝 不能喝"),
    ("去", "不去"),
    ("会", "不会"),
    ("有", "没有"),
    ("认识", "不认识"),
    ("过敏", "不过敏"),
)


def _table() -> dict[str, frozenset[str]]:
    rows = [tuple(frozenset(map(fold_name, side.split())) for side in row) for row in _FOR_AND_AGAINST]
    return {label: row[1 - side] for row in rows for side in (0, 1) for label in row[side]}


_CONTRARIES = _table()


def contraries(label: str) -> frozenset[str]:
    """The labels, folded, that say the contrary of this one; of most there are none."""
    return _CONTRARIES.get(fold_name(label), frozenset())
