"""R4.15: a model that does what `behavior` says takes at most 1.5 requests for an ordinary turn."""

from nonebot_plugin_memoryfs.prompt import fixed_text
from nonebot_plugin_memoryfs.text.folding import fold_sentence
from nonebot_plugin_memoryfs.text.statements import asks, recognise

from ..behind_http import Make
from ..behind_http import service as service
from ..behind_http import world as world
from ..sim.endpoint import Asked, Response, calls, says

ALREADY = "已经替你想起来"
"""What keeps a model from looking up what the host has looked up."""

DAY = (
    "早上好",
    "今天上班好困",
    "我喜欢摇滚",
    "你呢，平时听什么",
    "哈哈真的假的",
    "我最近在学吉他",
    "手指好疼",
    "有什么办法吗",
    "好的我试试",
    "中午吃什么好呢",
    "我不吃香菜",
    "刚才我们聊了什么？",
    "我喜欢什么？",
    "对，就是那个",
    "下午要开会",
    "我打算周末去爬山",
    "天气会好吗",
    "但愿吧",
    "我周末打算干什么来着？",
    "嗯嗯",
    "我妹妹的生日是哪天？",
    "哦我没说过",
    "我不喜欢加班",
    "晚饭吃了火锅",
    "没有放香菜",
    "晚安",
)
"""An ordinary day's talk."""


def follows(asked: Asked) -> Response:
    """A model that reads its instructions: it writes what is new, and looks up what was not recalled."""
    system, user = asked.messages[0]["content"], asked.messages[1]["content"]
    recalled = fold_sentence(system)
    if asked.roles[-1] == "tool":
        return says("好的")
    new = [fact for fact in recognise(user) if fold_sentence(fact.object) not in recalled]
    if new and "用 memory_commit 记下" in system:
        triplets = [{"subject": "用户", "relation": fact.relation, "object": fact.object} for fact in new]
        return calls(("memory_commit", {"triplets": triplets}))
    known = ALREADY in system and ("想起的事" in system or "正在聊的事" in system)
    words = {word for word in ("喜欢", "打算", "聊", "生日") if word in user}
    missing = asks(user) and any(word not in recalled for word in words)
    if missing or not known:
        return calls(("memory_recall", {"query_intent": user}))
    return says("嗯嗯")


async def test_r4_15_an_ordinary_turn_takes_one_and_a_half_requests_at_most(world: Make) -> None:
    there = await world(learn_every=0)  # learning asks off the reply path
    there.service.script = follows
    for text in DAY:
        there.chat.clock.advance(minutes=7)
        turn = await there.say(text)
        assert turn.reply
    requests = len(there.service.asked)
    print(f"{requests} requests for {len(DAY)} turns: {requests / len(DAY):.2f} a turn")
    assert len(DAY) < requests <= 1.5 * len(DAY)
    called = [
        call["function"]["name"]
        for asked in there.service.asked
        for m in asked.messages
        for call in m.get("tool_calls") or ()
    ]
    assert called.count("memory_commit") >= 4


async def test_r4_15_without_the_host_s_word_it_would_be_more(world: Make) -> None:
    """The same model told nothing of what was recalled looks everything up: the bound can be missed."""
    there = await world()

    def unaware(asked: Asked) -> Response:
        system, *rest = asked.messages
        blind = {**system, "content": system["content"].replace(ALREADY, "")}
        return follows(Asked(path="", headers={}, body={**asked.body, "messages": [blind, *rest]}))

    there.service.script = unaware
    for text in DAY[:8]:
        await there.say(text)
    assert len(there.service.asked) > 1.5 * 8


def test_r4_15_the_behaviour_says_what_the_host_did() -> None:
    text = fixed_text("behavior")
    for said in (ALREADY, "memory_recall", "memory_commit", "能不用工具就不用", "自然"):
        assert said in text
