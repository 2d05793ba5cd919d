"""R7.3, R7.2, R2.11, R3.2, R3.11: `/任务`, `/角色`, `/提示词`, `/记忆开关`: what they do, and for whom."""

from pathlib import Path

from nonebug import App

from nonebot_plugin_memoryfs.bot.commands.table import MANAGERS, SUPERUSERS
from nonebot_plugin_memoryfs.bot.plugin import running
from nonebot_plugin_memoryfs.concurrency import in_thread
from nonebot_plugin_memoryfs.scope import Scope

from ..sim.payloads import at, text
from .commanding import by, command, count_turns, give
from .events import SELF_ID, group, private

NO = [MANAGERS.refusal]
NEVER = [SUPERUSERS.refusal]


async def test_r2_11_tasks_of_this_chat(app: App, started: None) -> None:
    [told] = await command(app, group("/任务", group_id=81, **by("member")))
    assert told.startswith("这里还没有任务")
    assert "/任务 查看" in told
    assert running.app is not None
    graph, scope = running.app.rooms.graph, Scope("neko", "qq_group_81", "601", False)
    await in_thread(graph.task_create, scope, "Task_写诗", "写一首\n关于雨的诗")
    await in_thread(graph.task_create, scope, "Task_接龙", "成语接龙，轮到用户")
    await in_thread(graph.task_create, scope, "Task_旧", "完事")
    await in_thread(graph.task_set_state, scope, "Task_旧", "已完成")
    [told] = await command(app, group("/任务 查看", group_id=81, **by("member", 602)))
    assert told.splitlines() == [
        "这里的任务（已暂停 2，已完成 1）：",
        "· [已暂停] Task_接龙：成语接龙，轮到用户",
        "· [已暂停] Task_写诗：写一首 关于雨的诗",
        "· [已完成] Task_旧：完事",
    ]
    for elsewhere in (group("/tasks 查看", group_id=82, **by("owner")), private("/任务 查看", user_id=601)):
        [told] = await command(app, elsewhere)
        assert told.startswith("这里还没有任务")


async def test_r2_11_a_task_is_moved_by_its_name(app: App, started: None) -> None:
    assert running.app is not None
    graph, scope = running.app.rooms.graph, Scope("neko", "qq_group_91", "601", False)
    for name in ("Task_写诗", "接龙", "Task_接龙"):
        await in_thread(graph.task_create, scope, name, f"做{name}")

    async def give_task(words: str, group_id: int = 91) -> str:
        [told] = await command(app, group(f"/任务 {words}", group_id=group_id, **by("member", 603)))
        return told

    assert "已暂停：Task_接龙" in await give_task("继续 写诗")
    assert "已完成" in await give_task("完成 task_写诗")
    assert (await give_task("暂停 写诗")).startswith("没有做：Task_写诗 现在是已完成，只能改为：进行中")
    assert "接龙 已取消" in await give_task("取消 接龙")  # the very name goes before one like it
    assert "Task_接龙 进行中" in await give_task("继续 Task_接龙")
    await in_thread(graph.task_create, scope, "TASK_接龙", "又一个")
    told = await give_task("完成 task_接龙")
    assert told == "没有做：差不多的名字有几个，请照原样写：TASK_接龙、Task_接龙"
    assert "TASK_接龙 已取消" in await give_task("取消 TASK_接龙")
    assert "Task_接龙 进行中" in await give_task("继续 Task_接龙")
    states = {task.task_id: task.state for task in await in_thread(graph.tasks, scope)}
    assert states.pop("TASK_接龙") == "已取消"
    assert states == {"Task_接龙": "进行中", "Task_写诗": "已完成", "接龙": "已取消"}
    told = await give_task("完成 别的")
    assert told.startswith("没有做：没有任务 '别的'，现有任务：")
    assert "Task_写诗" in told
    assert "Task_写诗" not in await give_task("完成 写诗", group_id=92)
    assert (await give_task("完成")).startswith("用法：/任务 完成 名字")
    await command(app, group("/记忆 停记", group_id=91, **by("member", 603)))
    assert "停着记" in await give_task("取消 Task_接龙")
    await command(app, group("/记忆 继续", group_id=91, **by("member", 603)))


