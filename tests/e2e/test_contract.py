"""R7.5: what the OpenAPI document of a running `bot.py` promises holds for whatever is asked."""

from collections.abc import AsyncIterator, Callable

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
)

from .conftest import Site

TOKEN = "contract"
RIGHT = {"Authorization": f"Bearer {TOKEN}"}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    ignored_auth,
]
BOUNDED = settings(
    max_examples=12,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
async def api(new_site: Callable[[], Site]) -> AsyncIterator[schemathesis.BaseSchema]:
    site = new_site()
    site.settings["MEMORYFS__WEB_TOKEN"] = TOKEN
    site.settings["LOG_LEVEL"] = "WARNING"
    async with site.process() as bot:
        url = f"http://127.0.0.1:{site.port}/api/memoryfs/openapi.json"
        yield schemathesis.openapi.from_url(url, headers=RIGHT)
        await bot.terminate()
        assert "Traceback" not in bot.log()


def test_r7_05_every_answer_keeps_to_the_document(api: schemathesis.BaseSchema) -> None:
    tried: set[str] = set()
    for found in api.get_all_operations():
        operation = found.ok()

        @BOUNDED
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            case.call_and_validate(headers=RIGHT, checks=CHECKS, timeout=10)

        ask()
        tried.add(operation.label)
    assert {
        "GET /api/review/memory-fs",
        "PUT /api/memoryfs/entries",
        "POST /api/memoryfs/chat",
        "GET /api/memoryfs/conversations",
        "GET /api/memoryfs/find",
        "GET /api/memoryfs/facts/taken-back",
        *(f"{method} /api/memoryfs/notes" for method in ("GET", "POST", "PUT", "DELETE")),
    } <= tried
