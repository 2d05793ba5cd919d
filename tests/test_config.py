"""R7.1: settings, their names, and errors that name the setting, the value and what is allowed."""

from typing import Any

import pytest

from nonebot_plugin_memoryfs.config import NOT_YET_USED, Config, Settings, allowed, parse, unknown_names
from nonebot_plugin_memoryfs.errors import ConfigError

BINDING_NAMES = [
    "BASE_URL",
    "API_KEY",
    "MODEL",
    "LEARN_MODEL",
    "LIFE_MODEL",
    "MODEL_SETTINGS",
    "CHARACTER",
    "CHARACTERS",
    "DATABASE_URL",
    "PRIVATE_MEMORY_IN_GROUPS",
    "LINKED_GROUPS",
    "LEARN_EVERY",
    "CHIME_IN",
    "GROUPS_ALLOW",
    "GROUPS_DENY",
    "USERS_DENY",
    "IGNORE_PREFIXES",
    "QUEUE",
    "COOLDOWN_SECONDS",
    "DAILY_CALLS",
    "DAILY_TOKENS",
    "KEEP_TURNS_DAYS",
    "WEB_TOKEN",
    "WEB_PUBLIC",
    "LIFE_INTERVAL_MINUTES",
    "LIFE_IDLE_MINUTES",
    "LIFE_PRIVATE_SELF_SERVICE",
    "TIMEZONE",
]


def test_r7_01_the_names_bind() -> None:
    assert sorted(name.upper() for name in Settings.model_fields) == sorted(BINDING_NAMES)
    assert set(Settings.model_fields) >= NOT_YET_USED


def test_r7_01_everything_has_a_default() -> None:
    settings = Config().memoryfs
    assert settings.character == "neko"
    assert settings.learn_every == 6
    assert settings.timezone == "Asia/Shanghai"
    assert settings == parse({})


def test_r7_01_numbers_from_env_are_taken_as_ids_and_keys() -> None:
    settings = parse(
        {
            "LINKED_GROUPS": [[123, "456"]],
            "characters": {"12345": "neko"},
            "api_key": 123456,
            "GROUPS_ALLOW": [1, 2],
            "chime_in": {"1": 0.5},
            "model": 4,
        }
    )
    assert settings.linked_groups == (frozenset({"123", "456"}),)
    assert settings.api_key.get_secret_value() == "123456"
    assert settings.groups_allow == {"1", "2"}
    assert settings.model == "4"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learn_every", "abc"),
        ("learn_every", -1),
        ("timezone", "Mars/Base"),
        ("timezone", "../../etc/passwd"),
        ("chime_in", {"1": 3}),
        ("chime_in", 0.5),
        ("linked_groups", [1]),
        ("queue", 0),
        ("web_public", "maybe"),
        ("groups_allow", 5),
        ("character", ""),
        ("base_url", "not a url"),
        ("base_url", "http://"),
        ("base_url", "http://[::1"),
        ("base_url", "http://host:port/v1"),
        ("characters", {"1": ""}),
    ],
)
def test_r7_01_a_wrong_value_is_named_with_what_is_allowed(name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as error:
        parse({name.upper(): value})
    line = str(error.value)
    assert f"MEMORYFS__{name.upper()}={value!r}" in line
    assert allowed(name) in line
    assert "\n" not in line


@pytest.mark.parametrize("name", ["api_key", "web_token", "database_url"])
def test_r6_07_secrets_are_not_shown(name: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse({name: ["hunter2"]})
    assert "hunter2" not in str(error.value)
    fine = "postgresql+psycopg://me:hunter2@host/db" if name == "database_url" else "hunter2"
    assert "hunter2" not in repr(parse({name: fine}))


@pytest.mark.parametrize("wrong", ["[]", "{'api_key': 'hunter2'}", ["hunter2"]])
def test_r6_07_model_settings_that_are_none_are_not_shown(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="MEMORYFS__MODEL_SETTINGS=（已隐去） 不合法") as error:
        parse({"model_settings": wrong})
    assert allowed("model_settings") in str(error.value)
    assert "hunter2" not in str(error.value)


def test_r7_01_all_wrong_values_are_named_at_once() -> None:
    with pytest.raises(ConfigError, match=r"QUEUE.*LEARN_EVERY|LEARN_EVERY.*QUEUE"):
        parse({"queue": 0, "learn_every": "x"})


def test_r7_01_unknown_names_come_with_the_nearest() -> None:
    assert unknown_names({"LERN_EVERY": 1, "queue": 2, "zzz": 3}) == [
        ("LERN_EVERY", "learn_every"),
        ("zzz", None),
    ]


@pytest.mark.parametrize("url", ["mysql://me:hunter2@host/db", "sqlite:///x.db", "???"])
def test_r6_01_another_database_is_refused_without_showing_the_password(url: str) -> None:
    with pytest.raises(ConfigError, match=r"DATABASE_URL=（已隐去）.*postgresql\+psycopg://") as error:
        parse({"database_url": url})
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"temprature": 1}, "temprature 不认识：可以填 temperature"),
        ({"temperature": 5}, "temperature=5 不合法：应为 0 到 2 的数"),
        ({"max_tokens": 0}, "max_tokens=0 不合法：应为 不小于 1 的整数"),
        ({"timeout": "soon"}, "timeout='soon' 不合法：应为 秒数"),
        ({"extra_body": ["hunter2"]}, "extra_body 不合法：应为 JSON 对象"),
    ],
)
def test_r4_13_a_wrong_model_setting_is_named(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse({"model_settings": settings})
    assert f"MEMORYFS__MODEL_SETTINGS 里的 {told}" in str(error.value)
    assert "hunter2" not in str(error.value)


def test_r4_13_model_settings_are_what_is_sent() -> None:
    given = {"temperature": 0.5, "timeout": 30, "extra_body": {"thinking": {"type": "disabled"}}}
    assert parse({"model_settings": given}).model_settings == given


def test_r4_13_an_address_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="MEMORYFS__MODEL 没有填"):
        parse({"base_url": "http://127.0.0.1:11434"})


@pytest.mark.parametrize("key", ["hunter2密钥", "hunter2\nX: y", "hunter2\0"])
def test_r4_13_a_key_that_can_not_be_sent_is_refused_unseen(key: str) -> None:
    with pytest.raises(ConfigError, match="MEMORYFS__API_KEY=（已隐去）") as error:
        parse({"api_key": key})
    assert "hunter2" not in str(error.value)


def test_r4_13_blanks_around_a_key_are_taken_off() -> None:
    assert parse({"api_key": " sk-1\n"}).api_key.get_secret_value() == "sk-1"
