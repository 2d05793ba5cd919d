"""R7.3, R7.4: `/记忆`, on one's own memory alone, as far as the place may see it."""

from datetime import UTC, datetime, timedelta

import pytest
from nonebug import App

from nonebot_plugin_memoryfs.bot.commands.lists import KEPT_FOR
from nonebot_plugin_memoryfs.bot.plugin import running
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.memory.entries import Entry
from nonebot_plugin_memoryfs.scope import Scope, group_conversation, private_conversation

from ..sim.payloads import at, face, text
from .commanding import by, command, give
from .events import SELF_ID, group, private


def own(user_id: int) -> Scope:
    return Scope("neko", private_conversation(str(user_id)), str(user_id), True)


def in_group(user_id: int, group_id: int) -> Scope:
    return Scope("neko", group_conversation(str(group_id)), str(user_id), False)


async def commit(scope: Scope, *facts: tuple[str, str, str]) -> None:
    assert running.app is not None
    done = await in_thread(running.app.rooms.graph.memory_commit, scope, facts)
    assert done.ok


async def seen(app: App, words: str, user_id: int) -> list[str]:
    """The numbered lines of an answer in private."""
    [told] = await command(app, private(f"/记忆 {words}", user_id=user_id))
    return [line for line in told.splitlines() if line[0].isdigit()]


async def test_r7_3_alone_it_is_help_with_examples(app: App, started: None) -> None:
    [told] = await command(app, private("/记忆"))
    assert "/记忆 查看 [页]" in told
    assert "如 /记忆 搜索 摇滚" in told
    assert await command(app, private("/memory")) == [told]
    [told] = await command(app, private("/记忆 搜索"))
    assert told.startswith("用法：/记忆 搜索 词")


async def test_r7_3_one_sees_what_is_kept_about_oneself(app: App, started: None) -> None:
    [told] = await command(app, private("/记忆 查看", user_id=7001))
    assert "还没有记下什么" in told
    await commit(own(7001), ("用户", "喜欢", "摇滚"))
    await commit(in_group(7001, 71), ("用户", "在做", "插件"))
    assert running.app is not None
    memory = running.app.rooms.memory
    entry = Entry(
        "爱喝绿茶", at=datetime(2020, 1, 2, tzinfo=UTC), conversation_id="qq_private_7001", people=("7001",)
    )
    await in_thread(memory.append, memory.path_user_persona("neko", "7001"), entry)
    lines = await seen(app, "查看", 7001)
    today = f"{datetime.now(running.app.settings.zone):%Y-%m-%d}"
    assert lines == [
        f"1. 你 在做 插件（{today}，群 71）",
        f"2. 你 喜欢 摇滚（{today}，私聊）",
        "3. [记忆] 爱喝绿茶（2020-01-02，私聊）",
    ]
    assert await seen(app, "list", 7001) == lines


async def test_r7_3_pages_go_on_counting_while_new_things_come(app: App, started: None) -> None:
    for number in range(12):
        await commit(own(7002), ("用户", "看过", f"电影{number}"))
    first = await seen(app, "查看", 7002)
    assert [line.split(".")[0] for line in first] == [str(n) for n in range(1, 11)]
    await commit(own(7002), ("用户", "看过", "新片"))
    second = await seen(app, "查看 2", 7002)
    assert [line[:9] for line in second] == ["11. 你 看过 ", "12. 你 看过 "]
    assert not any("新片" in line for line in second)
    assert "新片" in (await seen(app, "查看", 7002))[0]
    [told] = await command(app, private("/记忆 查看 3", user_id=7002))
    assert told == "没有做：一共 2 页，没有第 3 页"
    [told] = await command(app, private("/记忆 查看 -1", user_id=7002))
    assert "页码要写从 1 起的数字" in told


