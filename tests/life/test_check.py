"""R5.3, R5.5: what a fragment may say, how long it is, and what only looks forbidden."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_memoryfs.character import Phase
from nonebot_plugin_memoryfs.life.check import (
    LONGEST,
    SHORT,
    SHORTEST,
    check,
    fitted,
    forbidden,
    not_asleep,
    tidy,
    weight,
)
from nonebot_plugin_memoryfs.life.scene import lines

HARMLESS = lines("""
爬上六楼才停下，心跳加速，扶着栏杆喘了好一阵。
跟着节拍器练鼓，心跳好像也合上了那个拍子。
夜里拼模型，最小的那片机翼总算粘牢了。
给纸模型上色，颜料干得比想的快。
书里的主人公终于走出了沙漠，松了一口气。
小说的女主人公撑着伞在雨里等车。
路过一只走丢的小狗，没多久小狗的主人就追来了。
这栋房子的主人在门口种了一排月季。
站牌上的信息被雨淋花了，只好数着站往前走。
翻了翻报纸上的天气信息，明天会转晴。
面对方桌坐下，把纸一张张铺开。
对方向一向没有感觉，又绕回了老地方。
对方便面的那点念想，煮开水时就压不住了。
趁天晴，利用户外的长椅晒了会儿太阳。
喝了一碗热汤，体力慢慢回复了。
风停以后，湖面又回复平静。
广播里传来降温的消息，赶紧把厚被子抱出来。
枝头鼓起小包，像是花开的消息。
两只麻雀在屋檐上你追我赶，撞落了一小撮灰。
迷你风扇在桌角嗡嗡转着，吹得书页直翻。
教隔壁的鹦鹉说你好，它只肯学猫叫。
玩了会儿模拟经营游戏，小店终于还清了账。
做完一套模拟卷，手腕酸得抬不起来。
听隔壁阿姨聊天，隔着墙只听清一句白菜涨价了。
羊群里有一只黑的，走路总是慢半拍。
人群里挤了半天，糖画还是没买到。
咖啡馆的留言簿上画着一只歪嘴的猫。
漫画里的对话框画得圆滚滚的，像棉花糖。
电影里的对话很少，大半时间都在下雨。
扫地机器人卡在床脚，嘟嘟地叫。
这块年糕QQ弹弹的，嚼得腮帮子发酸。
下起了RAIN这首老歌里唱的那种小雨。
在WAIT的红灯前站了很久，数过去十一辆车。
围巾上绣着MAIL四个字母，线头松了。
程序员邻居又在阳台浇那盆薄荷。
今天的任务只有一件：把被子晒透。
电台里放着一首英文歌，副歌唱了一遍又一遍。
洗衣机选了快洗程序，转得地板都在抖。
把旧地图摊开，系统地标了一遍走过的路。
消息灵通的麻雀先一步占了面包屑。
好消息是，雨停在了出门之前。
翻出老收音机的用户手册，纸都脆了。
门垫上印着“你好”，边角已经磨毛了。
硬币上的头像磨得看不清眉眼。
无聊得把扣子按颜色排了一遍，百无聊赖。
对着月亮说了声晚安，拉上了窗帘。
路过红色的电话亭，里面堆着落叶。
照片里的自己眯着眼，头发被风吹成一团。
和妈妈种的薄荷一样，这盆也长高了，聊胜于无。
朋友家的旧木箱里，猫找到我的手套，掸掸灰收了起来。
路边写着“小心台阶”的木牌歪了，绕过去接着走。
橱窗里的旧Aibo还会摇尾巴，站着看了好久。
跑完两圈坐在长椅上，体力回复得差不多了。
""")

FORBIDDEN = lines("""
等着用户回来，抱着尾巴坐在门口。
想起用戶上次的样子，偷偷笑了。
今天我们一起看了晚霞，天边红透了。
咱俩去河边走了走，风很大。
和你聊天的时候总觉得时间过得很快。
你刚才说的那家店，今天特地去看了看。
要是您在就好了，茶都泡好了。
对方一直没有来，只好自己吃完了面。
忽然很想念主人，把小本子又翻了一遍。
我的主人今天也很忙吧，先把桌子擦了。
认真回复了一封信，写得手酸。
看到新的消息，尾巴一下子翘了起来。
手机响了一声，是一条短信。
收到一条信息，开心得转圈。
群里很热闹，看了半天没插上话。
盯着对话框发呆，光标一闪一闪。
跟楼下的阿姨聊了一下午天气。
有人问我明天去哪儿，想了想没有答。
刚才他说要来，于是把屋子收拾了一遍。
对着窗户说：“晚安，做个好梦。”
屏幕那头好像有人，耳朵竖了起来。
系统提示到了，该写今天的生活了。
这是一次静默心跳，于是晒了会儿太阳。
按照心跳任务的要求，翻了翻书。
模拟一段午后时光，窗外有鸟叫。
看了看提示词，决定去散步。
作为一个AI，也想尝尝西瓜的味道。
用Ａ Ｉ画了一幅海，颜色很深。
身为人工智能，不会困，但还是眯了眼。
一个语言模型也会喜欢下雨天吧。
LLM 的一天从一杯茶开始，慢慢悠悠。
把 prompt 又读了一遍，才去浇花。
user 不在的时候，屋里特别安静。
ChatGPT 也该休息了，合上了书。
以下是生活片段，午后泡了茶。
等他上线的时候，数了一百只羊。
想你想得睡不着，起来看星星。
用\u200b户\u200b走了以后，关了灯。
看见未读的红点，忍不住点开。
给大家道晚安之后，钻进被窝。
训练数据里没有这种花，凑近闻了闻。
打字打累了，甩了甩手腕。
聊着聊着天就黑了，茶也凉透了。
接了个电话，是朋友约着出去玩。
收到一份生日礼物，拆了半天。
人工智慧也想晒太阳，伸了个懒腰。
您好像很久没来了，院子里的花都开了。
发了早安之后，才慢吞吞地起床。
和大家在一起的时候最热闹，灯也亮。
邻居把饺子放在桌上，“趁热吃，凉了就不好了。”她笑着走了。
「今天的鱼很新鲜。」卖鱼的人一边刮鳞一边这样讲。
开门的人只说了半句：“茶在桌上
他刚才说的那家面馆，今天终于去了。
根據系統提示，寫一段午後的生活。
收到一條簡訊，把手機扣在桌上。
他发来的那句话看了好几遍，不知道怎么接。
她说过喜欢下雨天，所以把椅子搬到窗边。
按照指令，现在该给花浇水了。
这是第三次心跳，趴在地板上晒太阳。
屏幕前的小伙伴，猜猜这朵干花藏了多久。
亲爱的，今天也辛苦了，早点休息。
妳提過的那首歌，翻來覆去找了很久。
He said he would come back tonight, so I keep the lamp on and wait for the door to open again.
zai chuang bian kan shu, deng ta hui lai, cha liang le ye mei fa jue, tian hei le, deng liang le.
""")

ASLEEP = lines("""
裹着被子睡得很沉，呼吸一起一伏，什么也没有察觉。
翻了个身，把脸埋进枕头里，继续睡去。
短暂醒来，听见窗外的雨声，又迷迷糊糊睡着了。
梦见自己坐在海边看书，浪把鞋子卷走了。
做了个梦，梦里在厨房煮面，怎么也等不到水开。
打着小呼噜，尾巴从床边垂下来，偶尔抖一下。
半睡半醒间把毯子往上拉了拉，睡意又漫了上来。
梦里骑着单车上了楼，又跑到云上钓鱼，翻了个身，风还在吹。
""")

NOT_ASLEEP = lines("""
夜深了，坐在窗边看书，茶已经凉了。
睡不着，索性起来数星星，数到十七就乱了。
从梦中醒来，下床倒了一杯水，又翻开了书。
梦见大海，醒来后去厨房煮了一碗面。
窗外很静，月亮挂在屋檐上，一切都蓝蓝的。
躺在床上刷手机，不知不觉过了十二点。
睡前把明天要带的东西收拾好，关了灯。
熟睡的小猫在脚边，自己还在灯下写信。
半夜起床喝水，顺手浇了浇窗台的花。
梦到一半饿了，摸黑去厨房吃了两块饼干。
还记得梦里的那片海，泡了杯热茶慢慢地想。
梦里的那首歌还记得，坐在桌边把它写了下来。
從夢中醒來，下床開燈寫了一會兒日記。
正在睡眠时段，却偷偷跑到阳台上吹风。
迷迷糊糊接了一杯水，站到窗前，听着听着来了精神。
半夜披上外衣到院子里转了两圈，又沉沉睡去。
迷迷糊糊下楼，骑上单车去了河边。
""")

GOOD = (
    "午后在窗边看了一会儿云，有一朵慢慢走成了小船的样子。"
    "茶凉了也没有察觉，直到楼下的钟敲了三下，才起身去添热水。"
)


def test_r5_5_there_are_enough_sentences() -> None:
    assert len(HARMLESS) >= 30
    assert len(FORBIDDEN) >= 30


@pytest.mark.parametrize("sentence", HARMLESS)
def test_r5_5_harmless_sentences_pass(sentence: str) -> None:
    assert forbidden(sentence) == ""


@pytest.mark.parametrize("sentence", FORBIDDEN)
def test_r5_5_forbidden_sentences_do_not(sentence: str) -> None:
    assert forbidden(sentence)


@pytest.mark.parametrize("sentence", FORBIDDEN)
def test_r5_5_a_forbidden_sentence_hidden_in_a_good_fragment_is_found(sentence: str) -> None:
    assert check(f"{GOOD[:40]}。{sentence}", Phase.NOON, ()).refusal


@pytest.mark.parametrize("sentence", ASLEEP)
def test_r5_4_sleep_passes_at_night(sentence: str) -> None:
    assert not_asleep(sentence) == ""


@pytest.mark.parametrize("sentence", NOT_ASLEEP)
def test_r5_4_waking_deeds_do_not_pass_at_night(sentence: str) -> None:
    assert not_asleep(sentence)


def test_r5_4_the_guard_is_for_the_night_alone() -> None:
    assert check(GOOD, Phase.NOON, ()).refusal == ""
    assert "睡眠时段" in check(GOOD, Phase.SLEEPING, ()).refusal


@pytest.mark.parametrize(
    ("size", "stored", "short"),
    [(34, False, False), (35, True, True), (49, True, True), (50, True, False), (100, True, False)],
)
def test_r5_3_length_in_code_points(size: int, stored: bool, short: bool) -> None:
    checked = check("雨" * (size - 1) + "。", Phase.NOON, ())
    assert (checked.refusal == "", checked.short) == (stored, short)


def test_r5_3_blanks_are_not_counted() -> None:
    assert weight("雨 落\u3000在\n屋 檐") == 5
    assert check("雨 " * 34, Phase.NOON, ()).refusal.startswith("太短：34")


def test_r5_3_a_long_one_is_cut_at_the_last_sentence_end_past_50() -> None:
    sentences = [f"{'雨' * 29}。", f"{'风' * 29}。", f"{'云' * 29}。", f"{'雪' * 29}。"]
    checked = check("".join(sentences), Phase.NOON, ())
    assert (checked.text, checked.refusal) == ("".join(sentences[:3]), "")


@pytest.mark.parametrize("text", ["雨" * 101, f"{'雨' * 40}。{'风' * 80}。"])
def test_r5_3_a_long_one_without_such_an_end_is_refused(text: str) -> None:
    assert check(text, Phase.NOON, ()).refusal.startswith("太长")


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12))
def test_r5_3_cutting_ends_with_a_sentence_within_the_limits(sizes: list[int]) -> None:
    text = "".join("雨" * size + "。" for size in sizes)
    cut = fitted(text)
    assert text.startswith(cut)
    assert cut == text or (SHORT <= weight(cut) <= LONGEST and cut.endswith("。"))


@pytest.mark.parametrize(
    "written",
    [
        f"[2026-07-08 14:30] {GOOD}",
        f"- {GOOD}",
        f"“{GOOD}”",
        f"生活片段：{GOOD}",
        f"【下午】{GOOD}",
        f"<think>用户不在，写点什么好呢</think>{GOOD}",
        f"\n\n{GOOD[:20]}\n{GOOD[20:]}\n",
    ],
)
def test_r5_3_one_line_without_what_models_put_around_it(written: str) -> None:
    checked = check(written, Phase.NOON, ())
    assert checked.refusal == ""
    assert checked.text.replace(" ", "") == GOOD
    assert "\n" not in checked.text


def test_r5_5_a_near_copy_of_the_last_ones_is_refused() -> None:
    near = GOOD.replace("小船", "小马").replace("三下", "四下").replace("热水", "新茶")
    assert check(near, Phase.NOON, (GOOD,)).refusal == "和最近写过的太像"
    other = (
        "踩着落叶绕湖走了一圈，数到十三只鸭子。"
        "回来时鞋底沾了泥，在门口的垫子上蹭了半天，才肯放自己进屋，连晚饭都迟了。"
    )
    assert check(other, Phase.NOON, (GOOD,)).refusal == ""


@pytest.mark.parametrize("text", ["", "  \n", "```json\n{}\n```", "###", "<think>想", "null"])
def test_r5_5_nothing_usable_is_too_short(text: str) -> None:
    assert check(text, Phase.NOON, ()).refusal.startswith("太短")


@given(st.text(max_size=400))
def test_r5_5_whatever_a_model_writes_is_judged(text: str) -> None:
    checked = check(text, Phase.SLEEPING, (GOOD,))
    assert checked.refusal or (SHORTEST <= weight(checked.text) <= LONGEST and "\n" not in checked.text)
    assert tidy(checked.text) is not None
