"""R2.16: which words point back, which only look so, and what is left to search with."""

import pytest

from nonebot_plugin_memoryfs.text.references import (
    mentions_recent,
    points_back,
    without_reference_words,
)

# The seed's seven scenes. The first, "the start of each turn", needs no word: the chain is read
# in every turn, so an ordinary message must not count as pointing back.
SCENES = [
    ("咱来玩成语接龙吧，我先开始，为所欲为", False, False),
    ("刚才我们聊了什么？", True, True),
    ("继续刚才的话题", True, True),
    ("我们回到之前的话题吧", True, True),
    ("上次说的X", True, True),
    ("我们之前说了什么？", True, True),
    ("那个东西", True, False),
]

BACK = [
    "关于刚才的成语接龙，我并不知道应该怎么接你的成语，请帮我接一下",
    "我之前跟你说过我喜欢什么",
    "之前那个游戏还玩吗",
    "不是之前说好了吗",
    "和之前一样",
    "你之前玩的那个",
    "上回你推荐的书叫什么",
    "像上次那样",
    "继续",
    "继续吧",
    "那继续吧",
    "我们继续玩成语接龙",
    "继续成语接龙",
    "接着说",
    "我们说过的",
    "你说过要陪我",
    "我问过你这个",
    "我跟你讲过我的猫",
    "你还记得我的生日吗",
    "记得吗",
    "聊到哪了",
    "你是不是忘了我",
    "你刚说的是什么",
    "刚刚那个笑话再讲一遍",
    "昨天我们聊的电影",
    "前面说到的那本书",
    "然后呢？",
    "再来一个",
    "我要那个",
    "那个东西怎么样了",
    "说回正题",
    "what did we talk about earlier?",
    "do you remember my name",
    "Let's continue the game",
    "what about that thing you said",
]

NOT_BACK = [
    "今天天气不错",
    "我喜欢摇滚",
    "长门有希",
    "在我出门之前",
    "睡觉之前记得刷牙",
    "在吃饭之前我洗了手",
    "三天之前我去了北京",
    "在我们之前已经有人到了",
    "那个…我想问一下",
    "那个，能不能帮我",
    "那个时候我还小",
    "那年夏天",
    "继续努力吧",
    "继续加油",
    "我继续写作业了",
    "马上回来",
    "晚上回家",
    "网上次日达",
    "我刚刚到家",
    "记得带伞",
    "你记得吃药",
    "他接着说不去了",
    "回到家了",
    "以前我喜欢摇滚",
    "I like rock",
    "before dinner I eat fruit",
]


@pytest.mark.parametrize(("text", "back", "recent"), SCENES)
def test_r2_16_the_seven_scenes(text: str, back: bool, recent: bool) -> None:
    assert (points_back(text), mentions_recent(text)) == (back, recent)


@pytest.mark.parametrize("text", BACK)
def test_r2_16_words_that_point_back(text: str) -> None:
    assert points_back(text)


@pytest.mark.parametrize("text", NOT_BACK)
def test_r2_16_words_that_only_look_so(text: str) -> None:
    assert not points_back(text)
    assert not mentions_recent(text)


@pytest.mark.parametrize("text", ["刚才", "我刚才吃了饭", "之前", "上次", "上次的事", "上一次", "just now"])
def test_r4_03_the_seeds_three_words_always_count(text: str) -> None:
    assert mentions_recent(text)
    assert points_back(text)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("刚才我们聊了什么？", ""),
        ("我们之前说了什么？", ""),
        ("继续刚才的话题", ""),
        ("那个东西", ""),
        ("继续", ""),
        ("我们继续玩成语接龙", "玩成语接龙"),
        ("昨天我们聊的电影", "电影"),
        ("你还记得我的生日吗", "我的生日"),
        ("what did we talk about earlier?", ""),
        ("我喜欢摇滚", "我喜欢摇滚"),
        ("", ""),
    ],
)
def test_r2_16_the_other_words_are_left_to_search_with(text: str, rest: str) -> None:
    assert without_reference_words(text) == rest
