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


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = f"embedded:{tmp_path / 'a.db'}"
    with piql.connect(made) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("counters", [{"id": row, "value": 0} for row in range(ROWS)])
    return made
