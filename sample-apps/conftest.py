"""The application that a module tests, and the flag that rewrites golden files, as in the engine's tests."""

import contextlib

import piql
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):  # the engine's tests, beside which these may run, have added it
        parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture(scope="module")
def compilation(request: pytest.FixtureRequest) -> piql.Compilation:
    """Return the application in whose folder `tests` the module stands, compiled."""
    return piql.compile(request.path.parent.parent)
