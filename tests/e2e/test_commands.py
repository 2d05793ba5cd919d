"""R7.3, R7.4, R7.11: an evening in two groups and three private chats: every command, every permission."""

import base64

from nonebot_plugin_memoryfs.bot.commands import COMMANDS
from nonebot_plugin_memoryfs.bot.commands.table import EVERYONE, MANAGERS, SUPERUSERS

from ..sim.onebot import OneBotClient, at, text
from .conftest import SELF_ID, Site

FIRST, SECOND = 301, 302
MEMBER, ADMIN, OPERATOR = 11, 12, 777
ROLES = {MEMBER: "member", ADMIN: "admin", OPERATOR: "member"}
NO = {MANAGERS.refusal, SUPERUSERS.refusal}


class Evening:
    """What is said, and which commands were answered or refused."""

    def __init__(self, client: OneBotClient) -> None:
        self.client = client
        self.done: set[tuple[str, str]] = set()
        self.refused: set[tuple[str, str]] = set()

    async def chat(self, user: int, words: str, group: int | None = None) -> str:
        """Something said to the character, and its answer."""
        if group is None:
            await self.client.private(user, words)
        else:
            said = [at(SELF_ID), text(f" {words}")]
            await self.client.group(group, user, said, role=ROLES[user])
        return (await self.client.next_reply(to=group or user)).text

    async def command(self, user: int, words: str, group: int | None = None) -> str:
        """A command and its answer."""
        if group is None:
            await self.client.private(user, words)
        else:
            await self.client.group(group, user, words, role=ROLES[user])
        told = (await self.client.next_reply(to=group or user)).text
        command, action, *_ = [*words.removeprefix("/").split(), ""]
        (self.refused if told in NO else self.done).add((command, action))
        return told

    async def file(self, user: int, words: str) -> str:
        """A command in private that is answered with a file, and what stands in it."""
        files = len(self.client.uploads) + 1
        await self.client.private(user, words)
        await self.client.wait_calls("upload_private_file", files)
        upload = self.client.uploads[-1]
        assert upload["user_id"] == user
        command, action, *_ = words.removeprefix("/").split()
        self.done.add((command, action))
        return base64.b64decode(upload["file"].removeprefix("base64://")).decode()

    async def refusal(self, user: int, words: str, group: int | None = None) -> None:
        """A command that somebody may not use."""
        assert await self.command(user, words, group) in NO


async def test_r7_3_an_evening_of_every_command_and_permission(site: Site) -> None:
    site.settings["SUPERUSERS"] = f'["{OPERATOR}"]'
    async with site.process() as bot:
        async with site.client() as client:
            evening = Evening(client)
            await _own_memory(evening)
            await _tasks_and_characters(evening)
            await _prompts(evening)
            await _heartbeat(evening)
            await _operator(evening)
            await _switch(evening)
            await _leaving(evening)
            await _clearing(evening)
            _all_covered(evening)
        await bot.terminate()
        assert "ERROR" not in bot.log()


async def _own_memory(evening: Evening) -> None:
    chat, command = evening.chat, evening.command
    await chat(MEMBER, "我喜欢摇滚")
    await chat(MEMBER, "我喜欢爬山", FIRST)
    await chat(ADMIN, "我喜欢潜水", FIRST)
    await chat(MEMBER, "我喜欢下棋", SECOND)
    assert "/记忆 查看" in await command(MEMBER, "/记忆")
    told = await command(MEMBER, "/记忆 查看")
    assert [line[:2] for line in told.splitlines()[1:]] == ["1.", "2.", "3."]
    assert "潜水" not in told
    told = await command(MEMBER, "/记忆 查看", FIRST)
    assert "爬山" in told
    assert "其余请私聊" in told
    assert not any(word in told for word in ("摇滚", "下棋", "潜水"))
    assert "摇滚" in await command(MEMBER, "/记忆 搜索 摇滚")
    assert "没找到" in await command(ADMIN, "/记忆 搜索 摇滚", FIRST)
    assert await command(MEMBER, "/记忆 记住 我对花生过敏") == "记住了：我对花生过敏"
    assert "花生" in await command(MEMBER, "/记忆 搜索 花生")
    told = await command(MEMBER, "/记忆 搜索 摇滚")
    number = next(line for line in told.splitlines() if "你 喜欢 摇滚" in line).split(".")[0]
    assert "没有做" in await command(ADMIN, f"/记忆 忘记 {number}")
    assert "没有做" in await command(MEMBER, f"/记忆 忘记 {number}", SECOND)
    assert "忘了" in await command(MEMBER, f"/记忆 忘记 {number}")
    assert "没找到" in await command(MEMBER, "/记忆 搜索 摇滚")
    assert "摇滚" not in await chat(MEMBER, "我喜欢什么？")
    told = await command(MEMBER, "/记忆 查看", FIRST)
    number = next(line for line in told.splitlines() if "爬山" in line).split(".")[0]
    assert "改好了" in await command(MEMBER, f"/记忆 改 {number} 我喜欢攀岩", FIRST)
    told = await chat(MEMBER, "我喜欢什么？", FIRST)
    assert "攀岩" in told
    assert "爬山" not in told
    assert "都不记" in await command(ADMIN, "/记忆 停记", FIRST)
    await chat(ADMIN, "我喜欢滑翔")
    assert "滑翔" not in await command(ADMIN, "/记忆 查看")
    assert "又记了" in await command(ADMIN, "/记忆 继续")


