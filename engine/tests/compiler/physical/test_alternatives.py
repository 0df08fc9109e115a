"""The branches of an OR are read one by one, and each fetches only the records that the stop lets through."""

from __future__ import annotations

import piql
import pytest

TABLE = "CREATE TABLE notes (id INT PRIMARY KEY, owner INT NOT NULL, day INT NOT NULL, kind INT NOT NULL, text TEXT);"
NOTES = "SELECT * FROM notes WHERE owner = [me] OR (kind = [kind] AND day IN [days] MAX 5)"
ROWS = [
    {"id": number, "owner": number % 3, "day": number % 7, "kind": number % 2, "text": "note"} for number in range(40)
]
OF_ADA = {"me": 1, "kind": 0, "days": [6, 4, 2, 1, 0]}


@pytest.mark.parametrize(("end", "is_first"), [("LIMIT 3", False), ("ORDER BY id LIMIT 3", True)])
def test_a_branch_fetches_as_many_records_as_the_stop_lets_through(end: str, *, is_first: bool) -> None:
    compiled = piql.compile(f"{TABLE} CREATE QUERY q AS {NOTES} {end};")
    bound = compiled.queries["q"].bound
    assert bound is not None
    assert bound.operations == 1 + 3 + 5 + 3  # without the stop the five reads of the second branch fetch 15 records
    with piql.connect("embedded:") as db:
        db.deploy(compiled)
        db.load("notes", ROWS)
        page = db.execute("q", OF_ADA)
    wanted = [row for row in ROWS if row["owner"] == 1 or (row["kind"] == 0 and row["day"] in OF_ADA["days"])]  # type: ignore[operator]
    assert page.operations <= bound.operations
    assert len(page.rows) == 3
    assert all(row in wanted for row in page.rows)
    assert not is_first or page.rows == wanted[:3]
