"""Routes that say who may ask, and answer every refusal as JSON in words for people (R7.7)."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ClassVar

from fastapi import HTTPException, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.types import Message, Receive

from ..errors import InvalidInput, Outdated
from .site import site_of

_SAFE_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
_ONLY_HERE = (
    "网页接口只对本机开放，网址里要写 127.0.0.1 或 localhost；要对外开放，请设置 MEMORYFS__WEB_PUBLIC=true"
)
_NO_OBJECT = "请求应为一个 JSON 对象，并带 Content-Type: application/json"
_ALLOWED = {
    "int_parsing": "应为整数",
    "int_parsing_size": "数字太大",
    "greater_than_equal": "不能小于 {ge}",
    "less_than_equal": "不能大于 {le}",
    "string_too_short": "至少 {min_length} 字",
    "string_too_long": "最多 {max_length} 字",
    "too_short": "至少 {min_length} 字",
    "too_long": "最多 {max_length} 字",
    "missing": "不能没有它",
    "string_type": "应为文字",
    "literal_error": "只能是 {expected}",
    "datetime_parsing": "应为 ISO-8601 时间",
    "datetime_from_date_parsing": "应为 ISO-8601 时间",
    "string_pattern_mismatch": "应符合 {pattern}",
}


MAX_BODY = 64 * 1024
"""Bytes of a request: the longest text one may send, 8,000 characters, has room many times over."""


class Problem(BaseModel):
    """Why there is no answer."""

    detail: str = Field(description="哪里不对，应该怎样")


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "请求里的值不合法"},
    401: {"model": Problem, "description": "没有令牌，或令牌不对"},
    403: {"model": Problem, "description": "不是本机，也没有设置 MEMORYFS__WEB_PUBLIC"},
    404: {"model": Problem, "description": "没有这样东西"},
    422: {"model": Problem, "description": "参数的类型或范围不对"},
    503: {"model": Problem, "description": "记忆插件没有在运行"},
}
"""The refusals a guarded route knows, for the OpenAPI document."""

CHANGE_PROBLEMS: dict[int | str, dict[str, Any]] = {
    409: {"model": Problem, "description": "它已经变了，什么也没有改"},
    413: {"model": Problem, "description": "请求太大"},
}
"""Further refusals of a route that changes something."""

TOKEN_DOCUMENTED = Security(HTTPBearer(auto_error=False, description="MEMORYFS__WEB_TOKEN 或数据目录里的"))
"""Tells the OpenAPI document of the token; the checking is done by `GuardedRoute`."""


class LocalRoute(APIRoute):
    """A route for clients of this machine (R7.7); each answer carries the headers of `_SAFE_HEADERS`."""

    needs_token: ClassVar[bool] = False

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler within the checks, with the headers every answer carries."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                _admit(request, needs_token=self.needs_token)
                response = await handle(Request(request.scope, _limited(request.receive)))
            except AnyHTTPException as error:
                unreadable = error.__cause__ is not None  # FastAPI could make nothing of the body
                detail = _NO_OBJECT if unreadable else error.detail
                response = _refusal(error.status_code, detail, error.headers)
            except RequestValidationError as error:
                response = _refusal(422, "；".join(map(_complaint, error.errors())))
            except Outdated as error:
                response = _refusal(409, str(error))
            except InvalidInput as error:
                response = _refusal(400, str(error))
            for name, value in _SAFE_HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return guarded


class GuardedRoute(LocalRoute):
    """A route behind the token: nothing of a request is looked at before it is known who asks (R7.7)."""

    needs_token = True


def _limited(receive: Receive) -> Receive:
    """Receives a request's body, as far as `MAX_BODY`; whatever length the client announced."""
    left = MAX_BODY

    async def receive_limited() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, f"请求太大：最多 {MAX_BODY // 1024} KB")
        return message

    return receive_limited


def _admit(request: Request, *, needs_token: bool) -> None:
    """Raise `HTTPException` unless the client may ask."""
    access = site_of(request).access
    client = request.client.host if request.client else None
    if not access.serves(client, request.headers.getlist("host")):
        raise HTTPException(403, _ONLY_HERE)
    if needs_token and not access.accepts(request.headers.get("authorization", "").encode("latin-1")):
        headers = {"WWW-Authenticate": "Bearer"}
        raise HTTPException(401, "访问令牌不对：请求头应为 Authorization: Bearer 令牌", headers)


def _refusal(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status, headers)


def _complaint(problem: Mapping[str, Any]) -> str:
    """One problem pydantic found in a request, naming the parameter, its value and what is allowed."""
    if problem["type"] == "json_invalid" or problem["loc"] == ("body",):
        return _NO_OBJECT
    allowed = _ALLOWED.get(problem["type"], "{msg}").format(**{**problem, **problem.get("ctx", {})})
    if problem["type"] == "missing":
        return f"参数 {problem['loc'][-1]} 不合法：{allowed}"
    return f"参数 {problem['loc'][-1]}={str(problem['input'])[:80]!r} 不合法：{allowed}"
