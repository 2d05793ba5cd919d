"""R7.4 on both databases: rows gone, everybody else's there; facts that others said too stay theirs."""

from typing import Any

import pytest

from nonebot_plugin_memoryfs.graph import MemoryGraph
from nonebot_plugin_memoryfs.memory import Entry, MemoryFS
from nonebot_plugin_memoryfs.prompt import PromptManager
from nonebot_plugin_memoryfs.scope import Policy, Scope
from nonebot_plugin_memoryfs.storage import Store
from nonebot_plugin_memoryfs.upkeep import Upkeep
from nonebot_plugin_memoryfs.upkeep.dump import dump, tables

from ..postgres import parametrise
from .conftest import GROUP, NAMES, SHANGHAI, in_group, private


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    parametrise(metafunc)


class Rooms:
    def __init__(self, store: Store, policy: Policy = Policy()) -> None:  # noqa: B008
        self.store = store
        self.graph = MemoryGraph(store, policy)
        self.memory = MemoryFS(store, timezone=SHANGHAI, policy=policy)
        self.prompts = PromptManager(store=store, timezone=SHANGHAI, policy=policy)
        self.upkeep = Upkeep(store, self.memory, policy, SHANGHAI)

    def says(self, scope: Scope, text: str, *facts: tuple[str, str, str], reply: str = "好的") -> int:
        turn = self.graph.open_turn(scope, NAMES[scope.user_id], text)
        triplets: list[Any] = [{"subject": s, "relation": r, "object": o} for s, r, o in facts]
        if triplets:
            assert self.graph.memory_commit(scope, triplets, turn_id=turn).ok
        self.graph.complete_turn(turn, reply=reply, speaker="小忆")
        return turn

    def held(self) -> str:
        with self.store.database.read() as connection:
            return "".join(line for table in tables() for line in dump(connection, table))


@pytest.fixture
def rooms(store: Store) -> Rooms:
    return Rooms(store)


def test_r7_4_rows_are_gone_and_what_is_left_hangs_together(rooms: Rooms) -> None:
    for user_id, thing in (("10001", "琥珀蜥蜴"), ("10002", "珊瑚刺猬")):
        rooms.says(private(user_id), f"我养了{thing}", ("用户", "养了", thing))
        rooms.says(in_group(user_id), f"我爱{thing}", ("用户", "爱", thing), ("用户", f"梦见{thing}", "海"))
        entry = Entry(f"养{thing}", at=rooms.store.clock(), conversation_id=GROUP, people=(user_id,))
        rooms.memory.append(rooms.memory.path_timeline("neko"), entry)
        rooms.prompts.save_prompt(f"提{thing}", user_id=user_id)
        rooms.prompts.add_memory("便签", f"喂{thing}", f"user_{user_id}")
        rooms.graph.task_create(in_group(user_id), f"喂{thing}", "每天")
    rooms.upkeep.erase_person("10001")
    left = rooms.held()
    for gone in ("琥珀", "蜥蜴", "珀蜥", "10001", "小明"):
        assert gone not in left
    assert left.count("珊瑚刺猬") > 8
    assert rooms.upkeep.verify().problems == []


def test_r7_4_a_fact_others_said_as_well_stays_theirs(rooms: Rooms) -> None:
    fact = ("群规", "是", "不许剧透")
    rooms.says(in_group("10002"), "群规是不许剧透", fact)
    rooms.says(in_group("10001"), "群规是不许剧透", fact)
    rooms.says(in_group("10001"), "群主是老王", ("群主", "是", "老王本人"))
    rooms.upkeep.erase_person("10001")
    (kept,) = rooms.graph.memory_recall(in_group("10003"), "群规").facts
    assert (kept.object, kept.user_id, kept.sightings) == ("不许剧透", "10002", 1)
    assert rooms.graph.memory_recall(in_group("10003"), "群主").facts == ()


def test_r7_4_what_others_say_about_somebody_is_not_kept_as_a_fact(rooms: Rooms) -> None:
    rooms.says(in_group("10001"), "大家好")
    rooms.says(in_group("10002"), "小明怕黑", ("小明", "怕", "黑屋子"), reply="原来小明怕黑屋子")
    rooms.says(in_group("10002"), "老王怕高", ("老王", "怕", "摩天轮"), reply="原来老王怕摩天轮")
    rooms.upkeep.erase_person("10001")
    left = rooms.held()
    assert "黑屋子" not in left
    assert "小明怕黑" in left  # their own words are theirs
    assert "原来小明" not in left
    assert "原来老王怕摩天轮" in left
    assert [f.object for f in rooms.graph.memory_recall(in_group("10002"), "怕").facts] == ["摩天轮"]