async def test_r1_17_a_group_sees_what_it_may_see(app: App, started: None) -> None:
    await commit(own(7003), ("用户", "怕", "打雷"))
    await commit(in_group(7003, 72), ("用户", "喜欢", "爬山"))
    await commit(in_group(7003, 73), ("用户", "喜欢", "潜水"))
    for words in ("查看", "搜索 喜欢", "搜索 打雷"):
        [told] = await command(app, group(f"/记忆 {words}", group_id=72, **by("member", 7003)))
        assert "其余请私聊" in told
        assert "潜水" not in told
        assert "怕" not in told
    [told] = await command(app, group("/记忆 查看", group_id=72, **by("owner", 7003)))
    assert "爬山" in told
    assert len(await seen(app, "查看", 7003)) == 3


async def test_r7_3_nobody_sees_anothers(app: App, started: None) -> None:
    """Same group, same nickname, an id that begins like theirs, an @: it is always one's own."""
    await give(app, group([at(SELF_ID), text(" 我喜欢冲浪")], group_id=74, **by("member", 7004)))
    await commit(in_group(7004, 74), ("用户", "住在", "青岛"))
    for asker in (7005, 700, 70040):
        for words in ("查看", "搜索 冲浪", "搜索 青岛", "查看 1", "搜索 7004"):
            [told] = await command(app, group(f"/记忆 {words}", group_id=74, **by("owner", asker)))
            assert "冲浪" not in told.replace("“冲浪”", "")
            assert "青岛" not in told.replace("“青岛”", "")
        forged = [text("/记忆 查看 "), at(7004)]
        [told] = await command(app, group(forged, group_id=74, **by("owner", asker)))
        assert "青岛" not in told
    [told] = await command(app, group("/记忆 搜索 冲浪", group_id=74, **by("member", 7004)))
    assert "冲浪" in told.split("\n", 1)[1]


async def test_r7_3_search_finds_words_alone(app: App, started: None) -> None:
    """Only lines that hold the words, not those beside them; and never what was corrected."""
    for said in ("昨天去听了交响乐", "回来路上下雨了", "我住在杭州", "不对，我住在宁波"):
        await give(app, private(said, user_id=7006))
    lines = await seen(app, "搜索 交响乐", 7006)
    assert any("昨天去听了交响乐" in line for line in lines)
    assert not any("下雨" in line for line in lines)
    assert any("宁波" in line for line in await seen(app, "搜索 宁波", 7006))
    assert not any("杭州" in line for line in await seen(app, "搜索 杭州", 7006))


async def test_r7_3_older_than_ones_first_words_in_a_group_is_not_searched(app: App, started: None) -> None:
    assert running.app is not None
    log = running.app.rooms.log
    long_ago = datetime.now(UTC) - timedelta(days=9)
    await in_thread(log.add, in_group(7007, 75), "阿花", "我养了一只鹦鹉", long_ago)
    assert any("鹦鹉" in line for line in await seen(app, "搜索 鹦鹉", 7007))
    assert await seen(app, "搜索 鹦鹉", 7008) == []


async def test_r3_6_one_has_something_remembered(app: App, started: None) -> None:
    [told] = await command(app, private("/记忆 记住 我对花生过敏，\n带坚果的也不行", user_id=7010))
    assert told == "记住了：我对花生过敏， 带坚果的也不行"
    [line] = await seen(app, "查看", 7010)
    assert line.startswith("1. [便签] 我对花生过敏， 带坚果的也不行（")
    assert await seen(app, "搜索 坚果", 7010) == [line]
    [told] = await command(app, group("/记忆 记住 我周六值班", group_id=76, **by("member", 7010)))
    assert "这个群" in told
    [told] = await command(app, group("/记忆 查看", group_id=76, **by("member", 7010)))
    assert "值班" in told
    assert "花生" not in told
    [told] = await command(app, group("/记忆 查看", group_id=77, **by("member", 7010)))
    assert "值班" not in told
    [told] = await command(app, group("/记忆 查看", group_id=76, **by("owner", 7011)))
    assert "值班" not in told
    assert running.app is not None
    prompt = running.app.rooms.prompts.load_memories
    assert "花生" in await in_thread(prompt, "7010")
    [told] = await command(app, private("/记忆 记住", user_id=7010))
    assert told.startswith("用法：/记忆 记住 文")
    [told] = await command(app, private(f"/记忆 记住 {'长' * 8001}", user_id=7010))
    assert told.startswith("没有做：")
    assert "最多 8000 字" in told


