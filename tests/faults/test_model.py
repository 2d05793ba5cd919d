"""R6.14, R4.6: every way a model service can fail, over real HTTP: what is said, logged, retried and kept."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import SecretStr

from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.errors import ConfigError
from nonebot_plugin_memoryfs.model.reply_text import MAX_REPLY
from nonebot_plugin_memoryfs.turn.trace import trace_of
from nonebot_plugin_memoryfs.turn.workflow import NOTICE

from ..behind_http import COMMIT, GOOD, KEY, Make
from ..behind_http import service as service
from ..behind_http import world as world
from ..conftest import Clock
from ..sim.endpoint import Endpoint, Response, as_json, calls, completion, page, refuses, says
from ..sim.process import free_port
from ..turn.conftest import PRIVATE

BACK_OFF = [1, 2, 4, 8, 16]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What the service does, and what has to come of it."""

    answer: Response
    says: str
    """Stands in the one line of the log."""
    waits: list[float] = field(default_factory=lambda: BACK_OFF[:2])


FAULTS = {
    "401": Fault(answer=refuses(401, f"Incorrect API key: {KEY}"), says="MEMORYFS__API_KEY", waits=[]),
    "403": Fault(answer=refuses(403, "forbidden"), says="MEMORYFS__API_KEY", waits=[]),
    "404": Fault(answer=refuses(404, "The model does not exist"), says="neko-1", waits=[]),
    "404 page": Fault(answer=page(status=404), says="MEMORYFS__BASE_URL", waits=[]),
    "400": Fault(answer=refuses(400, f"strange {KEY}"), says="strange ***", waits=[]),
    "402": Fault(answer=refuses(402, "Insufficient Balance"), says="额度用完了", waits=[]),
    "429": Fault(answer=refuses(429), says="慢一点", waits=BACK_OFF),
    "429 for long": Fault(answer=refuses(429, Retry_After="90"), says="慢一点", waits=[]),
    "429 until a date": Fault(
        answer=refuses(429, Retry_After="Wed, 21 Oct 2099 07:28:00 GMT"), says="慢一点", waits=BACK_OFF
    ),
    "500": Fault(answer=refuses(500, "boom"), says="boom", waits=BACK_OFF),
    "503 page": Fault(answer=page(status=503), says="503", waits=BACK_OFF),
    "cut": Fault(answer=Response(body=GOOD.body, cut_after=40), says="断了", waits=BACK_OFF),
    "cut before a byte": Fault(answer=Response(body=GOOD.body, cut_after=0), says="断了", waits=BACK_OFF),
    "page": Fault(answer=page(), says="MEMORYFS__BASE_URL"),
    "null": Fault(answer=as_json(None), says="JSON"),
    "no body": Fault(answer=Response(), says="JSON"),
    "half a JSON": Fault(answer=Response(body=b'{"id": "x", "choices": ['), says="JSON"),
    "other JSON": Fault(answer=as_json({"hello": 1}), says="格式不对"),
    "a list": Fault(answer=as_json([1, 2]), says="JSON"),
    "no choice": Fault(answer=as_json({"id": "x", "choices": []}), says="格式不对"),
    "message null": Fault(answer=as_json({"id": "x", "choices": [{"message": None}]}), says="格式不对"),
    "an error in a 200": Fault(answer=as_json({"error": {"message": f"busy {KEY}"}}), says="busy ***"),
    "an error in other words": Fault(answer=as_json({"code": 1, "msg": "欠费了"}), says="欠费了"),
    "not UTF-8": Fault(answer=Response(body=GOOD.body.decode().encode("gbk")), says="JSON"),
    "garbage for gzip": Fault(
        answer=as_json({"id": "x"}, Content_Encoding="gzip"), says="断了", waits=BACK_OFF
    ),
    "moved": Fault(
        answer=Response(status=308, headers={"Location": "/v2"}), says="转到了 /v2（308）", waits=[]
    ),
    "thinks up to the limit": Fault(
        answer=completion({"content": "", "reasoning_content": "嗯"}, finish="length"),
        says="max_tokens",
        waits=[],
    ),
    "censored": Fault(
        answer=completion({"content": None}, finish="content_filter"), says="内容审查", waits=[]
    ),
    "empty": Fault(answer=says(""), says="空的"),
    "content null": Fault(answer=says(None), says="空的"),
    "blanks": Fault(answer=says(" \n "), says="空的"),
    "never stops thinking": Fault(answer=says("<think>也许"), says="空的"),
    "only thoughts": Fault(answer=says("<THINKING>嗯</Thinking >"), says="空的"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_r6_14_a_fault_costs_no_more_than_the_answer(
    world: Make, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    """One notice, one line in the log that says what to mend, the fact kept, the key nowhere."""
    caplog.set_level(logging.INFO, "nonebot_plugin_memoryfs")
    there = await world(fault.answer)
    turn = await there.say()
    assert there.waits.slept == fault.waits
    assert len(there.service.asked) == len(fault.waits) + 1
    assert there.chat.sent == [NOTICE]
    assert turn.reply is None
    assert await there.chat.facts() == [("用户", "喜欢", "摇滚")]
    [line] = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert fault.says in line.getMessage()
    assert "\n" not in line.getMessage()
    assert line.exc_info is None
    model = await there.app.model()
    assert model.health.last_error in line.getMessage()
    assert model.health.last_error_at == there.app.clock()
    seen = [caplog.text, str(trace_of(turn)), repr(turn), repr(model), repr(there.app.settings)]
    assert not [text for text in seen if KEY in text]


@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS.values() if fault.waits],
    ids=[k for k, v in FAULTS.items() if v.waits],
)
async def test_r4_06_a_fault_that_passes_is_not_noticed(world: Make, fault: Fault) -> None:
    there = await world(fault.answer, GOOD)
    turn = await there.say()
    assert turn.reply == "好的喵"
    assert there.chat.sent == ["好的喵"]
    assert there.waits.slept == [1]
    assert turn.errors == ()
    assert turn.answer is not None
    assert [bool(request.failure) for request in turn.answer.requests] == [True, False]


async def test_r4_06_retry_after_is_honoured_within_the_limit(world: Make) -> None:
    there = await world(refuses(429, Retry_After="37"), refuses(429, Retry_After="11"), GOOD)
    assert (await there.say()).reply == "好的喵"
    assert there.waits.slept == [37, 11]


async def test_r4_06_waits_never_add_up_to_more_than_the_limit(world: Make) -> None:
    there = await world(refuses(429, Retry_After="37"), refuses(429, Retry_After="37"), GOOD)
    assert (await there.say()).reply is None
    assert there.waits.slept == [37]


UNREACHABLE = {
    "refused": (lambda _: f"http://127.0.0.1:{free_port()}/v1", "拒绝连接"),
    "no such host": (lambda _: "http://no-such-host.invalid/v1", "找不到主机 no-such-host.invalid"),
    "https": (lambda service: f"https://{service.host}/v1", "MEMORYFS__BASE_URL|断了|安全连接"),
}


@pytest.mark.parametrize(("url", "told"), UNREACHABLE.values(), ids=UNREACHABLE)
async def test_r6_14_an_address_nobody_answers_at(
    world: Make, service: Endpoint, url: Callable[[Endpoint], str], told: str
) -> None:
    there = await world(base_url=url(service))
    turn = await there.say()
    assert there.waits.slept == BACK_OFF
    assert any(word in turn.errors[0] for word in told.split("|"))
    assert await there.chat.facts() == [("用户", "喜欢", "摇滚")]


async def test_r6_14_a_service_that_never_answers(world: Make) -> None:
    there = await world(Response(silent=True), model_settings={"timeout": 0.5})
    turn = await there.say()
    assert "没有按时回答" in turn.errors[0]
    assert there.waits.slept == BACK_OFF
    there.service.answer(Response(silent=True), GOOD)
    assert (await there.say()).reply is None, "a model that is down is tried once"
    assert (await there.say()).reply == "好的喵"


async def test_r4_06_one_slow_try_leaves_less_for_the_next(world: Make, clock: Clock) -> None:
    """Failed tries and waits count together: 58 s of waiting leave no room for a second wait."""
    there = await world(refuses(500, Retry_After="57"), refuses(500), GOOD)
    assert (await there.say()).reply == "好的喵"
    assert there.waits.slept == [57, 2]


THOUGHTS = {
    "closed": "<think>他喜欢什么</think>你喜欢摇滚",
    "orphan": "他喜欢什么</THINK>\n\n你喜欢摇滚",
    "open behind": "你喜欢摇滚<Thinking>也许该多说",
    "nested": "<think>一<think>二</think>你喜欢摇滚",
    "a call as text": '<tool_call>{"name": "memory_commit"}</tool_call>你喜欢摇滚',
    "template": "你喜欢摇滚<|im_end|>",
    "markup": "## 想起的事\n**你喜欢摇滚**",
}


@pytest.mark.parametrize("text", THOUGHTS.values(), ids=THOUGHTS)
async def test_r6_14_thinking_aloud_is_not_said(world: Make, text: str) -> None:
    there = await world(says(text))
    await there.say("我喜欢什么？")
    assert there.chat.sent == ["你喜欢摇滚"]


@pytest.mark.parametrize(
    "text", ["好。" * 500_000, "<think>" + "想" * 500_000 + "</think>好", "[conv:" * 170_000]
)
async def test_r6_14_a_megabyte_is_cut_and_kept_from_flooding(world: Make, text: str) -> None:
    there = await world(says(text))
    turn = await there.say()
    [sent] = there.chat.sent
    assert 0 < len(sent) <= MAX_REPLY + 2
    assert turn.reply == sent


USAGES = {
    "none": None,
    "negative": {"prompt_tokens": -5, "completion_tokens": -1, "total_tokens": -6},
    "words": {"prompt_tokens": "many", "completion_tokens": "few", "total_tokens": "?"},
    "huge": {"prompt_tokens": 10**18, "completion_tokens": 10**18, "total_tokens": 1},
    "beyond 64 bits": {"prompt_tokens": 10**30, "completion_tokens": 10**30, "total_tokens": 1},
    "zero": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "a list": [],
    "a word": "free",
    "half": {"prompt_tokens": 7},
}


@pytest.mark.parametrize("usage", USAGES.values(), ids=USAGES)
async def test_r6_14_wrong_usage_numbers_are_estimated(world: Make, usage: Any) -> None:
    there = await world(says("好的喵" * 100, usage))
    turn = await there.say()
    assert turn.reply
    assert turn.answer is not None
    assert len(there.service.asked) == 1
    assert 500 < turn.answer.input_tokens < 5_000
    assert turn.answer.output_tokens == 180


async def test_r4_03_tokens_are_those_the_endpoint_counts(world: Make) -> None:
    usage = {"prompt_tokens": 1234, "completion_tokens": 56, "total_tokens": 1290}
    there = await world(calls(COMMIT), says("好", usage))
    turn = await there.say()
    assert trace_of(turn)["tokens"] == [1234 + 100, 56 + 10]
    assert trace_of(turn)["requests"] == 2


async def test_r4_06_text_beside_a_call_is_the_reply_where_nothing_follows(world: Make) -> None:
    there = await world(calls(COMMIT, text="记住啦"), says(""))
    assert (await there.say()).reply == "记住啦"
    assert there.waits.slept == []


@pytest.mark.parametrize("finish", ["length", "content_filter", "weird"])
async def test_r6_14_any_reason_to_finish_is_taken(world: Make, finish: str) -> None:
    there = await world(completion({"content": "好"}, finish=finish))
    assert (await there.say()).reply == "好"


NEARLY = {
    "parts": {"content": [{"type": "text", "text": "好"}]},
    "a refusal": {"content": None, "refusal": "好"},
    "reasoning beside": {"content": "好", "reasoning_content": "嗯", "reasoning": {"text": "嗯"}},
    "half a character": {"content": "好\ud83d"},
}


@pytest.mark.parametrize("message", NEARLY.values(), ids=NEARLY)
async def test_r4_13_what_is_nearly_a_completion_is_taken(world: Make, message: dict[str, Any]) -> None:
    """Nothing but a choice with a message, and that as some endpoints write it."""
    body = json.dumps({"created": "now", "choices": [{"message": message, "finish_reason": 5}]})
    there = await world(Response(body=body.encode()))
    assert ((await there.say()).reply or "").startswith("好")
    assert len(there.service.asked) == 1


async def test_r4_13_calls_are_taken_as_endpoints_write_them(world: Make) -> None:
    """Without id and type, with arguments that are an object; the history sent back is exact."""
    called: list[Any] = [
        {"function": {"name": COMMIT[0], "arguments": COMMIT[1]}},
        {"id": None, "type": None, "function": {"name": "functions.memory_recall", "arguments": None}},
        {"id": "x", "type": "custom", "custom": {"name": "y", "input": "z"}},
        None,
    ]
    there = await world(completion({"content": None, "tool_calls": called}), GOOD)
    turn = await there.say()
    assert [(call.name, call.ok) for call in turn.answer.calls] == [
        ("memory_commit", True),
        ("functions.memory_recall", False),
    ]
    _, _, assistant, *answers = there.service.asked[1].messages
    sent = assistant["tool_calls"]
    assert [call["function"]["name"] for call in sent] == ["memory_commit", "functions_memory_recall"]
    assert [call["id"] for call in sent] == [answer["tool_call_id"] for answer in answers]
    assert all(call["id"] and json.loads(call["function"]["arguments"]) is not None for call in sent)


@pytest.mark.parametrize("arguments", ['{"a": "' + "x" * 1_000_000, {"triplets": "x" * 1_000_000}])
async def test_r6_14_a_megabyte_of_arguments_is_answered_and_goes_nowhere(
    world: Make, arguments: Any
) -> None:
    there = await world(calls((COMMIT[0], arguments)), GOOD)
    turn = await there.say()
    [call] = turn.answer.calls
    assert "参数要是一个 JSON 对象" in call.result
    assert len(str(trace_of(turn))) < 5_000
    assert there.service.asked[1].characters < 10_000


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_r6_07_no_redirect_is_followed(world: Make, status: int) -> None:
    """Neither the key nor what people said goes to a host that no setting names."""
    async with Endpoint(GOOD) as elsewhere:
        there = await world(Response(status=status, headers={"Location": elsewhere.url}))
        turn = await there.say()
        assert elsewhere.url in turn.errors[0]
    assert elsewhere.asked == []
    assert "MEMORYFS__BASE_URL" in turn.errors[0]


async def test_r6_14_a_reply_of_tools_alone_is_told_to_the_operator(
    world: Make, caplog: pytest.LogCaptureFixture
) -> None:
    there = await world(says("memory_commit(triplets=[])"))
    turn = await there.say()
    assert there.chat.sent == [NOTICE]
    assert turn.errors == ("回答里没有能说的话",)
    assert "没有能说的话" in caplog.text


# ---- what the environment says


async def test_r4_13_a_model_on_this_machine_needs_no_proxy(
    world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody")
    there = await world()
    assert (await there.say()).reply == "好的喵"
    assert "somebody" not in str(there.service.asked[0].headers)


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "socks5://127.0.0.1:9"), ("SSL_CERT_FILE", "/no/such/file")]
)
async def test_r4_13_an_environment_that_can_t_be_used_is_told_at_once(
    world: Make,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    value: str,
) -> None:
    monkeypatch.setenv(name, value)
    there = await world(base_url="https://model.invalid/v1")
    with pytest.raises(ConfigError):
        await there.app.model()
    assert "环境变量里的代理或证书不能用" in caplog.text
    turn = await there.say()
    assert there.chat.sent == [NOTICE]
    assert "环境变量" in turn.errors[0]
    assert await there.chat.facts() == [("用户", "喜欢", "摇滚")]
    assert "Traceback" not in caplog.text
    assert KEY not in caplog.text