def test_r7_4_words_that_others_said_as_well_are_nobodys(rooms: Rooms) -> None:
    rooms.says(in_group("10002"), "今天晚上八点一起看流星雨", reply="好，今天晚上八点一起看流星雨")
    rooms.says(in_group("10001"), "今天晚上八点一起看流星雨", reply="好，今天晚上八点一起看流星雨")
    rooms.upkeep.erase_person("10001")
    assert rooms.held().count("好，今天晚上八点一起看流星雨") == 2  # the line, and the gist of the turn


def test_r7_4_a_chat_they_had_nothing_to_do_with_is_not_touched(rooms: Rooms) -> None:
    elsewhere = Scope("neko", "qq_group_8", "10003", private=False)
    rooms.says(elsewhere, "早", reply="小明在八点钟吃了三个包子")
    rooms.says(in_group("10001"), "小明在八点钟吃了三个包子")
    rooms.upkeep.erase_person("10001")
    assert "小明在八点钟吃了三个包子" in rooms.held()


def test_r7_4_erasing_twice_says_there_is_nothing(rooms: Rooms) -> None:
    rooms.says(private("10001"), "我爱茶", ("用户", "爱", "茶"))
    assert "事实 1" in rooms.upkeep.erase_person("10001").text
    assert rooms.upkeep.erase_person("10001").text == "没有存过有关的内容"


def test_r7_3_a_cleared_group_is_gone_and_what_is_left_hangs_together(rooms: Rooms) -> None:
    elsewhere = Scope("neko", "qq_group_8", "10001", private=False)
    for scope, thing in (
        (in_group("10001"), "琥珀蜥蜴"),
        (private("10001"), "珊瑚刺猬"),
        (elsewhere, "紫晶蜗牛"),
    ):
        rooms.says(scope, f"我养了{thing}", ("用户", "养了", thing), reply=f"原来是{thing}")
        where = scope.conversation_id
        entry = Entry(f"养{thing}", at=rooms.store.clock(), conversation_id=where, people=("10001",))
        rooms.memory.append(rooms.memory.path_timeline("neko"), entry)
        rooms.memory.append(rooms.memory.path_user_persona("neko", "10001"), entry)
        rooms.prompts.add_memory("便签", f"喂{thing}", "10001", conversation_id=where)
        rooms.graph.task_create(scope, f"喂{thing}", "每天", [f"{thing}的碗"])
    rooms.prompts.save_prompt("短一点", group_id="9")
    rooms.says(private("10001"), "我还养了什么", reply="你还养了琥珀蜥蜴呀")
    counted = rooms.upkeep.count_conversation(GROUP)
    erasure = rooms.upkeep.clear_conversation(GROUP)
    assert {name: n for name, n in erasure.counts.items() if name != "搁置的文件"} == counted.counts
    assert counted.counts["记忆文件里的条目"] == 2
    left = rooms.held()
    for gone in ("琥珀", "蜥蜴", "珀蜥"):
        assert gone not in left
    assert "我还养了什么" in left
    for kept in ("珊瑚刺猬", "紫晶蜗牛"):
        assert left.count(kept) > 8
    assert rooms.prompts.load_base_prompt(group_id="9") == "短一点"
    assert rooms.upkeep.verify().problems == []


def test_r7_3_words_typed_in_private_stay_though_the_group_said_them_too(rooms: Rooms) -> None:
    said = "周六晚上八点在老地方集合"
    rooms.says(in_group("10001"), said, reply=f"好，{said}")
    rooms.says(private("10002"), said, reply=f"好，{said}")
    rooms.says(in_group("10002"), "早")
    rooms.prompts.add_memory("便签", "群里说的豆花店明天开张", "10002")
    rooms.says(in_group("10001"), "群里说的豆花店明天开张")
    rooms.graph.memory_commit(private("10002"), [{"subject": "用户", "relation": "爱", "object": "咸豆花"}])
    rooms.says(in_group("10001"), "我爱咸豆花", ("用户", "爱", "咸豆花"))
    rooms.upkeep.clear_conversation(GROUP)
    left = rooms.held()
    assert left.count(f"好，{said}") == 2  # the line, and the gist of the turn
    assert "豆花店明天开张" in left
    assert [f.object for f in rooms.graph.memory_recall(private("10002"), "豆花").facts] == ["咸豆花"]
