"""Routes that let nobody in without the token, and answer every refusal as JSON in words for people."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi import HTTPException, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field

from ..errors import InvalidInput
from .site import site_of

_SAFE_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
_ALLOWED = {
    "int_parsing": "应为整数",
    "int_parsing_size": "数字太大",
    "greater_than_equal": "不能小于 {ge}",
}


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

TOKEN_DOCUMENTED = Security(HTTPBearer(auto_error=False, description="MEMORYFS__WEB_TOKEN 或数据目录里的"))
"""Tells the OpenAPI document of the token; the checking is done by `GuardedRoute`."""


class GuardedRoute(APIRoute):
    """A route behind the token: nothing of a request is looked at before it is known who asks (R7.7)."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler within the checks, with the headers every answer carries."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                _admit(request)
                response = await handle(request)
            except HTTPException as error:
                response = _refusal(error.status_code, error.detail, error.headers)
            except RequestValidationError as error:
                response = _refusal(422, "；".join(map(_complaint, error.errors())))
            except InvalidInput as error:
                response = _refusal(400, str(error))
            response.headers.update(_SAFE_HEADERS)
            return response

        return guarded


def _admit(request: Request) -> None:
    """Raise `HTTPException` unless the client may ask."""
    access = site_of(request).access
    if not access.serves(request.client.host if request.client else None):
        raise HTTPException(403, "网页接口只对本机开放；要对外开放，请设置 MEMORYFS__WEB_PUBLIC=true")
    if not access.accepts(request.headers.get("authorization", "").encode("latin-1")):
        headers = {"WWW-Authenticate": "Bearer"}
        raise HTTPException(401, "访问令牌不对：请求头应为 Authorization: Bearer 令牌", headers)


def _refusal(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status, headers)


def _complaint(problem: Mapping[str, Any]) -> str:
    """One problem pydantic found in a request, naming the parameter, its value and what is allowed."""
    allowed = _ALLOWED.get(problem["type"], "{msg}").format(**{**problem, **problem.get("ctx", {})})
    return f"参数 {problem['loc'][-1]}={str(problem['input'])[:80]!r} 不合法：{allowed}"