async def test_r4_13_a_proxy_nobody_answers_at_is_named(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    there = await world(base_url="http://model.invalid/v1")
    assert "经过代理连不上" in (await there.say()).errors[0]


# ---- an outage


async def test_r4_06_ten_minutes_down_are_one_notice_and_no_storm(world: Make, clock: Clock) -> None:
    there = await world(refuses(503, "overloaded"))
    said = [f"我喜欢第{number:02}号汽水" for number in range(30)]
    kept: list[str] = []
    for text in said:
        kept += (await there.say(text)).committed
        clock.advance(seconds=18)
    assert there.chat.sent == [NOTICE]
    chat = [asked for asked in there.service.asked if asked.tools]
    assert len(chat) == len(said) + len(BACK_OFF)
    assert len(there.service.asked) - len(chat) < 5, "learning waits longer each time"
    assert there.waits.slept == BACK_OFF
    assert kept == [text.replace("我喜欢", "喜欢：") for text in said]
    for text in said:
        found = await in_thread(there.app.rooms.log.search, PRIVATE, text, 1)
        assert [hit.text for hit in found] == [text]
    there.service.answer(GOOD)
    clock.advance(minutes=2)
    assert (await there.say("好了吗")).reply == "好的喵"
    there.service.answer(refuses(503), GOOD)
    assert (await there.say("还好吗")).reply == "好的喵", "once it answered, it is tried again"
    assert (await there.app.model()).health.down is False


# ---- learning and life


async def test_r4_13_each_purpose_has_a_model_of_its_own(world: Make) -> None:
    there = await world(says("好"), learn_model="small", life_model="dreamy")
    await there.say()
    for purpose, name in (("chat", "neko-1"), ("learning", "small"), ("life", "dreamy")):
        model = await there.app.model(purpose)
        assert model.name == f"{name}（{there.service.host}）"
    assert there.service.asked[0].body["model"] == "neko-1"


async def test_r4_13_settings_and_key_are_sent_with_each_request(world: Make, service: Endpoint) -> None:
    settings = {"temperature": 0.3, "max_tokens": 77, "extra_body": {"thinking": {"type": "disabled"}}}
    there = await world(base_url=f"http://{service.host}/", model_settings=settings)
    await there.say()
    [asked] = there.service.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert {k: asked.body[k] for k in ("temperature", "max_tokens", "thinking")} == {
        "temperature": 0.3,
        "max_tokens": 77,
        "thinking": {"type": "disabled"},
    }
    assert asked.roles == ["system", "user"]


async def test_r4_13_no_key_is_fine_where_none_is_wanted(
    world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    there = await world(api_key=SecretStr(""))
    assert (await there.say()).reply == "好的喵"
    assert "somebody" not in str(there.service.asked[0].headers)
