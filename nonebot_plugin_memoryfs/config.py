"""Settings: one flat table of names, each with its meaning and what is allowed (R7.1).

In `.env` every name carries the prefix `MEMORYFS__`. Rooms get the values they need, never this object.
"""

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Self, cast
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from typing_extensions import TypedDict

from .errors import ConfigError

PREFIX = "MEMORYFS__"


def _as_text(value: Any) -> Any:
    """QQ numbers and keys of digits arrive as numbers, since `.env` values are read as JSON."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return str(value)


def _known_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("unknown time zone") from None
    return value


def _web_address(value: str) -> str:
    if value and not value.startswith(("http://", "https://")):
        raise ValueError("not a web address")
    parts = urlsplit(value)
    if value and not (parts.hostname and parts.port != 0):  # a port that is no number raises as well
        raise ValueError("an address without a host")
    return value


def _in_a_header(value: SecretStr) -> SecretStr:
    """A key as it can be sent: blanks around it come from copying."""
    key = value.get_secret_value().strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError("not what a key is made of")
    return SecretStr(key)


def _postgresql(value: SecretStr) -> SecretStr:
    url = value.get_secret_value()
    if url and not url.startswith("postgresql+psycopg://"):
        raise ValueError("not a PostgreSQL address")
    return value


Text = Annotated[str, BeforeValidator(_as_text)]
Secret = Annotated[SecretStr, BeforeValidator(_as_text)]
Key = Annotated[Secret, AfterValidator(_in_a_header)]
Name = Annotated[Text, Field(min_length=1)]
WebAddress = Annotated[Text, AfterValidator(_web_address)]
DatabaseAddress = Annotated[Secret, AfterValidator(_postgresql)]
Chance = Annotated[float, Field(ge=0, le=1)]


def _setting(default: Any, meaning: str, allowed: str, **limits: Any) -> Any:
    """A field with what it means and what is allowed, in the words the README and the errors use."""
    return Field(default, description=meaning, json_schema_extra={"allowed": allowed}, **limits)


class ModelSettings(TypedDict, total=False):
    """What is sent with each request to the model (R4.13); what is not here goes into `extra_body`."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # pyright: ignore[reportGeneralTypeIssues]

    temperature: Annotated[float, Field(ge=0, le=2, description="0 到 2 的数")]
    top_p: Annotated[float, Field(ge=0, le=1, description="0 到 1 的数")]
    max_tokens: Annotated[int, Field(ge=1, description="不小于 1 的整数")]
    timeout: Annotated[float, Field(gt=0, le=3600, description="秒数，大于 0，最多 3600")]
    presence_penalty: Annotated[float, Field(ge=-2, le=2, description="-2 到 2 的数")]
    frequency_penalty: Annotated[float, Field(ge=-2, le=2, description="-2 到 2 的数")]
    seed: Annotated[int, Field(description="整数")]
    parallel_tool_calls: Annotated[bool, Field(description="true 或 false")]
    extra_body: Annotated[dict[str, Any], Field(description="JSON 对象")]


_MINUTES = {"ge": 1, "le": 10_080}


