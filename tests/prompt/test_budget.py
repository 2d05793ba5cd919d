"""R3.10: what is cut when the prompt is too long, and (R3.9) that its beginning stays the same bytes."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.prompt import Cut, Part, PromptStack

from .test_stack import STABLE, VOLATILE


def part(name: str, cut: Cut | None, count: int, keep: int = 0) -> Part:
    return Part(
        name=name, lines=tuple(f"{name}-{n:02d}：十个字十个字" for n in range(count)), cut=cut, keep=keep
    )


def crowded() -> PromptStack:
    stack = PromptStack()
    stack.put("safety", "须知" * 50)
    stack.put("base", "设定" * 100)
    stack.put("memories", [part("notes", Cut.NOTES, 8)])
    stack.put(
        "memory_fs.context",
        [
            part("persona", None, 3),
            part("events", Cut.EVENTS, 5),
            part("timeline", Cut.TIMELINE, 5),
            part("life", Cut.LIFE, 5),
            part("digest", Cut.DIGEST, 5),
        ],
    )
    stack.put("graph.tasks", [part("doing", None, 1), part("turns", Cut.OLDER_TURNS, 6, keep=2)])
    stack.put("graph.facts", [part("facts", Cut.FACTS, 9)])
    return stack


def test_r3_10_what_is_cut_first() -> None:
    order = ["notes", "facts", "timeline", "life", "events", "digest", "turns"]
    whole = len(crowded().render(100_000).text)
    seen: list[str] = []
    for budget in range(whole, 0, -7):
        rendered = crowded().render(budget)
        cut = [omission.part for omission in rendered.cuts]
        assert cut == order[: len(cut)]
        seen = cut if len(cut) > len(seen) else seen
    assert seen == order


def test_r3_10_what_is_never_cut() -> None:
    rendered = crowded().render(10)
    for kept in ("须知" * 50, "设定" * 100, "persona-00", "doing-00", "turns-04", "turns-05"):
        assert kept in rendered.text
    for gone in ("notes", "facts", "timeline", "life", "events", "digest", "turns-03"):
        assert gone not in rendered.text
    assert len(rendered.text) > 10


def test_r3_10_the_oldest_go_first_and_of_ranked_ones_the_last() -> None:
    def left(weakest: str) -> list[str]:
        stack = PromptStack()
        lines = tuple(f"第 {n} 条" for n in range(5))
        assert weakest in ("first", "last")
        stack.put("memories", [Part(name="n", lines=lines, cut=Cut.NOTES, weakest=weakest)])
        return stack.render(len("第 0 条\n第 1 条")).text.split("\n")

    assert left("first") == ["第 3 条", "第 4 条"]
    assert left("last") == ["第 0 条", "第 1 条"]


def test_r3_10_the_report_says_what_was_cut() -> None:
    stack = PromptStack()
    stack.put(
        "memories", [Part(name="notes", lines=("一二三", "四五六"), heading="【重要记忆】", cut=Cut.NOTES)]
    )
    [cut] = stack.render(12).cuts
    assert (cut.key, cut.part, cut.lines, cut.characters) == ("memories", "notes", 1, 4)
    assert stack.render(12).text == "【重要记忆】\n四五六"
    assert stack.render(9).text == ""
    assert stack.render(9).cuts[0].lines == 2


def test_r3_10_the_default_budget_is_6000() -> None:
    stack = PromptStack()
    stack.put("memories", [Part(name="n", lines=("字" * 99,) * 100, cut=Cut.NOTES)])
    rendered = stack.render()
    assert (rendered.budget, len(rendered.text)) == (6000, 5999)


lines = st.lists(st.text("字a \n【#", max_size=9), max_size=6).map(tuple)
parts = st.lists(
    st.builds(
        Part,
        name=st.sampled_from(["甲", "乙"]),
        lines=lines,
        heading=st.sampled_from(["", "【头】"]),
        cut=st.none() | st.sampled_from(Cut),
        keep=st.integers(0, 3),
        weakest=st.sampled_from(["first", "last"]),
    ),
    max_size=3,
)


@dataclass
class Drawn:
    stable: dict[str, str]
    volatile: dict[str, list[Part]]

    def stack(self) -> PromptStack:
        stack = PromptStack()
        for key, text in self.stable.items():
            stack.put(key, text)
        for key, content in self.volatile.items():
            stack.put(key, content)
        return stack


stables = st.dictionaries(st.sampled_from(STABLE), st.text("设a \n", max_size=30))
volatiles = st.dictionaries(st.sampled_from(VOLATILE), parts)
drawn = st.builds(Drawn, stable=stables, volatile=volatiles)


def strongest(piece: Part) -> tuple[str, ...]:
    """The lines of a part that are never dropped."""
    shown = tuple(line.strip() for line in piece.lines if line.strip())
    if piece.cut is None:
        return shown
    if not piece.keep:
        return ()
    return shown[-piece.keep :] if piece.weakest == "first" else shown[: piece.keep]


@given(drawn=drawn, budget=st.integers(0, 300))
def test_r3_10_never_over_budget_unless_for_what_is_never_cut(drawn: Drawn, budget: int) -> None:
    rendered = drawn.stack().render(budget)
    smallest = drawn.stack().render(0)
    if len(rendered.text) > rendered.budget:
        assert rendered.text == smallest.text
    assert len(smallest.text) <= len(rendered.text)
    for content in drawn.volatile.values():
        for piece in content:
            assert "\n".join(strongest(piece)) in rendered.text
    for text in drawn.stable.values():
        assert text.strip() in rendered.text


@given(drawn=drawn, budget=st.integers(0, 300))
def test_r3_10_lines_are_whole_and_all_that_is_missing_is_reported(drawn: Drawn, budget: int) -> None:
    whole, fitted = drawn.stack().render(1_000_000), drawn.stack().render(budget)
    assert whole.cuts == ()
    assert (fitted.text != whole.text) == bool(fitted.cuts)
    assert all(cut.lines > 0 and cut.characters > 0 for cut in fitted.cuts)
    assert set(fitted.text.split("\n")) <= {*whole.text.split("\n"), ""}
    if len(whole.text) <= budget:
        assert fitted.text == whole.text


@given(stable=stables, one=volatiles, other=volatiles, budget=st.integers(0, 300))
def test_r3_09_the_prefix_is_the_same_bytes_whatever_the_turn_brings(
    stable: dict[str, str], one: dict[str, list[Part]], other: dict[str, list[Part]], budget: int
) -> None:
    first = Drawn(stable, one).stack().render(budget)
    second = Drawn(stable, other).stack().render(budget)
    assert first.stable_text == second.stable_text
    for rendered in (first, second):
        assert rendered.text.startswith(rendered.stable_text)