async def test_r7_4_pause_and_resume(app: App, started: None) -> None:
    await give(app, private("我喜欢射箭", user_id=7012))
    [told] = await command(app, group("/记忆 停记", group_id=78, **by("member", 7012)))
    assert "/记忆 继续" in told
    before = await seen(app, "查看", 7012)
    assert any("射箭" in line for line in before)
    await give(app, private("我喜欢击剑", user_id=7012))
    await give(app, group([at(SELF_ID), text(" 我住在苏州")], group_id=78, **by("member", 7012)))
    [told] = await command(app, private("/记忆 记住 我叫阿明", user_id=7012))
    assert "停着记" in told
    assert await seen(app, "查看", 7012) == before
    for word in ("击剑", "苏州", "阿明"):
        assert await seen(app, f"搜索 {word}", 7012) == []
    [told] = await command(app, private("/记忆 pause", user_id=7012))
    assert told.startswith("本来就停着")
    [told] = await command(app, private("/记忆 继续", user_id=7012))
    assert told.startswith("好，")
    [told] = await command(app, private("/记忆 继续", user_id=7012))
    assert told == "本来就在记。"
    await give(app, private("我喜欢举重", user_id=7012))
    assert any("举重" in line for line in await seen(app, "查看", 7012))
    assert await seen(app, "搜索 击剑", 7012) == []


async def test_r1_17_a_command_in_a_group_is_a_message_there(app: App, started: None) -> None:
    """Whoever was seen there sees, in private, what is said of them there later."""
    await give(app, private("你好", user_id=7013))
    await commit(own(7013), ("用户", "喜欢", "茶"))
    await command(app, group("/记忆", group_id=79, **by("member", 7013)))
    await commit(in_group(7014, 79), ("用户7013", "喜欢", "木工"))
    assert any("木工" in line for line in await seen(app, "查看", 7013))


async def number_of(app: App, word: str, user_id: int) -> str:
    """The number under which somebody is shown a thing."""
    return next(line for line in await seen(app, "查看", user_id) if word in line).split(".")[0]


async def test_r7_3_forget_and_correct_by_number(app: App, started: None) -> None:
    await give(app, private("我喜欢竹笛", user_id=7020))
    await give(app, private("我在学古琴", user_id=7020))
    number = await number_of(app, "竹笛", 7020)
    [told] = await command(app, private(f"/记忆 忘记 {number}", user_id=7020))
    assert told.startswith("忘了：你 喜欢 竹笛")
    for words in ("查看", "搜索 竹笛"):
        assert not any("竹笛" in line for line in await seen(app, words, 7020))
    assert "竹笛" not in "".join(await give(app, private("我喜欢什么？", user_id=7020)))
    number = await number_of(app, "古琴", 7020)
    [told] = await command(app, private(f"/记忆 改 {number} 我在学吉他", user_id=7020))
    assert told.startswith("改好了：我在学吉他")
    [told] = await give(app, private("我在学什么？", user_id=7020))
    assert "吉他" in told
    assert "古琴" not in told
    assert await seen(app, "搜索 古琴", 7020) == []
    [told] = await command(app, private(f"/记忆 改 {number}", user_id=7020))
    assert "要写上新的内容" in told


async def test_r7_3_a_number_is_spent_once_and_pages_keep_theirs(app: App, started: None) -> None:
    for number in range(3):
        await commit(own(7021), ("用户", "收藏", f"邮票{number}"))
    lines = await seen(app, "查看", 7021)
    first, second = (line.split("收藏 ")[1][:3] for line in lines[:2])
    await command(app, private("/记忆 忘记 1", user_id=7021))
    [told] = await command(app, private("/记忆 忘记 1", user_id=7021))
    assert told.startswith("没有做：刚才给你看的里面没有 1 号")
    await command(app, private("/记忆 忘记 2", user_id=7021))
    left = "".join(await seen(app, "查看", 7021))
    assert first not in left
    assert second not in left
    assert len(left) > 0


