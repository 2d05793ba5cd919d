"""In CI nothing is skipped quietly: what a test needs must be there.

A reason that names POSIX is about the platform, and stays a skip.
"""

import os
from collections.abc import Generator

import pytest

_PLATFORM = "POSIX"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not hasattr(report, "wasxfail"):
        _judge(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _judge(report)
    return report


def _judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longreprtext if not isinstance(report.longrepr, tuple) else report.longrepr[2]
    if report.skipped and os.environ.get("CI") and _PLATFORM not in reason:
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {reason}"
