"""R7.3, R7.4: what the character told on elsewhere goes with what is erased, and nothing that is others'."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nonebot_plugin_memoryfs.app import App
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.config import Settings
from nonebot_plugin_memoryfs.memory import Entry
from nonebot_plugin_memoryfs.scope import Policy, Scope, group_conversation
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.turn import OverheardLine
from nonebot_plugin_memoryfs.turn.tools import TurnTools

from ..conftest import Clock
from ..postgres import on_both
from .conftest import GROUP, Talk, in_group, private
from .test_erasing import found
from .test_erasing_on_both import Rooms

SECRET = "琥珀蜥蜴"


def linked(*pairs: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(group_conversation, pair)) for pair in pairs)


def group(number: str, user_id: str) -> Scope:
    return Scope("neko", group_conversation(number), user_id, private=False)


@on_both
@pytest.mark.parametrize("pairs", [("98", "87", "76"), ("76", "87", "98")])
def test_r7_3_what_was_told_on_from_group_to_group_goes(store: Store, pairs: Sequence[str]) -> None:
    rooms = Rooms(store, Policy(linked_groups=linked(*pairs)))
    rooms.says(in_group("10001"), f"我养了{SECRET}", ("用户", "养了", SECRET))
    for number in "876":
        rooms.says(group(number, "10002"), "他养了什么", reply=f"听说养了{SECRET}")
    rooms.says(group("5", "10002"), "他养了什么", reply=f"听说养了{SECRET}")  # not linked: somebody else's
    rooms.upkeep.clear_conversation(GROUP)
    with store.database.read() as connection:
        left = [tuple(row) for row in connection.exec_driver_sql("SELECT conversation_id, text FROM lines")]
    assert [where for where, text in left if SECRET in text] == ["qq_group_5"]


@on_both
@pytest.mark.parametrize("private_in_groups", [True, False])
def test_r7_3_what_was_told_on_through_a_private_chat_goes(store: Store, private_in_groups: bool) -> None:
    rooms = Rooms(store, Policy(private_in_groups=private_in_groups))
    rooms.says(in_group("10001"), f"我养了{SECRET}", ("用户", "养了", SECRET))
    rooms.says(private("10001"), "我养了什么", reply=f"你养了{SECRET}")
    rooms.says(group("8", "10001"), "我养了什么", reply=f"你养了{SECRET}")
    rooms.upkeep.clear_conversation(GROUP)
    assert (SECRET in rooms.held()) is not private_in_groups


@on_both
def test_r7_3_what_the_model_noted_elsewhere_from_there_goes(store: Store) -> None:
    rooms = Rooms(store)
    rooms.says(in_group("10001"), f"我养了{SECRET}", ("用户", "养了", SECRET))
    rooms.says(private("10001"), "它是金色的", (SECRET, "颜色", "金色"), ("它", f"{SECRET}的颜色", "金色"))
    rooms.says(private("10001"), "帮我记着找它")
    rooms.graph.task_create(private("10001"), f"找{SECRET}", "在后院", ["后院"])
    rooms.graph.task_create(private("10001"), "找它", "在后院", [f"{SECRET}的照片", "后院"])
    rooms.says(private("10001"), "我有后院", ("用户", "有", "后院"))
    rooms.upkeep.clear_conversation(GROUP)
    left = rooms.held()
    assert SECRET not in left
    assert [task.task_id for task in rooms.graph.tasks(private("10001"))] == ["找它"]
    assert "它是金色的" in left
    assert ("有", "后院") in {
        (f.relation, f.object) for f in rooms.graph.memory_recall(private("10001"), "后院").facts
    }
    assert rooms.upkeep.verify().problems == []


@on_both
@pytest.mark.parametrize("erased", [GROUP, "10001"])
def test_r7_4_somebody_who_was_spoken_of_keeps_what_is_theirs(store: Store, erased: str) -> None:
    rooms = Rooms(store)
    rooms.says(in_group("10002"), "大家好")
    rooms.says(private("10002"), "我爱咸豆花", ("用户", "爱", "咸豆花"), ("阿红", "是", "用户"))
    rooms.says(in_group("10001"), "我喜欢阿红", ("用户", "喜欢", "阿红"), ("用户", "等", "用户10002"))
    erase = rooms.upkeep.clear_conversation if erased == GROUP else rooms.upkeep.erase_person
    erase(erased)
    facts = rooms.graph.memory_recall(private("10002"), "我爱什么").facts
    assert "咸豆花" in {fact.object for fact in facts}


@on_both
def test_r7_3_a_title_goes_with_what_only_the_past_of_a_file_holds(store: Store) -> None:
    rooms = Rooms(store)
    memory, path = rooms.memory, rooms.memory.path_user_persona("neko", "10001")
    entry = Entry(f"养着{SECRET}", at=store.clock(), conversation_id=GROUP, people=("10001",))
    rooms.says(in_group("10001"), "大家好")
    memory.append(path, Entry("喜欢茶", conversation_id="qq_private_10001"))
    memory.append(path, entry, title=f"{SECRET}的事", summary=SECRET)
    memory.remove_entry(path, 2)
    rooms.upkeep.clear_conversation(GROUP)
    assert SECRET not in rooms.held()
    assert [one.text for one in memory.entries(path)] == ["喜欢茶"]


@on_both
def test_r7_4_what_is_known_everywhere_and_names_somebody_goes_with_them(store: Store) -> None:
    rooms = Rooms(store)
    path = rooms.memory.path_timeline("neko")
    for text in ("10001 说他怕黑", "100012 说他怕高"):
        rooms.memory.append(path, Entry(text, conversation_id="*"))
    rooms.upkeep.erase_person("10001")
    assert [entry.text for entry in rooms.memory.entries(path)] == ["100012 说他怕高"]


def said(app: App) -> Sequence[str]:
    with app.rooms.store.database.read() as connection:
        return connection.exec_driver_sql("SELECT text FROM lines").scalars().all()


async def test_r7_3_a_turn_elsewhere_that_recalled_it_writes_nothing_of_it(app: App, talk: Talk) -> None:
    """The model thinks in a private chat while the group is cleared."""
    await talk.say(in_group("10001"), f"我养了一只{SECRET}")
    turn = await app.workflow.hear(talk.incoming(private("10001"), "我爱咸豆花"))
    tools = {tool.name: tool for tool in TurnTools(app.rooms.graph, turn).bound}
    talk.clock.advance(seconds=1)
    await app.clear_conversation(GROUP)
    fact: dict[str, Any] = {"subject": SECRET, "relation": "颜色", "object": "金色"}
    for name, arguments in (
        ("memory_commit", {"triplets": [fact]}),
        ("task_create", {"task_id": "找", "description": f"找{SECRET}", "info_nodes": [SECRET]}),
    ):
        result = await tools[name].call(arguments)
        assert not result.ok
        assert "清空过" in result.text
    await app.workflow.answer(turn)
    assert await in_thread(said, app) == [
        "我爱咸豆花"
    ]  # what was said is kept, and what was recognised in it
    facts = await in_thread(app.rooms.graph.memory_recall, private("10001"), "我爱什么")
    assert [fact.object for fact in facts.facts] == ["咸豆花"]


@pytest.mark.parametrize("what", ["person", "group"])
async def test_r7_4_lines_in_passing_are_let_go_of_first(app: App, what: str, clock: Clock) -> None:
    """A turn that comes while the files are written anew would take them."""
    scope, left = in_group("10001"), list[object]()
    app.overhear(scope, OverheardLine("小明", SECRET, "m1"))
    overheard = app.workflow._overheard  # pyright: ignore[reportPrivateUsage]

    class Slow:
        def erase_person(self, user_id: str) -> None:
            left.append(overheard.take(("neko", GROUP)))

        clear_conversation = erase_person

    app.keeping = Slow()  # pyright: ignore[reportAttributeAccessIssue]
    await (app.erase_person("10001") if what == "person" else app.clear_conversation(GROUP))
    assert left == [()]


def test_r7_4_an_erasure_that_was_killed_is_finished_at_the_next_start(tmp_path: Path, clock: Clock) -> None:
    """Between the transaction and the cleaning of the files."""
    app = App.open(Settings(), tmp_path / "data", clock=clock)
    for n in range(40):
        turn = app.rooms.graph.open_turn(in_group("10001"), "小明", f"第{n}次说起{SECRET}" * 40)
        app.rooms.graph.complete_turn(turn, reply="好", speaker="小忆")
    for number, text in enumerate((f"第1次说起{SECRET}", "别人的")):
        (tmp_path / "data" / f"memories.json.unreadable-{number}").write_text(text)
    database = app.rooms.store.database
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nonebot_plugin_memoryfs.upkeep.room.erase_left", lambda _: 1 / 0)
        patch.setattr(database, "scrub", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            app.keeping.clear_conversation(GROUP)
    free = "PRAGMA freelist_count"
    with database.read() as connection:
        assert connection.exec_driver_sql(free).scalar_one() > 0
    app.rooms.store.close()

    app = App.open(Settings(), tmp_path / "data", clock=clock)
    with app.rooms.store.database.read() as connection:
        assert connection.exec_driver_sql(free).scalar_one() == 0
    assert found(tmp_path, [SECRET]) == []
    assert not (tmp_path / "data" / ".erasing").exists()
    assert (tmp_path / "data" / "memories.json.unreadable-1").exists()
    app.rooms.store.close()


@on_both
def test_r7_3_what_was_said_in_another_group_too_may_still_be_told(store: Store) -> None:
    rooms = Rooms(store)
    said = "周六晚上八点在老地方集合"
    rooms.says(in_group("10001"), said)
    rooms.says(group("8", "10001"), said)
    rooms.says(private("10001"), "周六有什么事", reply=f"{said}呀")
    rooms.upkeep.clear_conversation(GROUP)
    assert f"{said}呀" in rooms.held()
