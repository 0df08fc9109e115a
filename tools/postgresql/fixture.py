"""`postgresql`: one server for the tests of one session, started at the first test that asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from postgresql.running import Postgresql, running_postgresql


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Postgresql]:
    """Run a server."""
    with running_postgresql() as running:
        yield running


@pytest.fixture
def database_url(postgresql: Postgresql) -> str:
    """The URL of a database that no other test has."""
    return postgresql.new_database()
