"""A file that several processes have open, and the processes."""

from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from processes.nursery import Nursery, nursery

from .jobs import SOURCE

ROWS = 12


@pytest.fixture(scope="module")
def nurse() -> Iterator[Nursery]:
    with nursery(SOURCE) as made:
        yield made


@pytest.fixture(params=["embedded", "stepwise"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    made = f"{request.param}:{tmp_path / 'a.db'}"
    with piql.connect(made) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("counters", [{"id": row, "value": 0} for row in range(ROWS)])
    return made
