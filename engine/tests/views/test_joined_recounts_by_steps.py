"""`piql verify` of a view of several tables on a store without transactions, beside lines and books that change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from piql.client.recounts import recount, repair
from piql.runtime.writing.meter import Meter
from piql.store.rows import Row
from promises import broken_promises
from runtime.writing.interrupted import GatedStore
from runtime.writing.joined_sales import begin_sales
from runtime.writing.world import opened, outcome


@pytest.mark.parametrize("step_rows", [1, 1000])
def test_groups_that_differ_are_told_and_repaired(step_rows: int) -> None:
    db = opened(begin_sales())
    groups = db._prepared.stepped("sold")
    wrong: dict[str, Row | None] = {"art": None, "law": ("law", 3, 1), "war": ("war", 1, 0)}
    for name, row in wrong.items():

        def put(old: Row | None, row: Row | None = row) -> Row | None:
            return None if row is None else (*row, old[-1] if old is not None else None)

        groups.write((name,), put, Meter())
    view = db.deployment.tables["sold"]
    counted = recount(db, view, step_rows=step_rows)
    assert {difference.group["kind"] for difference in counted.differences} == {"art", "law", "war"}
    assert repair(db, view, step_rows=step_rows).repaired == 3
    assert broken_promises(db) == []


@pytest.mark.parametrize(
    "meanwhile",
    [
        ("DELETE FROM lines WHERE id = 1", "UPDATE books SET kind = 'war' WHERE id = 1"),
        ("UPDATE lines SET book = 4 WHERE id = 1", "UPDATE books SET kind = 'law' WHERE id = 1"),
        ("UPDATE lines SET note = 'x' WHERE id = 1",),
    ],
)
def test_a_line_that_goes_between_it_and_its_book_is_counted_nowhere(meanwhile: tuple[str, ...]) -> None:
    """The book, read behind it, is of another kind by then, whose group rests."""
    store, left = begin_sales(), [meanwhile]
    beside = opened(store)

    def gate(name: str, request: Callable[[], Any]) -> Any:
        if name == "find" and left:
            for statement in left.pop():
                assert outcome(beside, statement) == "done"
        return request()

    db = opened(GatedStore(store, gate))
    assert recount(db, db.deployment.tables["sold"]).is_right
    assert not left