async def test_r3_11_a_group_changes_its_character(app: App, started: None, superuser: str) -> None:
    assert running.app is not None
    directory = running.app.rooms.store.directory
    assert directory is not None
    await in_thread(_write_card, directory / "characters")
    [told] = await command(app, group("/角色", group_id=83, **by("member")))
    assert told.startswith("现在在这里的是小忆（neko）。")
    assert "阿晚（bookshop）" in told
    assert "/角色 切换" not in told  # not theirs to use
    assert await command(app, group("/角色 切换 bookshop", group_id=83, **by("member"))) == NO
    assert await command(app, private("/角色 切换 bookshop", user_id=601)) == NO
    [told] = await command(app, group("/角色 切换 nobody", group_id=83, **by("admin")))
    assert told.startswith("没有做：没有叫 'nobody' 的角色，现有角色：")
    [told] = await command(app, group("/角色 切换 bookshop", group_id=83, **by("admin")))
    assert "从现在起这里是阿晚" in told
    [told] = await command(app, group("/character 查看", group_id=83, **by("member")))
    assert "阿晚（bookshop）" in told.splitlines()[0]
    [told] = await command(app, group("/角色 查看", group_id=84, **by("member")))
    assert "小忆" in told.splitlines()[0]
    [told] = await command(app, group("/角色 切换 默认", group_id=83, **by("owner")))
    assert told == "好，这里改回默认的角色：小忆。"
    [told] = await command(app, group("/角色 切换 默认", group_id=83, **by("owner")))
    assert told.startswith("这里本来就是")
    [told] = await command(app, private("/角色 切换 bookshop", user_id=int(superuser)))
    assert "阿晚" in told
    await command(app, private("/角色 switch default", user_id=int(superuser)))


async def test_r2_7_persona_here_and_everywhere(app: App, started: None, superuser: str) -> None:
    async def tone(group_id: int) -> str:
        [told] = await command(app, group("/角色 查看", group_id=group_id, **by("member")))
        return "".join(line for line in told.splitlines() if "语气" in line)

    before = await tone(86)
    assert await command(app, group("/角色 人设 语气 凶", group_id=85, **by("member"))) == NO
    assert await command(app, private("/角色 人设 语气 凶", user_id=601)) == NO
    [told] = await command(app, group("/角色 人设 语气 凶一点", group_id=85, **by("admin")))
    assert told == "好，小忆在这里的语气：凶一点"
    assert "凶一点" in await tone(85)
    assert await tone(86) == before
    assert await command(app, group("/角色 总人设 语气 温柔", group_id=85, **by("owner"))) == NEVER
    [told] = await command(app, private("/角色 总人设 语气 温柔", user_id=int(superuser)))
    assert told == "好，小忆处处的语气：温柔"
    assert "凶一点" in await tone(85)
    assert "温柔" in await tone(86)
    [told] = await command(app, group("/角色 人设 语气", group_id=85, **by("admin")))
    assert "去掉了" in told
    assert "温柔" in await tone(85)
    await command(app, private("/角色 总人设 语气", user_id=int(superuser)))
    assert await tone(85) == await tone(86) == before
    [told] = await command(app, group("/角色 人设 语气", group_id=85, **by("admin")))
    assert told.startswith("没有做：小忆在这里的语气没有另外设过")


