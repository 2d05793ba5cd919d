"""From settings to models: the one endpoint, a model for each purpose (R4.13)."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import cast

from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from openai.types.chat import ChatCompletion
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from ..errors import ConfigError
from ..text.cleaning import clean_json
from .agent import AgentModel
from .completion import mended
from .endpoint import Endpoint
from .failures import failure_of
from .kinds import Purpose
from .loading import Models
from .patience import Health, Patience

_NO_KEY = "none"
"""The library wants one where the endpoint wants none."""
_OURS_TO_FIND = ("<\0think>", "<\0/think>")
"""Tags nobody writes: the library drops a `<think>` that is not closed and keeps what it thought."""


def connect(
    endpoint: Endpoint, names: Mapping[Purpose, str], *, clock: Callable[[], datetime], patience: Patience
) -> Models:
    """The models behind an endpoint; nothing is sent yet. Opens no connection, but reads certificates.

    Args:
        endpoint: where it is.
        names: the model of each purpose; one name is one model with one health.
        clock: the time, for the status.
        patience: how failures are waited out.

    Raises:
        ConfigError: a proxy or certificate file that the environment names can't be used.
    """
    client = _client(endpoint)
    models = {name: _model(endpoint, name, client, Health(clock=clock), patience) for name in names.values()}
    return Models(
        chat=models[names["chat"]],
        learning=models[names["learning"]],
        life=models[names["life"]],
        close=client.close,
    )


def _client(endpoint: Endpoint) -> AsyncOpenAI:
    """The client; all it takes from the environment is a proxy and certificates, and on this machine neither.

    It follows no redirect: what people said must not go to a host that no setting names.
    """
    try:
        http = DefaultAsyncHttpxClient(follow_redirects=False, trust_env=not endpoint.is_here)
    except (ImportError, ValueError, OSError) as error:
        raise ConfigError(f"环境变量里的代理或证书不能用（{error}）：代理要是 http:// 开头的地址") from None
    client = AsyncOpenAI(
        base_url=endpoint.url,
        api_key=endpoint.api_key.get_secret_value() or _NO_KEY,
        timeout=endpoint.timeout,
        max_retries=0,
        http_client=http,
    )
    client.organization = client.project = None
    return client


def _model(
    endpoint: Endpoint, name: str, client: AsyncOpenAI, health: Health, patience: Patience
) -> AgentModel:
    settings = {key: value for key, value in endpoint.settings.items() if key != "timeout"}
    wire = _Tolerant(
        name,
        provider=OpenAICompatibleProvider("endpoint", openai_client=client, profile=_profile(endpoint)),
        settings=cast("OpenAIChatModelSettings", settings),
    )
    return AgentModel(
        f"{name}（{endpoint.host}）",
        lambda _, __: wire,
        lambda _: wire,
        explain=partial(failure_of, endpoint=endpoint, model=name),
        health=health,
        patience=patience,
        timeout=endpoint.timeout,
    )


def _profile(endpoint: Endpoint) -> OpenAIModelProfile:
    """What may be sent: elsewhere than at OpenAI the older names that every endpoint knows."""
    return OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=endpoint.host == "api.openai.com",
        openai_supports_strict_tool_definition=False,
        thinking_tags=_OURS_TO_FIND,
    )


class _Tolerant(OpenAIChatModel):
    """Takes what is nearly a chat completion."""

    def _validate_completion(self, response: ChatCompletion):
        answer = clean_json(response.model_dump(warnings=False))
        return super()._validate_completion(ChatCompletion.model_construct(**mended(answer)))
