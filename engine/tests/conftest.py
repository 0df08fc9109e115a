"""The flag that rewrites golden files, and what the oracle has to say at the end of the engine's tests."""

import contextlib

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any examples", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same examples", settings.get_profile("any examples"), derandomize=True)
settings.load_profile("same examples")


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):  # the samples' tests have added it already
        parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    sums = {"oracle accepted": 0, "oracle cases": 0}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name in sums and report.when == "call":
                    sums[name] += value
    if sums["oracle cases"]:
        terminalreporter.write_line(
            f"oracle: {sums['oracle cases']:,} queries, {sums['oracle accepted']:,} accepted and compared with DuckDB"
        )
