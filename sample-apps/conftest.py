"""The flag that rewrites golden files, as in the engine's tests, beside which these may run."""

import contextlib

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):  # the engine's tests have added it already
        parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")