async def _tasks_and_characters(evening: Evening) -> None:
    command, refusal = evening.command, evening.refusal
    assert "还没有任务" in await command(MEMBER, "/任务", FIRST)
    assert "还没有任务" in await command(MEMBER, "/任务 查看")
    for action in ("继续", "暂停", "完成", "取消"):
        assert "没有做：没有任务" in await command(MEMBER, f"/任务 {action} 接龙", FIRST)
    assert "小忆（neko）" in await command(MEMBER, "/角色", FIRST)
    assert "小忆（neko）" in await command(MEMBER, "/角色 查看")
    for words in ("切换 neko", "人设 语气 冷淡", "总人设 语气 冷淡"):
        await refusal(MEMBER, f"/角色 {words}", FIRST)
        await refusal(MEMBER, f"/角色 {words}")
    await refusal(ADMIN, "/角色 总人设 语气 冷淡", FIRST)
    assert "小忆" in await command(ADMIN, "/角色 切换 neko", FIRST)
    assert "冷淡" in await command(ADMIN, "/角色 人设 语气 冷淡", FIRST)
    assert "冷淡" in await command(MEMBER, "/角色 查看", FIRST)
    assert "冷淡" not in await command(MEMBER, "/角色 查看", SECOND)
    assert "活泼" in await command(OPERATOR, "/角色 总人设 语气 活泼")
    assert "活泼" in await command(MEMBER, "/角色 查看", SECOND)


async def _prompts(evening: Evening) -> None:
    command, refusal = evening.command, evening.refusal
    assert "记下了" in await command(MEMBER, "/提示词 设置 我 叫我船长", FIRST)
    assert "叫我船长" in await command(MEMBER, "/提示词 查看 我")
    assert "没有设过" in await command(ADMIN, "/提示词 查看 我")
    for words in ("查看 本群", "设置 本群 好", "清除 本群"):
        await refusal(MEMBER, f"/提示词 {words}", FIRST)
    for words in ("查看 默认", "设置 默认 好", "清除 默认"):
        await refusal(ADMIN, f"/提示词 {words}", FIRST)
    assert "记下了" in await command(ADMIN, "/提示词 设置 本群 大家好", FIRST)
    assert "大家好" in await command(OPERATOR, "/提示词 查看 本群", FIRST)
    assert "没有设过" in await command(OPERATOR, "/提示词 查看 本群", SECOND)
    assert "记下了" in await command(OPERATOR, "/提示词 设置 默认 简短")
    for user, which, group in ((MEMBER, "我", None), (ADMIN, "本群", FIRST), (OPERATOR, "默认", None)):
        assert "去掉了" in await command(user, f"/提示词 清除 {which}", group)


async def _heartbeat(evening: Evening) -> None:
    command, refusal = evening.command, evening.refusal
    for words in ("状态", "开", "关", "立即", "全部 关"):
        await refusal(MEMBER, f"/心跳 {words}", FIRST)
        await refusal(MEMBER, f"/心跳 {words}")
    await refusal(ADMIN, "/心跳 全部 关", FIRST)
    assert "心跳开了" in await command(ADMIN, "/心跳 开", FIRST)
    assert "记下了" in await command(ADMIN, "/心跳 立即", FIRST)
    assert "开着" in await command(ADMIN, "/心跳 状态", FIRST)
    assert "心跳关了" in await command(ADMIN, "/心跳 关", FIRST)
    assert "都停了" in await command(OPERATOR, "/心跳 全部 关")
    assert "可以跳了" in await command(OPERATOR, "/心跳 全部 开")


