"""R3.9: the beginning of a request that a provider's prefix cache keeps, byte by byte, over many turns."""

from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.prompt import fixed_text
from nonebot_plugin_memoryfs.scope import Scope

from .conftest import GROUP, PRIVATE, Chat

TURNS = 50
LEAST_SHARE = 0.7
SAYINGS = (
    "早上好呀，昨晚睡得不太好，一直在做梦",
    "我喜欢摇滚，最近在听万能青年旅店的新专辑",
    "今天地铁特别挤，差点迟到，老板还在会上点名了",
    "刚才说的那个专辑你听过吗？",
    "中午吃了酸菜鱼，辣得我眼泪都出来了",
    "上次我们聊的那本书叫什么来着？",
    "我打算周末去爬山，你觉得带什么好？",
    "哈哈哈哈你说得对",
)
REPLIES = (
    "喵，听起来好累，晚上早点休息呀。",
    "记住啦！那张专辑我也想听听看。",
    "带水和外套吧，山上风大，别忘了拍照给我看。",
)
PROMPT = "你是一只住在聊天窗口里的小猫娘，说话简短自然，像朋友一样；先接住对方的话，再说自己的。" * 20
"""Some 900 characters, beside the built-in card: of ordinary length."""


async def chatter(chat: Chat, scope: Scope) -> list[str]:
    """The system texts of fifty turns."""
    await in_thread(chat.app.rooms.prompts.save_prompt, PROMPT)
    for number in range(TURNS):
        chat.model.says = REPLIES[number % len(REPLIES)]
        chat.clock.advance(minutes=7)
        await chat.say(SAYINGS[number % len(SAYINGS)], scope)
    return [ask.system for ask in chat.model.asked]


def common_prefix(texts: list[str]) -> bytes:
    low, high = min(texts).encode(), max(texts).encode()
    same = next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    return low[:same]


async def test_r3_09_the_stable_part_is_the_same_bytes_for_fifty_turns(chat: Chat) -> None:
    systems = await chatter(chat, PRIVATE)
    assert len(systems) == TURNS
    prefix = common_prefix(systems)
    for part in (fixed_text("safety"), PROMPT, fixed_text("behavior"), "## 角色资料", "## 人设"):
        assert part.strip().encode() in prefix
    assert all(len(prefix) >= LEAST_SHARE * len(text.encode()) for text in systems)


async def test_r3_09_in_a_group_only_its_last_lines_depend_on_who_speaks(chat: Chat) -> None:
    """How the character stands to who speaks (R4.12) comes last of all that is stable."""
    systems = await chatter(chat, GROUP)
    other = await chat.say("我也来说一句", Scope("neko", "qq_group_9", "2", private=False), speaker="小红")
    assert other.prompt is not None
    same, heading, relation = other.prompt.stable_text.partition("## 关系")
    assert heading
    assert len(relation) < 100
    assert all(text.startswith(same) for text in systems)