class Settings(BaseModel):
    """Every setting of the plugin; all have defaults, so it runs with none."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    base_url: WebAddress = _setting("", "模型服务地址（OpenAI 兼容，含 /v1）；留空用离线模型", "http(s) 地址")
    api_key: Key = _setting(SecretStr(""), "模型服务的密钥", "文字（字母、数字和符号）")
    model: Text = _setting("", "聊天用的模型名", "文字")
    learn_model: Text = _setting("", "提取记忆用的模型名；留空同聊天", "文字")
    life_model: Text = _setting("", "生活片段用的模型名；留空同聊天", "文字")
    model_settings: ModelSettings = _setting(
        ModelSettings(), "模型参数", 'JSON 对象，如 {"temperature": 0.8, "timeout": 40}'
    )
    character: Text = _setting("neko", "默认角色", "角色 id", min_length=1)
    characters: dict[Text, Name] = _setting({}, "机器人账号 → 角色", 'JSON 对象，如 {"12345": "neko"}')
    database_url: DatabaseAddress = _setting(
        SecretStr(""), "数据库；留空用数据目录里的 SQLite", "postgresql+psycopg:// 开头的地址"
    )
    private_memory_in_groups: bool = _setting(False, "在群里也用本人的私聊记忆", "true 或 false")
    linked_groups: tuple[frozenset[Text], ...] = _setting(
        (), "互通记忆的群", "群号列表的列表，如 [[123, 456]]"
    )
    learn_every: int = _setting(6, "每多少轮提取一次记忆，0 为不提取", "0 到 60 的整数", ge=0, le=60)
    chime_in: dict[Text, Chance] = _setting(
        {}, "各群主动插话的概率", 'JSON 对象，群号 → 0 到 1，如 {"123": 0.02}'
    )
    groups_allow: frozenset[Text] = _setting(frozenset[str](), "只在这些群里说话；留空不限", "群号列表")
    groups_deny: frozenset[Text] = _setting(frozenset[str](), "不在这些群里说话", "群号列表")
    users_deny: frozenset[Text] = _setting(frozenset[str](), "不理会这些人", "QQ 号列表")
    ignore_prefixes: tuple[Text, ...] = _setting((), "不理会以这些文字开头的消息", "文字列表")
    queue: int = _setting(20, "每个会话最多排队多少条消息", "1 到 1000 的整数", ge=1, le=1000)
    cooldown_seconds: float = _setting(0.0, "同一会话两次回答的最小间隔（秒）", "0 到 3600", ge=0, le=3600)
    daily_calls: int = _setting(0, "每天最多调用模型多少次，0 不限", "不小于 0 的整数", ge=0)
    daily_tokens: int = _setting(0, "每天最多用多少 token，0 不限", "不小于 0 的整数", ge=0)
    keep_turns_days: int = _setting(0, "对话记录保留多少天，0 为一直保留", "不小于 0 的整数", ge=0)
    web_token: Secret = _setting(SecretStr(""), "网页的访问令牌；留空自动生成", "文字")
    web_public: bool = _setting(False, "网页不限本机访问", "true 或 false")
    life_interval_minutes: int = _setting(60, "生活片段的间隔（分钟）", "1 到 10080 的整数", **_MINUTES)
    life_idle_minutes: int = _setting(30, "用户离开多久才有生活片段（分钟）", "1 到 10080 的整数", **_MINUTES)
    life_private_self_service: bool = _setting(False, "私聊里本人可以开关心跳", "true 或 false")
    timezone: Annotated[str, AfterValidator(_known_zone)] = _setting(
        "Asia/Shanghai", "时区", "时区名，如 Asia/Shanghai"
    )

    @model_validator(mode="after")
    def _endpoint_has_a_model(self) -> Self:
        if self.base_url and not self.model:
            raise ValueError("an endpoint needs the name of a model")
        return self

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which times are shown to people and models."""
        return ZoneInfo(self.timezone)


class Config(BaseModel):
    """What NoneBot reads for this plugin: the settings below `MEMORYFS__`."""

    memoryfs: Settings = Settings()


NOT_YET_USED = frozenset({"database_url", "keep_turns_days"})
"""Settings whose names are fixed but whose feature this version does not have."""


def parse(values: Mapping[str, Any]) -> Settings:
    """The settings in these values (names in any case, without prefix).

    Raises:
        ConfigError: one line that names each wrong setting, its value and what is allowed.
    """
    lowered = {name.lower(): value for name, value in values.items()}
    try:
        return Settings.model_validate(lowered)
    except ValidationError as error:
        complaints = dict.fromkeys(_complaint(problem["loc"], lowered) for problem in error.errors())
        raise ConfigError("；".join(complaints)) from None


def unknown_names(values: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Names that are no settings, each with the nearest name that is one."""
    known = list(Settings.model_fields)
    unknown = [name for name in values if name.lower() not in known]
    return [(name, next(iter(difflib.get_close_matches(name.lower(), known, 1)), None)) for name in unknown]


def allowed(name: str) -> str:
    """What is allowed for a setting, in words for people."""
    extra = cast(dict[str, str], Settings.model_fields[name].json_schema_extra)
    return extra["allowed"]


def _complaint(loc: tuple[int | str, ...], values: Mapping[str, Any]) -> str:
    """What is wrong at a place, without the value of a secret."""
    if not loc:
        return f"{PREFIX}MODEL 没有填：填了 {PREFIX}BASE_URL，就要填模型名"
    name, *inside = map(str, loc)
    if name == "model_settings" and inside:
        return f"{PREFIX}MODEL_SETTINGS 里的 {_complaint_about(inside[0], values[name])}"
    secret = Settings.model_fields[name].annotation is SecretStr or name == "model_settings"
    shown = "（已隐去）" if secret else repr(values[name])
    return f"{PREFIX}{name.upper()}={shown} 不合法：应为 {allowed(name)}"


def _complaint_about(key: str, given: Mapping[str, Any]) -> str:
    known = ModelSettings.__annotations__
    if key not in known:
        return f"{key} 不认识：可以填 {'、'.join(known)}；服务商自己的参数写进 extra_body"
    fitting = next(extra.description for extra in known[key].__metadata__ if isinstance(extra, FieldInfo))
    shown = "" if key == "extra_body" else f"={given[key]!r}"
    return f"{key}{shown} 不合法：应为 {fitting}"