async def test_r3_2_prompts_of_three_levels(app: App, started: None, superuser: str) -> None:
    assert running.app is not None
    prompts = running.app.rooms.prompts
    [told] = await command(app, group("/提示词 设置 我 叫我船长", group_id=87, **by("member", 651)))
    assert told.startswith("好，")
    assert await in_thread(prompts.load_base_prompt, "651") == "叫我船长"
    [told] = await command(app, private("/提示词 查看 我", user_id=651))
    assert told == "提示词（我）：\n叫我船长"
    [told] = await command(app, group("/提示词 查看 我", group_id=87, **by("owner", 651)))
    assert "请私聊" in told
    assert "船长" not in told
    [told] = await command(app, private("/提示词 查看 我", user_id=652))
    assert told.startswith("没有设过")

    for words in ("设置 本群 大家好", "查看 本群", "清除 本群"):
        assert await command(app, group(f"/提示词 {words}", group_id=87, **by("member", 651))) == NO
    await command(app, group("/提示词 设置 本群 大家好", group_id=87, **by("admin", 652)))
    assert await in_thread(prompts.load_base_prompt, "652", "87") == "大家好"
    roster = running.app.roster
    card = (await in_thread(roster.card, roster.default)).filled().system_prompt
    assert await in_thread(prompts.load_base_prompt, "652", "88") == card
    [told] = await command(app, private("/提示词 查看 本群", user_id=int(superuser)))
    assert "要在群里说" in told

    for words in ("设置 默认 一律文言", "查看 默认", "清除 默认"):
        assert await command(app, group(f"/提示词 {words}", group_id=87, **by("owner", 652))) == NEVER
    await command(app, private("/prompt set default 一律文言", user_id=int(superuser)))
    assert await in_thread(prompts.load_base_prompt, "652", "88") == "一律文言"

    await command(app, private("/提示词 清除 默认", user_id=int(superuser)))
    await command(app, group("/提示词 清除 本群", group_id=87, **by("owner", 652)))
    [told] = await command(app, private("/提示词 清除 我", user_id=651))
    assert "去掉了" in told
    assert await in_thread(prompts.load_base_prompt, "651", "87") == card
    [told] = await command(app, private("/提示词 清除 我", user_id=651))
    assert told.startswith("本来就没有")


async def test_r3_3_prompts_that_can_t_be_set(app: App, started: None) -> None:
    for words, why in (
        ("设置 他 文", "我|本群|默认"),
        ("设置 我", "要写上内容"),
        ("清除 我 全部", "只写"),
        (f"设置 我 {'长' * 8001}", "最多 8000 字"),
    ):
        [told] = await command(app, private(f"/提示词 {words}", user_id=653))
        assert told.startswith("没有做：")
        assert why in told


async def test_r7_2_a_group_is_switched_off_and_on(app: App, started: None, superuser: str) -> None:
    def said(words: str, role: str = "member") -> list[object]:
        return [group([at(SELF_ID), text(words)], group_id=89, **by(role))]

    assert await command(app, group("/记忆开关 关", group_id=89, **by("member"))) == NO
    [told] = await command(app, group("/记忆开关 关", group_id=89, **by("admin")))
    assert "/记忆开关 开" in told
    assert running.app is not None
    assert not await running.app.is_on("qq_group_89")
    before = await in_thread(count_turns)
    assert await give(app, *said(" 我喜欢冬泳", "owner")) == []  # type: ignore[arg-type]
    for words in ("/记忆 查看", "/任务", "/心跳 状态", "/角色", "/memoryfs status"):
        assert await give(app, group(words, group_id=89, **by("owner", int(superuser)))) == []
    assert await in_thread(count_turns) == before
    assert await command(app, group("/记忆开关", group_id=89, **by("member"))) == NO
    assert await command(app, group("/记忆开关 开", group_id=89, **by("member"))) == NO
    [told] = await command(app, group("/memory-switch off", group_id=89, **by("admin")))
    assert told == "本来就关着。"
    [told] = await command(app, private("/记忆开关 关", user_id=int(superuser)))
    assert "在群里用" in told
    [told] = await command(app, group("/记忆开关 开", group_id=89, **by("member", int(superuser))))
    assert told == "好，我又在这个群里了。"
    assert await give(app, *said(" 我喜欢冬泳"))  # type: ignore[arg-type]


async def test_r7_2_the_switch_outlives_a_restart(app: App, started: None) -> None:
    assert running.app is not None
    await command(app, group("/记忆开关 关", group_id=90, **by("admin")))
    await running.stop()
    await running.start()
    assert running.app is not None
    assert not await running.app.is_on("qq_group_90")
    assert await running.app.is_on("qq_group_9")


def _write_card(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "bookshop.json").write_text('{"name": "阿晚", "systemPrompt": "你是阿晚。"}', "utf-8")
