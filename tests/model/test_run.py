"""R2.12, R2.13: rounds, calls and the history between them, as an endpoint sees them over real HTTP."""

import pytest

from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.turn import Turn
from nonebot_plugin_memoryfs.turn.checklist import check

from ..behind_http import COMMIT, GOOD, Make
from ..behind_http import service as service
from ..behind_http import world as world
from ..sim.endpoint import Response, calls, says

RECALL = ("memory_recall", {"query_intent": "用户"})
SUMMARY = "调用了 memory_recall 和 memory_commit，共 2 次：查过用户的喜好，又记下了用户喜欢摇滚这件事。"


def answered(turn: Turn) -> list[tuple[str, bool]]:
    """The calls of a turn and whether they were carried out."""
    assert turn.answer is not None
    return [(call.name, call.ok) for call in turn.answer.calls]


@pytest.mark.parametrize(
    "arguments", ["{broken", "[1]", "null", '"text"', "{}", '{"triplets": "x"}', "1" * 9_000]
)
async def test_r2_13_broken_arguments_are_answered_and_sent_back_whole(world: Make, arguments: str) -> None:
    there = await world(calls(("memory_commit", arguments)), GOOD)
    turn = await there.say()
    assert turn.reply == "好的喵"
    assert answered(turn) == [("memory_commit", False)]
    assert await there.chat.facts() == [("用户", "喜欢", "摇滚")]
    *_, call, result = there.service.asked[1].messages
    assert result["tool_call_id"] == call["tool_calls"][0]["id"]
    assert "memory_commit" in result["content"]
    assert call["tool_calls"][0]["function"]["arguments"].startswith("{")
    assert "{broken" not in str(call)


async def test_r6_14_an_unknown_tool_is_answered_with_those_there_are(world: Make) -> None:
    there = await world(calls(("rm_rf", {"path": "/"})), GOOD)
    turn = await there.say()
    assert turn.reply == "好的喵"
    assert answered(turn) == [("rm_rf", False)]
    told = there.service.asked[1].messages[-1]["content"]
    assert "rm_rf" in told
    assert "memory_recall" in told


async def test_r6_14_endless_tools_end_with_a_request_without_tools(world: Make) -> None:
    there = await world(*[calls(("memory_recall", {"query_intent": "用户"}))] * 8, GOOD)
    turn = await there.say()
    assert turn.reply == "好的喵"
    assert len(answered(turn)) == 8
    assert [bool(asked.tools) for asked in there.service.asked] == [True] * 8 + [False]
    there.service.answer(calls(("memory_recall", {"query_intent": "用户"})))
    there.service.asked.clear()
    turn = await there.say()
    assert len(there.service.asked) == 9
    assert "一直在调用工具" in turn.errors[0]


async def test_r2_13_past_24_calls_the_rest_is_answered_and_no_tool_offered(world: Make) -> None:
    many = calls(*[("memory_recall", {"query_intent": "用户"})] * 40)
    there = await world(many, GOOD)
    turn = await there.say()
    assert turn.reply == "好的喵"
    assert len(answered(turn)) == 24
    last = there.service.asked[-1]
    assert last.tools == []
    results = [m for m in last.messages if m["role"] == "tool"]
    assert len(results) == 40
    assert all("未执行" in m["content"] for m in results[24:])


async def test_r2_13_tools_of_one_answer_run_one_after_another(world: Make) -> None:
    task = ("task_create", {"task_id": "Task_接龙", "description": "成语接龙"})
    pause = ("task_set_state", {"task_id": "Task_接龙", "state": "已暂停"})
    there = await world(calls(COMMIT, task, pause), GOOD)
    turn = await there.say()
    assert answered(turn) == [("memory_commit", True), ("task_create", True), ("task_set_state", True)]
    chain = await in_thread(there.app.rooms.graph.task_chain, turn.incoming.scope)
    assert ("Task_接龙", "已暂停") in [(task.task_id, task.state) for task in chain.tasks]


# ---- context_rewrite


def rewrite(summary: str) -> tuple[str, dict[str, str]]:
    return "context_rewrite", {"summary": summary}


async def test_r2_12_an_accepted_summary_is_all_that_is_left(world: Make) -> None:
    there = await world(calls(RECALL, COMMIT), calls(rewrite(SUMMARY)), GOOD)
    turn = await there.say()
    assert turn.reply == "好的喵"
    assert answered(turn) == [("memory_recall", True), ("memory_commit", True), ("context_rewrite", True)]
    before, _, after = there.service.asked
    assert after.messages == [*before.messages, {"role": "user", "content": SUMMARY}]
    assert before.roles == ["system", "user"]
    assert after.tools == before.tools


async def test_r2_12_tools_go_on_after_it_and_every_call_is_answered(world: Make) -> None:
    again = SUMMARY.replace("共 2 次", "共 3 次")
    there = await world(
        calls(RECALL, COMMIT), calls(rewrite(SUMMARY)), calls(RECALL), calls(rewrite(again)), GOOD
    )
    await there.say()
    between, last = there.service.asked[3:]
    assert between.roles == ["system", "user", "user", "assistant", "tool"]
    assert last.roles == ["system", "user", "user"]
    assert last.messages[-1]["content"] == again
    for asked in there.service.asked:
        called = [call["id"] for m in asked.messages for call in m.get("tool_calls") or ()]
        assert called == [m["tool_call_id"] for m in asked.messages if m["role"] == "tool"]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([calls(rewrite(SUMMARY))], "还没有调用过工具"),
        ([calls(COMMIT), calls(rewrite("记好了"))], "memory_commit"),
        ([calls(RECALL), calls(rewrite(SUMMARY))], "1 次"),
        ([calls(RECALL, COMMIT, rewrite(SUMMARY), RECALL)], "最后调用"),
        ([calls(COMMIT), calls(("context_rewrite", {}))], "summary"),
        ([calls(COMMIT), calls(rewrite("长" * 2_001))], "summary"),
    ],
)
async def test_r2_12_a_refused_one_changes_nothing_and_is_told_why(
    world: Make, steps: list[Response], why: str
) -> None:
    there = await world(*steps, GOOD)
    turn = await there.say()
    assert turn.reply == "好的喵"
    assert ("context_rewrite", False) in answered(turn)
    last = there.service.asked[-1]
    assert last.roles.count("user") == 1
    assert why in "".join(m["content"] for m in last.messages if m["role"] == "tool")


async def test_r2_12_a_summary_in_the_same_answer_as_its_tools_is_taken(world: Make) -> None:
    there = await world(calls(RECALL, COMMIT, rewrite(SUMMARY)), GOOD)
    await there.say()
    assert there.service.asked[-1].roles == ["system", "user", "user"]


async def test_r4_03_the_checklist_holds_after_a_rewrite(world: Make) -> None:
    there = await world(calls(RECALL, COMMIT, rewrite(SUMMARY)), says("好"))
    assert check(await there.say()).complete
