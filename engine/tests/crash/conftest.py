"""One nursery for all tests here, and databases that outlive those who write to them."""

from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from processes.nursery import Nursery, nursery

from .workload import SOURCE, TEAMS


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(SOURCE) as made:
        yield made


@pytest.fixture(scope="module")
def source() -> piql.Compilation:
    return piql.compile(SOURCE)


@pytest.fixture
def url(tmp_path: Path, source: piql.Compilation) -> str:
    """A database with teams and no players."""
    made = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(made) as db:
        db.deploy(source)
        db.load("teams", [{"team": team, "town": "Oslo"} for team in TEAMS])
    return made
