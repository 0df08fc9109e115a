"""Bounds are not only safe: with limits full and parameters at their MAX, SCADr's reads make exactly that many."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import piql
import pytest
from piql.compiler.logical.operators import QueryParameter

SCADR = Path(__file__).resolve().parents[3] / "sample-apps" / "scadr"
START = datetime(2026, 1, 1, tzinfo=UTC)
HUB, FAN_OUT, THOUGHTS = "hub", 100, 60
VALUES = {"username": HUB, "owner": HUB, "me": HUB, "target": "friend001"}

COMPILATION = piql.compile(SCADR)
READS = sorted(name for name, query in COMPILATION.queries.items() if query.kind == "select")


@pytest.fixture(scope="module")
def db() -> Iterator[piql.Database]:
    """The hub follows as many users as its limit lets it, each another one; all follow friend001, all write much."""
    friends = [f"friend{number:03}" for number in range(FAN_OUT)]
    pairs = [(HUB, friend) for friend in friends] + [(friend, "friend001") for friend in friends]
    with piql.connect("embedded:") as db:
        db.deploy(COMPILATION)
        db.load("users", ({"username": name, "hometown": "Oslo"} for name in (HUB, *friends)))
        db.load("subscriptions", ({"owner": a, "target": b, "approved": True} for a, b in pairs))
        db.load(
            "thoughts",
            (
                {"owner": name, "posted": START + timedelta(minutes=number), "text": f"thought {number}"}
                for name in (HUB, *friends)
                for number in range(THOUGHTS)
            ),
        )
        yield db


def at_most(parameter: QueryParameter) -> object:
    return parameter.max_value if parameter.max_value is not None else VALUES[parameter.name]


def test_scadr_has_reads() -> None:
    assert len(READS) >= 5


@pytest.mark.parametrize("name", READS)
def test_a_full_database_takes_as_many_requests_as_the_bound_says(db: piql.Database, name: str) -> None:
    query = COMPILATION.queries[name]
    assert query.bound is not None
    page = db.execute(name, {parameter.name: at_most(parameter) for parameter in query.parameters}, strategy="parallel")
    assert page.operations == query.bound.operations
    assert page.round_trips == query.bound.round_trips
    assert len(page.rows) == query.bound.rows


def test_the_bound_of_the_thoughtstream_is_that_of_its_subscriptions() -> None:
    bound = COMPILATION.queries["thoughtstream"].bound
    assert bound is not None
    assert (bound.operations, bound.formula) == (1 + FAN_OUT, "1 + subscriptions.owner")
