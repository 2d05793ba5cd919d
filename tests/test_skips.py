"""In CI a skip is a failure, unless it is about the platform."""

from pathlib import Path

import pytest

pytest_plugins = "pytester"
TESTS = """
    import pytest

    @pytest.mark.skipif(True, reason="no such thing here")
    def test_marked(): ...

    def test_called():
        pytest.skip("no such thing here")

    @pytest.fixture
    def absent():
        pytest.skip("no such thing here")

    def test_fixture(absent): ...

    @pytest.mark.skipif(True, reason="file modes are POSIX")
    def test_platform(): ...

    @pytest.mark.xfail
    def test_expected():
        assert False
"""


@pytest.mark.parametrize(("ci", "skipped", "failed"), [("", 4, 0), ("true", 1, 3)])
def test_a_skip_fails_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, skipped: int, failed: int
) -> None:
    monkeypatch.setenv("CI", ci)
    pytester.makeconftest(Path(__file__).with_name("skips.py").read_text("utf-8"))
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:nonebug", "-q", "-rA")
    counts = result.parseoutcomes()
    assert counts.get("skipped", 0) == skipped
    assert counts.get("failed", 0) + counts.get("errors", 0) == failed
    assert counts["xfailed"] == 1


def test_a_module_that_skips_itself_fails_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makeconftest(Path(__file__).with_name("skips.py").read_text("utf-8"))
    pytester.makepyfile("import pytest; pytest.importorskip('no_such_module_at_all')")
    assert pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:nonebug").ret != 0
