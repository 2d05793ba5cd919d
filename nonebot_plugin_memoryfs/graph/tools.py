"""What the model can call: names, descriptions and arguments, as data (R2.8–R2.12).

One table for the agent, the tools prompt and the offline model alike.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .triplets import NAME_LIMIT, OBJECT_LIMIT


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)


class TripletArgument(_Arguments):
    """One fact."""

    subject: str = Field(
        min_length=1,
        max_length=NAME_LIMIT,
        description="谁或什么。说话的人写“用户”，角色自己写“AI”，其他人写昵称",
    )
    relation: str = Field(
        min_length=1, max_length=NAME_LIMIT, description="关系，如：喜欢、在做、打算、所在地"
    )
    object: str = Field(min_length=1, max_length=OBJECT_LIMIT, description="对方亲口说的内容，用原话里的词")
    inferred: bool | None = Field(default=None, description="你推断出来、对方没有明说的，填 true；明说的不填")


class CommitArguments(_Arguments):
    """Arguments of `memory_commit`."""

    triplets: list[TripletArgument] = Field(
        min_length=1, max_length=20, description="要记住的事实，有一条不合格就都不写入"
    )


class RecallArguments(_Arguments):
    """Arguments of `memory_recall`."""

    query_intent: str = Field(
        min_length=1, max_length=500, description="要找的名字或词，用逗号分开，如：用户,音乐,喜欢"
    )
    depth: int = Field(default=2, description="沿关系找几步，1 到 3")


class PurgeArguments(_Arguments):
    """Arguments of `memory_purge`."""

    subject: str = Field(min_length=1, max_length=NAME_LIMIT, description="主语，写完整的名字")
    relation: str | None = Field(
        default=None, max_length=NAME_LIMIT, description="关系；和 object 至少写一个"
    )
    object: str | None = Field(default=None, max_length=OBJECT_LIMIT, description="宾语，写完整的内容")
    replacement: str | None = Field(
        default=None, max_length=OBJECT_LIMIT, description="更正后的新内容；只是删除就不填"
    )


class TaskCreateArguments(_Arguments):
    """Arguments of `task_create`."""

    task_id: str = Field(
        min_length=1,
        max_length=NAME_LIMIT,
        description="任务名，如 Task_成语接龙；写本轮自己的编号则只记下本轮概述",
    )
    description: str = Field(
        min_length=1, max_length=OBJECT_LIMIT, description="一句话：在做什么，进行到哪里"
    )
    info_nodes: list[str] = Field(
        default_factory=list[str], max_length=20, description="任务要用到的记忆节点的名字"
    )


class TaskStateArguments(_Arguments):
    """Arguments of `task_set_state`."""

    task_id: str = Field(min_length=1, max_length=NAME_LIMIT, description="任务名，写完整")
    state: Literal["进行中", "已暂停", "已完成", "已取消"] = Field(description="新的状态")


class RewriteArguments(_Arguments):
    """Arguments of `context_rewrite`."""

    summary: str = Field(
        min_length=1,
        max_length=2_000,
        description="调用了哪些工具（写工具名）、一共几次、查到和做成了什么；此前的调用和结果不再保留",
    )


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the model can call."""

    name: str
    """Also the name of the `MemoryGraph` method that runs it; `context_rewrite` is the run's own."""
    description: str
    arguments: type[BaseModel]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments, made once; to be read only."""
        return _schema(self.arguments)


@cache
def _schema(arguments: type[BaseModel]) -> dict[str, Any]:
    return arguments.model_json_schema()


TOOLS: tuple[Tool, ...] = (
    Tool(
        "memory_commit",
        "记住对方说的事实：喜好、经历、计划、近况。已经记过的不必再记；值变了直接写新值，旧值会留作历史。",
        CommitArguments,
    ),
    Tool(
        "memory_recall",
        "按名字和词在记忆里找事实。已经给出的记忆不够用、或对方问起从前时再用。",
        RecallArguments,
    ),
    Tool(
        "memory_purge",
        "对方要求忘记或更正某件事时用。名字要写完整；更正时填 replacement。",
        PurgeArguments,
    ),
    Tool(
        "task_create",
        "开始一件会持续几轮的事（游戏、教程、计划）或更新它；原来进行中的会自动暂停。",
        TaskCreateArguments,
    ),
    Tool(
        "task_set_state",
        "改变任务的状态：话题岔开时暂停，回来时改为进行中，做完了改为已完成。",
        TaskStateArguments,
    ),
    Tool(
        "context_rewrite",
        "这一轮查了很多、结果太长时，用一段摘要换掉这些调用和结果。要在别的工具之后单独调用；平常用不着。",
        RewriteArguments,
    ),
)
"""In the order they are shown."""