async def test_r7_3_nobody_reaches_anothers_by_number_id_or_at(app: App, started: None) -> None:
    """Numbers shown to another, numbers never shown, ids, paths, names and forged mentions all miss."""
    victim, attacker = 7022, 7023
    await give(app, group([at(SELF_ID), text(" 我喜欢皮划艇")], group_id=91, **by("member", victim)))
    await command(app, group("/记忆 查看", group_id=91, **by("member", victim)))
    await command(app, private("/记忆 查看", user_id=victim))
    assert running.app is not None
    [item, *_] = await in_thread(running.app.own.everything, own(victim))
    names = (item.id, f"用户{victim}", str(victim), "阿花", "characters/neko/users/7022")
    for target in ("1", "01", "0", "-1", *names):
        for act in (f"忘记 {target}", f"改 {target} 我喜欢发呆"):
            for event in (
                group(f"/记忆 {act}", group_id=91, **by("owner", attacker)),
                private(f"/记忆 {act}", user_id=attacker),
                group([text(f"/记忆 {act} "), at(victim)], group_id=91, **by("admin", attacker)),
            ):
                [told] = await command(app, event)
                assert told.startswith("没有做："), told
    assert any("皮划艇" in line for line in await seen(app, "查看", victim))
    assert not any("发呆" in line for line in await seen(app, "查看", victim))


async def test_r7_3_a_number_of_one_place_means_nothing_in_another(app: App, started: None) -> None:
    await commit(own(7024), ("用户", "喜欢", "篆刻"))
    await commit(in_group(7024, 92), ("用户", "喜欢", "书法"))
    await command(app, private("/记忆 查看", user_id=7024))
    for group_id in (92, 93):
        [told] = await command(app, group("/记忆 忘记 1", group_id=group_id, **by("member", 7024)))
        assert told.startswith("没有做：先用 /记忆 查看")
    assert len(await seen(app, "查看", 7024)) == 2


async def test_r7_3_a_stale_number_is_refused(
    app: App, started: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    await commit(own(7025), ("用户", "喜欢", "陶艺"))
    await command(app, private("/记忆 查看", user_id=7025))
    assert running.app is not None
    store = running.app.rooms.store
    clock = store.clock
    monkeypatch.setattr(store, "clock", lambda: clock() + KEPT_FOR)
    [told] = await command(app, private("/记忆 忘记 1", user_id=7025))
    assert "10 分钟" in told
    monkeypatch.undo()
    assert any("陶艺" in line for line in await seen(app, "查看", 7025))


async def test_r7_3_who_is_mentioned_in_a_command_is_a_word_of_it(app: App, started: None) -> None:
    said = [text("/记忆 记住 "), at(7031), text(" 是我师傅"), face(1)]
    [told] = await command(app, group(said, group_id=95, **by("member", 7030)))
    assert told.startswith("记住了：@7031 是我师傅")
    [line] = await seen(app, "查看", 7030)
    assert "@7031 是我师傅" in line
    [told] = await command(app, private([text("/记忆 记住 "), face(1)], user_id=7030))
    assert told.startswith("用法：/记忆 记住 文")


async def test_r7_3_what_can_t_be_corrected_is_told_in_plain_words(app: App, started: None) -> None:
    await commit(own(7032), ("用户", "喜欢", "陶笛"))
    await seen(app, "查看", 7032)
    for new, why in (("长" * 501, "一件事最多 500 字，收到的有 501 字"), ("（推测）", "换个说法试试")):
        [told] = await command(app, private(f"/记忆 改 １ {new}", user_id=7032))
        assert told.startswith("没有做：")
        assert why in told
        assert "object" not in told
    [line] = await seen(app, "查看", 7032)
    assert "陶笛" in line
    for page in ("0", "-1", "²", "1.5"):
        [told] = await command(app, private(f"/记忆 查看 {page}", user_id=7032))
        assert told.startswith("没有做：页码要写从 1 起的数字"), told
    [told] = await command(app, private("/记忆 查看 １", user_id=7032))
    assert "陶笛" in told
