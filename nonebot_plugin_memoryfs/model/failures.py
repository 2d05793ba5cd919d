"""What the model library raises, as one line in Chinese that says what to mend (R4.6, R4.13)."""

import socket
import ssl
from collections.abc import Iterator
from typing import cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from openai import APIStatusError
from pydantic_ai import exceptions as library

from .completion import NoCompletion, words_of
from .endpoint import Endpoint
from .patience import FEW, MANY, NONE, ModelFailure

_PASSING = frozenset({408, 409, 425, 429})
"""Refusals that may pass; so may every 5xx."""


def failure_of(error: Exception, endpoint: Endpoint, model: str) -> ModelFailure:
    """What went wrong with a request, without the key.

    Args:
        error: what the library raised, or a `TimeoutError`.
        endpoint: where the request went.
        model: the name that was asked for.
    """
    match error:
        case library.ModelHTTPError():
            passing = error.status_code in _PASSING or error.status_code >= 500
            hopeless = isinstance(error, library.ModelQuotaExceededError)
            return ModelFailure(
                _refused(error, error.status_code, endpoint, model),
                MANY if passing and not hopeless else NONE,
                retry_after=_retry_after(error),
            )
        case library.ModelAPIError(__cause__=APIStatusError() as moved) if moved.status_code < 400:
            return ModelFailure(_moved(moved, endpoint), NONE)
        case NoCompletion():
            said = endpoint.without_secrets(str(error))
            return ModelFailure(f"{endpoint.shown} 回答的格式不对，里面没有回答：{said}", FEW)
        case TimeoutError() | library.ModelTimeoutError():
            return ModelFailure(f"{endpoint.shown} 没有按时回答", MANY)
        case library.ModelConnectionError():
            return ModelFailure(_unreachable(error, endpoint), MANY)
        case library.UnexpectedModelBehavior() if "expected JSON data" in str(error):
            text = f"{endpoint.shown} 回的不是聊天接口的 JSON：请检查 MEMORYFS__BASE_URL（是不是少了 /v1）"
            return ModelFailure(text, FEW)
        case _:
            detail = endpoint.without_secrets(f"{type(error).__name__}：{error}", 120)
            return ModelFailure(f"{endpoint.shown} 回答的格式不对（{detail}）", FEW)


def _refused(error: library.ModelAPIError, status: int, endpoint: Endpoint, model: str) -> str:
    match error:
        case library.ModelAuthenticationError():
            return f"密钥不对，或没有权限（{status}）：请检查 MEMORYFS__API_KEY"
        case library.ModelQuotaExceededError():
            return f"额度用完了（{status}）：{_said(error, endpoint)}"
        case library.ModelContextWindowExceededError():
            return f"超出了模型 {model} 能读的长度（{status}）"
        case _ if isinstance(error, library.ModelNotFoundError) or status in (404, 405):
            where = f"模型名 {model} 和 MEMORYFS__BASE_URL（现在是 {endpoint.shown}）"
            return f"没有这个模型或地址（{status}）：请检查{where}"
        case _ if status == 429:
            return "请求太多，被要求慢一点（429）"
        case _:
            return f"{endpoint.shown} 出错（{status}）：{_said(error, endpoint)}"


def _said(error: library.ModelAPIError, endpoint: Endpoint) -> str:
    """The endpoint's own words."""
    return endpoint.without_secrets(words_of(error.body) or str(error.body or "没有说明"))


def _moved(error: APIStatusError, endpoint: Endpoint) -> str:
    where = endpoint.without_secrets(error.response.headers.get("location", "")) or "别处"
    return f"{endpoint.shown} 转到了 {where}（{error.status_code}）：如果那里可信，请改 MEMORYFS__BASE_URL"


def _retry_after(error: library.ModelHTTPError) -> float:
    try:
        return max(0.0, float((error.headers or {}).get("retry-after", "0")))
    except ValueError:  # a date: the usual wait does
        return 0.0


def _unreachable(error: library.ModelConnectionError, endpoint: Endpoint) -> str:
    if _goes_through_proxy(endpoint):
        return f"经过代理连不上 {endpoint.shown}（{type(_last(error)).__name__}）：请检查环境变量里的代理"
    for cause in _causes(error):
        match cause:
            case socket.gaierror():
                return f"找不到主机 {endpoint.host}：请检查 MEMORYFS__BASE_URL 和网络"
            case ConnectionRefusedError():
                return f"{endpoint.shown} 拒绝连接：模型服务没有开，或 MEMORYFS__BASE_URL 的端口不对"
            case ssl.SSLError():
                return f"和 {endpoint.shown} 的安全连接建不起来：请检查 http/https 和证书"
            case _:
                pass
    return f"和 {endpoint.shown} 的连接断了（{type(_last(error)).__name__}）"


def _goes_through_proxy(endpoint: Endpoint) -> bool:
    scheme = urlsplit(endpoint.url).scheme
    named = bool({scheme, "all"} & getproxies().keys()) and not proxy_bypass(endpoint.host)
    return named and not endpoint.is_here


def _last(error: BaseException) -> BaseException:
    return list(_causes(error))[-1]


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what led to it, the errors of a group too."""
    pending, seen = [error], set[int]()
    while pending:
        current = pending.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            pending += cast("BaseExceptionGroup[BaseException]", current).exceptions
        pending += [cause for cause in (current.__cause__, current.__context__) if cause is not None]
