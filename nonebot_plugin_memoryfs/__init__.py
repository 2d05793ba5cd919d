"""Long-term memory for NoneBot2 chatbots: memory files, a memory graph and layered prompts in one.

As a plugin it is loaded by NoneBot. As a library every core room imports without NoneBot:
`from nonebot_plugin_memoryfs.memory import get_memory_fs`.
"""

import sys

if "nonebot" in sys.modules:
    from nonebot.plugin import PluginMetadata, get_plugin_by_module_name

    from .config import Config

    __plugin_meta__ = PluginMetadata(
        name="MemoryFS 长期记忆",
        description="让机器人记得住：记忆文件、记忆图谱与分层提示词，离线也能用",
        usage=(
            "私聊，或在群里 @机器人、叫它的名字、回复它的消息，它就会回答，并记得你说过的事。\n"
            "例：先说「我喜欢摇滚」，以后问「我喜欢什么？」\n"
            "/记忆：关于你记下了什么，查看、改正、忘记、导出、清空\n"
            "/任务、/角色、/提示词：这里在做什么，谁在这里，怎么说话\n"
            "/记忆开关、/心跳（群管理员、主人），/memoryfs（主人）"
        ),
        type="application",
        homepage="https://github.com/nonebot-plugin-memoryfs/nonebot-plugin-memoryfs",
        config=Config,
        supported_adapters={"~onebot.v11"},
    )

    if get_plugin_by_module_name(__name__):
        from .bot import plugin as plugin