async def _operator(evening: Evening) -> None:
    command, refusal = evening.command, evening.refusal
    for words in ("status", "why", "web", "backup", f"export {MEMBER}", "verify", "import /tmp"):
        await refusal(MEMBER, f"/memoryfs {words}")
        await refusal(ADMIN, f"/memoryfs {words}", FIRST)
    assert "模型：离线" in await command(OPERATOR, "/memoryfs status")
    assert "检查：" in await command(OPERATOR, f"/memoryfs why qq_group_{FIRST}")
    assert "登录码" in await command(OPERATOR, "/memoryfs web")
    assert "备份好了" in await command(OPERATOR, "/memoryfs backup")
    assert "没有发现问题" in await command(OPERATOR, "/memoryfs verify", FIRST)
    assert "下棋" in await evening.file(OPERATOR, f"/memoryfs export {MEMBER}")
    assert "没有 /nowhere 这个" in await command(OPERATOR, "/memoryfs import /nowhere")
    for words in ("why", "web", "import /nowhere", f"export {MEMBER}"):
        assert "请私聊我用" in await command(OPERATOR, f"/memoryfs {words}", FIRST)


async def _switch(evening: Evening) -> None:
    chat, command, refusal, client = evening.chat, evening.command, evening.refusal, evening.client
    await refusal(MEMBER, "/记忆开关 关", FIRST)
    assert "不再理会" in await command(ADMIN, "/记忆开关 关", FIRST)
    await client.group(FIRST, MEMBER, [at(SELF_ID), text(" 我喜欢冲浪")])
    await client.group(FIRST, ADMIN, "/记忆 查看", role="admin")
    await client.silence(0.5)
    await refusal(MEMBER, "/记忆开关 开", FIRST)
    assert await chat(MEMBER, "在吗", SECOND)
    assert "又在这个群里" in await command(OPERATOR, "/记忆开关 开", FIRST)
    assert "冲浪" not in await chat(MEMBER, "我喜欢什么？", FIRST)


async def _leaving(evening: Evening) -> None:
    """Taking everything along, then being forgotten; the others are not."""
    chat, command, client = evening.chat, evening.command, evening.client
    assert "请私聊我用" in await command(MEMBER, "/记忆 导出", FIRST)
    taken = await evening.file(MEMBER, "/记忆 导出")
    assert "下棋" in taken
    assert "潜水" not in taken
    client.fail["upload_private_file"] = (1404, "no such action")
    assert "下棋" in await command(MEMBER, "/记忆 导出")
    assert "要清空" in await command(MEMBER, "/记忆 清空", FIRST)
    await client.group(FIRST, ADMIN, "确认", role="admin")
    await client.silence(0.3)
    assert await chat(MEMBER, "算了", FIRST)
    await client.group(FIRST, MEMBER, "确认")
    await client.silence(0.3)
    assert "下棋" in await command(MEMBER, "/记忆 查看")
    assert "要清空" in await command(MEMBER, "/记忆 清空")
    assert "已清除" in await chat(MEMBER, "确认")
    assert "还没有记下什么" in await command(MEMBER, "/记忆 查看")
    assert "潜水" in await command(ADMIN, "/记忆 查看", FIRST)


async def _clearing(evening: Evening) -> None:
    """The group is forgotten by whoever manages it; what was said elsewhere is not."""
    chat, command, client = evening.chat, evening.command, evening.client
    await chat(MEMBER, "我喜欢围棋", FIRST)
    await chat(MEMBER, "我喜欢象棋", SECOND)
    told = await command(MEMBER, "/记忆 清空 本群", FIRST)
    assert told.startswith(MANAGERS.refusal)
    assert "要在群里说" in await command(OPERATOR, "/记忆 清空 本群")
    told = await command(ADMIN, "/记忆 清空 本群", FIRST)
    assert "会清掉：" in told
    await client.group(FIRST, MEMBER, "确认")
    await client.silence(0.3)
    assert "围棋" in await command(MEMBER, "/记忆 查看", FIRST)
    assert "会清掉：" in await command(OPERATOR, "/记忆 清空 本群", FIRST)
    await client.group(FIRST, OPERATOR, "确认")
    assert "清空了" in (await client.next_reply(to=FIRST)).text
    assert "围棋" not in await command(MEMBER, "/记忆 查看", FIRST)
    assert "潜水" not in await command(ADMIN, "/记忆 查看", FIRST)
    assert "围棋" not in await chat(MEMBER, "我喜欢什么？")
    assert "象棋" in await chat(MEMBER, "我喜欢什么？", SECOND)


def _all_covered(evening: Evening) -> None:
    """Nothing in the table was left out, and whatever is not for everybody was refused to somebody."""
    for command in COMMANDS:
        for action in command.actions:
            assert (command.name, action.name) in evening.done
            for_all = action.may is EVERYONE or not action.may.refusal
            assert for_all or (command.name, action.name) in evening.refused
